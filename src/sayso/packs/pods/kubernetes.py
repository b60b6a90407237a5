"""A cluster through its API: four requests over httpx, with what a kubeconfig gives."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TypeVar
from urllib.parse import quote

import httpx
from pydantic import JsonValue, TypeAdapter, ValidationError

from sayso.packs.pods.cluster import ClusterError, Deleted, NoMetrics, Pod, PodList, PodUsage
from sayso.packs.pods.kubeconfig import Access
from sayso.packs.pods.pod_json import ApiPod, ApiPodPage, ApiUsagePage, limits_of, pod_of, used_by

_PAGE = 500
#: No list shows more.
MOST_PODS = 5000
_SECONDS = 15.0
#: How often a deletion is tried whose answer never came. Each looks first.
_TRIES = 3

T = TypeVar("T")

#: A refusal within TLS comes as it is, past httpx.
_BROKEN = (httpx.TransportError, OSError)

_POD: TypeAdapter[ApiPod] = TypeAdapter(ApiPod)
_PODS: TypeAdapter[ApiPodPage] = TypeAdapter(ApiPodPage)
_USAGES: TypeAdapter[ApiUsagePage] = TypeAdapter(ApiUsagePage)


class Kubernetes:
    """The pods of one context's cluster (pods.cluster.Cluster)."""

    is_sample = False

    def __init__(self, access: Access) -> None:
        self._access, self.name = access, access.context

    async def pods(self, namespace: str) -> PodList:
        found, is_cut = await self._all(namespace)
        return PodList(tuple(map(pod_of, found)), is_cut)

    async def pod(self, namespace: str, name: str) -> Pod | None:
        async with self._client() as client:
            return await self._look(client, namespace, name)

    async def usage(self, namespace: str) -> list[PodUsage]:
        (known, _), page = await asyncio.gather(self._all(namespace), self._measured(namespace))
        limits = {(pod.metadata.namespace, pod.metadata.name): limits_of(pod) for pod in known}
        return [used_by(one, limits) for one in page.items]

    async def delete(self, namespace: str, name: str, uid: str) -> Deleted:
        async with self._client() as client:
            ended = Deleted.BEFORE
            for _ in range(_TRIES):
                found = await self._look(client, namespace, name)
                if found is None or found.uid != uid or found.is_going:
                    return ended
                try:
                    answer = await client.request("DELETE", _path(namespace, name), json=_only(uid))
                except httpx.ConnectError as exc:
                    raise self._unreachable(exc) from exc
                except _BROKEN:
                    # It may have arrived. Whoever looks again finds out.
                    ended = Deleted.NOW
                    continue
                if answer.is_success:
                    return Deleted.NOW
                # 404: it went meanwhile. 409: another pod has its name now.
                if answer.status_code not in (404, 409):
                    raise self._refused(answer)
        raise ClusterError(
            f"The cluster '{self.name}' has not said whether {namespace}/{name} was deleted."
        )

    async def _look(self, client: httpx.AsyncClient, namespace: str, name: str) -> Pod | None:
        answer = await self._get(client, _path(namespace, name))
        if answer.status_code == 404:
            return None
        return pod_of(_read(_POD, self._checked(answer)))

    async def _all(self, namespace: str) -> tuple[list[ApiPod], bool]:
        found: list[ApiPod] = []
        more = ""
        async with self._client() as client:
            while True:
                query = {"limit": str(_PAGE), **({"continue": more} if more else {})}
                answer = self._checked(await self._get(client, _path(namespace), query))
                page = _read(_PODS, answer)
                found += page.items
                more = page.metadata.more
                if not more or len(found) >= MOST_PODS:
                    return found, bool(more)

    async def _measured(self, namespace: str) -> ApiUsagePage:
        place = f"/namespaces/{quote(namespace, safe='')}" if namespace else ""
        async with self._client() as client:
            answer = await self._get(client, f"/apis/metrics.k8s.io/v1beta1{place}/pods")
        if answer.status_code in (404, 503):
            raise NoMetrics(
                f"The cluster '{self.name}' has no metrics API (metrics.k8s.io), so nobody knows "
                "what its pods use. The metrics-server brings it."
            )
        return _read(_USAGES, self._checked(answer))

    async def _get(
        self, client: httpx.AsyncClient, path: str, query: dict[str, str] | None = None
    ) -> httpx.Response:
        try:
            return await client.get(path, params=query)
        except _BROKEN as exc:
            raise self._unreachable(exc) from exc

    @asynccontextmanager
    async def _client(self) -> AsyncGenerator[httpx.AsyncClient, None]:
        access = self._access
        try:
            headers = access.headers()
        except OSError as exc:
            raise ClusterError(f"The token's file cannot be read: {exc.strerror}.") from exc
        name = {"sni_hostname": access.server_name} if access.server_name else {}

        async def as_named(request: httpx.Request) -> None:
            request.extensions.update(name)

        async with httpx.AsyncClient(
            base_url=access.url,
            headers=headers,
            verify=access.tls,
            proxy=access.proxy,
            # A proxy of this machine's environment would see the token.
            trust_env=False,
            timeout=_SECONDS,
            event_hooks={"request": [as_named]},
        ) as client:
            yield client

    def _checked(self, answer: httpx.Response) -> httpx.Response:
        if not answer.is_success:
            raise self._refused(answer)
        return answer

    def _refused(self, answer: httpx.Response) -> ClusterError:
        words = _message(answer) or f"HTTP {answer.status_code}"
        match answer.status_code:
            case 401:
                return ClusterError(f"The cluster '{self.name}' does not take these credentials.")
            case 403:
                return ClusterError(f"The cluster '{self.name}' does not allow it: {words}")
            case _:
                return ClusterError(f"The cluster '{self.name}' says: {words}")

    def _unreachable(self, exc: Exception) -> ClusterError:
        why = f": {exc}" if str(exc) else "."
        return ClusterError(f"The cluster '{self.name}' does not answer at {self._access.url}{why}")


def _path(namespace: str, name: str = "") -> str:
    place = f"/namespaces/{quote(namespace, safe='')}" if namespace else ""
    return f"/api/v1{place}/pods" + (f"/{quote(name, safe='')}" if name else "")


def _only(uid: str) -> dict[str, JsonValue]:
    """Return the order to delete the pod of this uid, and none that has its name by now."""
    return {"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": {"uid": uid}}


def _read(kind: TypeAdapter[T], answer: httpx.Response) -> T:
    try:
        return kind.validate_json(answer.content)
    except ValidationError as exc:
        raise ClusterError("What the cluster answers is no answer of Kubernetes.") from exc


def _message(answer: httpx.Response) -> str:
    try:
        body = answer.json()
    except ValueError:
        return ""
    return str(body.get("message", ""))[:500] if isinstance(body, dict) else ""
