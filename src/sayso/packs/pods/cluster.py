"""What the pack knows of a cluster: its pods, what they use, and how one of them is deleted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from pydantic import BaseModel, ConfigDict


class Health(StrEnum):
    OK = "ok"
    WAITING = "waiting"
    FAILING = "failing"
    DONE = "done"


class _Told(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Container(_Told):
    name: str
    image: str = ""
    #: "Running", or why it does not.
    state: str = ""
    is_ready: bool = False
    restarts: int = 0


class Pod(_Told):
    namespace: str
    name: str
    uid: str
    #: In one word, as kubectl says it: "Running", "CrashLoopBackOff", "Terminating".
    status: str
    health: Health
    #: Why, where the cluster says it.
    message: str = ""
    created: datetime
    node: str = ""
    ip: str = ""
    #: What made it and will make another: "ReplicaSet/web-5d9c"; empty where nothing did.
    owner: str = ""
    is_going: bool = False
    containers: tuple[Container, ...] = ()

    @property
    def ready(self) -> str:
        return f"{sum(c.is_ready for c in self.containers)}/{len(self.containers)}"

    @property
    def restarts(self) -> int:
        return sum(container.restarts for container in self.containers)


class PodUsage(_Told):
    """What a pod uses now; what it may use at most is 0 where nothing is said."""

    namespace: str
    name: str
    node: str = ""
    cpu_millicores: float
    memory_bytes: int
    cpu_limit: float = 0
    memory_limit: int = 0


@dataclass(frozen=True, slots=True)
class PodList:
    pods: tuple[Pod, ...]
    #: Whether there are more than were read.
    is_cut: bool = False


class Deleted(StrEnum):
    """How the deletion of one pod ended. Both say that it is gone."""

    NOW = "now"
    BEFORE = "before"


class ClusterError(Exception):
    """What the cluster, or the way to it, does not let us do: in a sentence for a person."""


class NoMetrics(ClusterError):
    """Nobody measures what the pods of this cluster use."""


class Cluster(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def is_sample(self) -> bool: ...

    async def pods(self, namespace: str) -> PodList:
        """Return the pods of a namespace, of all where it is empty. Raises ClusterError."""

    async def pod(self, namespace: str, name: str) -> Pod | None:
        """Return the pod that has this name now. Raises ClusterError."""

    async def usage(self, namespace: str) -> list[PodUsage]:
        """Return what the running pods use. Raises ClusterError, NoMetrics."""

    async def delete(self, namespace: str, name: str, uid: str) -> Deleted:
        """Delete the pod of this name and uid, and no other. Raises ClusterError where it is still
        there."""
