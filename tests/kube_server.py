"""The part of Kubernetes' API that deals with pods, over real HTTP, with what a test wants to go
wrong. It deletes at once, and only the pod whose uid the order names."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

Json = dict[str, Any]
#: It only ends a test that hangs.
_GUARD_SECONDS = 240


def pod(name: str, uid: str = "", *, namespace: str = "shop", **status: Any) -> Json:
    """A pod that runs, as the API writes it; `status` goes over what is said of it."""
    ready = {"name": "main", "ready": True, "restartCount": 2, "state": {"running": {}}}
    return {
        "metadata": {
            "name": name,
            "namespace": namespace,
            "uid": uid or f"uid-of-{name}",
            "creationTimestamp": "2026-11-20T08:00:00Z",
            "ownerReferences": [{"kind": "ReplicaSet", "name": "web-5d9c", "controller": True}],
        },
        "spec": {
            "nodeName": "node-7",
            "containers": [
                {
                    "name": "main",
                    "image": "web:1",
                    "resources": {"limits": {"cpu": "500m", "memory": "64Mi"}},
                }
            ],
        },
        "status": {
            "phase": "Running",
            "podIP": "10.0.0.9",
            "containerStatuses": [ready],
            **status,
        },
    }


@dataclass
class Asked:
    method: str
    path: str
    headers: dict[str, str]
    body: Json


@dataclass
class KubeServer:
    pods: list[Json] = field(default_factory=list)
    #: None where there is no metrics API.
    metrics: list[Json] | None = None
    without_metrics: int = 404
    #: The status with which the next requests of a method are refused.
    refusals: dict[str, list[int]] = field(default_factory=dict)
    #: How many answers to a DELETE are lost on their way, after it was done.
    lost_answers: int = 0
    asked: list[Asked] = field(default_factory=list)
    #: Whether a look at one pod is held until its client has gone; which are, and which were.
    holds: bool = False
    held: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    url: str = ""

    def of(self, method: str) -> list[Asked]:
        return [one for one in self.asked if one.method == method]

    def kubeconfig(self, **user: Any) -> Json:
        return {
            "current-context": "test",
            "contexts": [{"name": "test", "context": {"cluster": "c", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": {"server": self.url}}],
            "users": [{"name": "u", "user": user or {"token": "t-0-k-e-n"}}],
        }

    def answer(self, asked: Asked, query: dict[str, list[str]]) -> tuple[int, Json]:
        refused = self.refusals.get(asked.method)
        if refused:
            return refused.pop(0), {"kind": "Status", "message": "it said no"}
        match asked.path.strip("/").split("/"):
            case ["apis", "metrics.k8s.io", *_]:
                found = {"items": self.metrics}
                return (self.without_metrics, {}) if self.metrics is None else (200, found)
            case ["api", "v1", "pods"]:
                return 200, _page(self.pods, query)
            case ["api", "v1", "namespaces", namespace, "pods"]:
                return 200, _page([p for p in self.pods if _place(p)[0] == namespace], query)
            case ["api", "v1", "namespaces", namespace, "pods", name]:
                return self._one(asked, (namespace, name))
            case _:
                return 404, {"message": "no such path"}

    def _one(self, asked: Asked, place: tuple[str, str]) -> tuple[int, Json]:
        found = next((p for p in self.pods if _place(p) == place), None)
        if found is None:
            return 404, {"message": f'pods "{place[1]}" not found'}
        if asked.method == "GET":
            return 200, found
        wanted = asked.body.get("preconditions", {}).get("uid")
        if wanted not in (None, found["metadata"]["uid"]):
            return 409, {"message": "Precondition failed: UID"}
        self.pods.remove(found)
        return 200, found


@contextmanager
def kube_server(
    pods: Sequence[Json] = (), tls: ssl.SSLContext | None = None
) -> Iterator[KubeServer]:
    kube = KubeServer(list(pods))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else {}
            parts = urlsplit(self.path)
            asked = Asked(self.command, parts.path, dict(self.headers), body)
            kube.asked.append(asked)
            if kube.holds and parts.path.count("/") == 6:
                return self._hold(parts.path)
            status, said = kube.answer(asked, parse_qs(parts.query))
            if self.command == "DELETE" and kube.lost_answers:
                kube.lost_answers -= 1
                self.close_connection = True
                return None
            self._send(status, said)

        do_DELETE = do_GET

        def _hold(self, path: str) -> None:
            """Say nothing, until whoever asked has gone."""
            kube.held.append(path)
            self.close_connection = True
            self.connection.settimeout(_GUARD_SECONDS)
            with suppress(OSError):
                self.connection.recv(1)
            kube.left.append(path)

        def _send(self, status: int, said: Json) -> None:
            body = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    kube.url = f"{'https' if tls else 'http'}://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield kube
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _place(pod: Json) -> tuple[str, str]:
    return pod["metadata"]["namespace"], pod["metadata"]["name"]


def _page(pods: list[Json], query: dict[str, list[str]]) -> Json:
    start, limit = int(query.get("continue", ["0"])[0]), int(query["limit"][0])
    more = str(start + limit) if start + limit < len(pods) else None
    return {"metadata": {"continue": more}, "items": pods[start : start + limit]}
