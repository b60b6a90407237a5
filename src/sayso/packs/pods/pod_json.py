"""Pods as the API of Kubernetes writes them, and what we say of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator
from pydantic.alias_generators import to_camel

from sayso.packs.pods.cluster import Container, Health, Pod, PodUsage

_NEVER = datetime(1970, 1, 1, tzinfo=UTC)
#: Of its quantities ("250m", "64Mi").
_FACTORS = {
    "n": Decimal("1e-9"),
    "u": Decimal("1e-6"),
    "m": Decimal("1e-3"),
    "": Decimal(1),
    **{letter: Decimal(1000) ** n for n, letter in enumerate("kMGTPE", 1)},
    **{f"{letter}i": Decimal(1024) ** n for n, letter in enumerate("KMGTPE", 1)},
}
_QUANTITY = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?)([a-zA-Z]{0,2})")


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", alias_generator=to_camel, populate_by_name=True)

    @field_validator("*", mode="before")
    @classmethod
    def _null_is_nothing(cls, value: object, info: ValidationInfo) -> object:
        """Kubernetes writes null where a list or a map is empty."""
        field = cls.model_fields[info.field_name or ""]
        return field.get_default(call_default_factory=True) if value is None else value


class _Owner(_Part):
    kind: str = ""
    name: str = ""
    controller: bool = False


class _Metadata(_Part):
    name: str = ""
    namespace: str = ""
    uid: str = ""
    creation_timestamp: datetime = _NEVER
    deletion_timestamp: datetime | None = None
    owner_references: list[_Owner] = Field(default_factory=list)


class _Resources(_Part):
    limits: dict[str, str | int | float] = Field(default_factory=dict)


class _SpecContainer(_Part):
    name: str = ""
    image: str = ""
    resources: _Resources = _Resources()


class _Spec(_Part):
    node_name: str = ""
    containers: list[_SpecContainer] = Field(default_factory=list)


class _Waiting(_Part):
    reason: str = ""
    message: str = ""


class _Terminated(_Part):
    reason: str = ""
    message: str = ""
    exit_code: int = 0


class _State(_Part):
    waiting: _Waiting | None = None
    running: dict[str, object] | None = None
    terminated: _Terminated | None = None


class _ContainerStatus(_Part):
    name: str = ""
    ready: bool = False
    restart_count: int = 0
    state: _State = _State()


class _Condition(_Part):
    type: str = ""
    status: str = ""
    message: str = ""


class _Status(_Part):
    phase: str = ""
    reason: str = ""
    message: str = ""
    pod_ip: str = Field("", alias="podIP")
    conditions: list[_Condition] = Field(default_factory=list)
    container_statuses: list[_ContainerStatus] = Field(default_factory=list)
    init_container_statuses: list[_ContainerStatus] = Field(default_factory=list)


class ApiPod(_Part):
    metadata: _Metadata = _Metadata()
    spec: _Spec = _Spec()
    status: _Status = _Status()


class _ListMetadata(_Part):
    more: str = Field("", alias="continue")


class ApiPodPage(_Part):
    metadata: _ListMetadata = _ListMetadata()
    items: list[ApiPod] = Field(default_factory=list)


class _ContainerUsage(_Part):
    usage: dict[str, str] = Field(default_factory=dict)


class ApiUsage(_Part):
    metadata: _Metadata = _Metadata()
    containers: list[_ContainerUsage] = Field(default_factory=list)


class ApiUsagePage(_Part):
    items: list[ApiUsage] = Field(default_factory=list)


#: Node, most CPU in millicores, most memory in bytes.
Limits = tuple[str, float, int]


def pod_of(found: ApiPod) -> Pod:
    made, status = found.metadata, found.status
    word, message = _status(found)
    owner = next((one for one in made.owner_references if one.controller), None)
    states = {one.name: one for one in status.container_statuses}
    containers = tuple(_container(one, states.get(one.name)) for one in found.spec.containers)
    return Pod(
        namespace=made.namespace,
        name=made.name,
        uid=made.uid,
        status=word,
        health=_health(found, word, containers),
        message=message,
        created=made.creation_timestamp,
        node=found.spec.node_name,
        ip=status.pod_ip,
        owner=f"{owner.kind}/{owner.name}" if owner is not None else "",
        is_going=made.deletion_timestamp is not None,
        containers=containers,
    )


def limits_of(pod: ApiPod) -> Limits:
    """Return the sum over its containers; 0 where one of them has none."""
    limits = [one.resources.limits for one in pod.spec.containers]
    cpu = [millicores(str(one["cpu"])) for one in limits if "cpu" in one]
    memory = [size_in_bytes(str(one["memory"])) for one in limits if "memory" in one]
    return (
        pod.spec.node_name,
        sum(cpu) if len(cpu) == len(limits) else 0,
        sum(memory) if len(memory) == len(limits) else 0,
    )


def used_by(found: ApiUsage, limits: Mapping[tuple[str, str], Limits]) -> PodUsage:
    made = found.metadata
    node, cpu, memory = limits.get((made.namespace, made.name), ("", 0.0, 0))
    return PodUsage(
        namespace=made.namespace,
        name=made.name,
        node=node,
        cpu_millicores=sum(millicores(one.usage.get("cpu", "0")) for one in found.containers),
        memory_bytes=sum(size_in_bytes(one.usage.get("memory", "0")) for one in found.containers),
        cpu_limit=cpu,
        memory_limit=memory,
    )


def millicores(text: str) -> float:
    return float(round(_quantity(text) * 1000, 3))


def size_in_bytes(text: str) -> int:
    return int(_quantity(text))


def _status(found: ApiPod) -> tuple[str, str]:
    """Return the word that kubectl has for it, and why."""
    status = found.status
    if found.metadata.deletion_timestamp is not None:
        return "Terminating", ""
    if status.reason:
        return status.reason, status.message
    for number, one in enumerate(status.init_container_statuses):
        ended, waits = one.state.terminated, one.state.waiting
        if ended is not None and ended.exit_code == 0:
            continue
        if ended is not None:
            return f"Init:{ended.reason or 'Error'}", ended.message
        if waits is not None and waits.reason not in ("", "PodInitializing"):
            return f"Init:{waits.reason}", waits.message
        return f"Init:{number}/{len(status.init_container_statuses)}", ""
    for one in status.container_statuses:
        if one.state.waiting is not None and one.state.waiting.reason:
            return one.state.waiting.reason, one.state.waiting.message
    for one in status.container_statuses:
        ended = one.state.terminated
        if ended is not None and (ended.exit_code != 0 or status.phase != "Running"):
            return ended.reason or ("Completed" if ended.exit_code == 0 else "Error"), ended.message
    why = next((c.message for c in status.conditions if c.status == "False" and c.message), "")
    return status.phase or "Unknown", why


#: Words of a wait that is no trouble yet.
_BEGINNING = {"ContainerCreating", "PodInitializing", "Pending", "Terminating"}


def _health(found: ApiPod, word: str, containers: tuple[Container, ...]) -> Health:
    if found.metadata.deletion_timestamp is not None:
        return Health.WAITING
    if found.status.phase == "Succeeded":
        return Health.DONE
    if word == "Running":
        return Health.OK if all(one.is_ready for one in containers) else Health.WAITING
    begins = word in _BEGINNING or (word.startswith("Init:") and word[5:6].isdigit())
    return Health.WAITING if begins else Health.FAILING


def _container(spec: _SpecContainer, found: _ContainerStatus | None) -> Container:
    if found is None:
        return Container(name=spec.name, image=spec.image, state="Waiting")
    return Container(
        name=spec.name,
        image=spec.image,
        state=_word(found.state),
        is_ready=found.ready,
        restarts=found.restart_count,
    )


def _word(state: _State) -> str:
    if state.waiting is not None:
        return state.waiting.reason or "Waiting"
    if state.terminated is not None:
        return state.terminated.reason or "Terminated"
    return "Running" if state.running is not None else "Waiting"


def _quantity(text: str) -> Decimal:
    """Return the number; 0 where it is none."""
    found = _QUANTITY.fullmatch(text)
    if found is None or found[2] not in _FACTORS:
        return Decimal(0)
    return Decimal(found[1]) * _FACTORS[found[2]]
