"""A sample cluster: a small shop, made up, the same each time, with ages relative to now.

A deleted pod is made again by what made it, as a cluster does; that is kept in a file, so that it
holds over restarts.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files
from pathlib import Path
from uuid import UUID, uuid5

from pydantic import BaseModel, TypeAdapter, ValidationError

from sayso.packs.pods.cluster import Container, Deleted, Health, Pod, PodList, PodUsage

_SPACE = UUID("6f6b2b0e-5a0f-4b0e-9c57-706f64732e31")
#: The letters of Kubernetes' own suffixes.
_LETTERS = "bcdfghjklmnpqrstvwxz2456789"
_BEGINS_WITHIN = timedelta(seconds=8)
_MEBIBYTE = 1024**2

#: When each deleted pod was deleted, by its uid.
_FILE: TypeAdapter[dict[str, datetime]] = TypeAdapter(dict[str, datetime])


class _Workload(BaseModel):
    """What makes pods, and how those that it made stand."""

    namespace: str
    name: str
    image: str
    #: "" where nothing made it.
    kind: str = "ReplicaSet"
    count: int = 1
    hours: float = 72
    node: int = 1
    status: str = "Running"
    health: Health = Health.OK
    message: str = ""
    restarts: int = 0
    millicores: float = 25
    mebibytes: int = 64
    limits: tuple[float, int] = (0, 0)


class Sample:
    """The sample cluster (pods.cluster.Cluster)."""

    name = "sample"
    is_sample = True

    def __init__(
        self, file: Path | None = None, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._file, self._now = file, now
        self._gone: dict[str, datetime] = {}

    async def pods(self, namespace: str) -> PodList:
        return PodList(tuple(pod for _, pod in self._all() if namespace in ("", pod.namespace)))

    async def pod(self, namespace: str, name: str) -> Pod | None:
        is_it = (pod for pod in (await self.pods(namespace)).pods if pod.name == name)
        return next(is_it, None)

    async def usage(self, namespace: str) -> list[PodUsage]:
        return [
            _usage(made, pod, self._now())
            for made, pod in self._all()
            if namespace in ("", pod.namespace) and pod.status == "Running"
        ]

    async def delete(self, namespace: str, name: str, uid: str) -> Deleted:
        found = await self.pod(namespace, name)
        if found is None or found.uid != uid:
            return Deleted.BEFORE
        self._gone = {**self._read(), uid: self._now()}
        self._write()
        return Deleted.NOW

    def _all(self) -> list[tuple[_Workload, Pod]]:
        gone, now = self._read(), self._now()
        found = []
        for made in _workloads():
            for number in range(made.count):
                pod = _pod(made, number, 0, now - timedelta(hours=made.hours, minutes=number), now)
                generation = 0
                while pod is not None and pod.uid in gone:
                    generation += 1
                    pod = _pod(made, number, generation, gone[pod.uid], now)
                if pod is not None:
                    found.append((made, pod))
        return sorted(found, key=lambda one: (one[1].namespace, one[1].name))

    def _read(self) -> dict[str, datetime]:
        if self._file is not None and self._file.exists():
            try:
                return _FILE.validate_json(self._file.read_bytes())
            except ValidationError:
                return {}
        return self._gone

    def _write(self) -> None:
        if self._file is None:
            return
        self._file.parent.mkdir(parents=True, exist_ok=True)
        fresh = self._file.with_name(f"{self._file.name}.{os.getpid()}.new")
        fresh.write_text(json.dumps({uid: at.isoformat() for uid, at in self._gone.items()}))
        os.replace(fresh, self._file)


@cache
def _workloads() -> list[_Workload]:
    found = (files(__package__) / "shop.json").read_bytes()
    return TypeAdapter(list[_Workload]).validate_json(found)


def _pod(
    made: _Workload, number: int, generation: int, created: datetime, now: datetime
) -> Pod | None:
    """Return one of its pods; None where what was deleted is not made again."""
    if generation and made.kind in ("", "Job"):
        return None
    identity = uuid5(_SPACE, f"{made.namespace}/{made.kind}/{made.name}/{number}/{generation}")
    begins = generation > 0 and now - created < _BEGINS_WITHIN
    status = "ContainerCreating" if begins else made.status
    is_ready = status == "Running"
    node = (made.node + number - 1) % 3 + 1 if made.node else 0
    container = Container(
        name=made.name,
        image=made.image,
        state=status,
        is_ready=is_ready,
        restarts=0 if generation else made.restarts,
    )
    return Pod(
        namespace=made.namespace,
        name=_name(made, number, identity),
        uid=str(identity),
        status=status,
        health=Health.WAITING if begins else made.health,
        message="" if begins else made.message,
        created=created,
        node=f"node-{node}" if node else "",
        ip=f"10.42.{node}.{identity.int % 200 + 10}" if is_ready else "",
        owner=f"{made.kind}/{_owner(made)}" if made.kind else "",
        containers=(container,),
    )


def _name(made: _Workload, number: int, identity: UUID) -> str:
    match made.kind:
        case "":
            return made.name
        case "StatefulSet":
            return f"{made.name}-{number}"
        case _:
            return f"{_owner(made)}-{_suffix(identity, 5)}"


def _owner(made: _Workload) -> str:
    if made.kind != "ReplicaSet":
        return made.name
    return f"{made.name}-{_suffix(uuid5(_SPACE, made.image), 9)}"


def _suffix(identity: UUID, length: int) -> str:
    number, found = identity.int, ""
    for _ in range(length):
        number, at = divmod(number, len(_LETTERS))
        found += _LETTERS[at]
    return found


def _usage(made: _Workload, pod: Pod, now: datetime) -> PodUsage:
    """Return what it uses now: each pod has a level of its own, and breathes."""
    own = UUID(pod.uid).int
    level = 0.85 + own % 31 / 100
    breath = 1 + 0.12 * math.sin(now.timestamp() / 20 + own % 63 / 10)
    cpu, memory = made.limits
    return PodUsage(
        namespace=pod.namespace,
        name=pod.name,
        node=pod.node,
        cpu_millicores=round(made.millicores * level * breath, 1),
        memory_bytes=round(made.mebibytes * level * (1 + (breath - 1) / 6)) * _MEBIBYTE,
        cpu_limit=cpu,
        memory_limit=memory * _MEBIBYTE,
    )
