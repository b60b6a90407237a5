"""What is saved of a run, and of an agent's memory: the graph's checkpoints, or where its own
checkpointer keeps them.

Sayso's checkpointer puts everything that LangGraph saves of a run into one blob, in the run's row:
the newest checkpoint of each namespace, with its pending writes, which is what a resume needs, and
no more. It loads strictly: a type that the graph's schemas do not name is never imported.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import ormsgpack
from langchain_core.runnables import RunnableConfig
from langgraph._internal._serde import build_serde_allowlist
from langgraph.channels import DeltaChannel
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.event_hooks import SerdeEvent, register_serde_event_listener
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.serde.types import INTERRUPT
from langgraph.graph.state import CompiledStateGraph
from langgraph.pregel import Pregel
from langgraph.types import Interrupt
from pydantic_core import to_jsonable_python

from sayso.adapters.langgraph.create_agent import Graph, response_types
from sayso.adapters.state_codec import SavedFields, StateCodec
from sayso.adapters.turn import within
from sayso.core.errors import StateUnreadable

CODEC = StateCodec(
    framework="langgraph",
    distribution="langgraph",
    format=1,
    pack=ormsgpack.packb,
    unpack=ormsgpack.unpackb,
)


@dataclass
class GraphState(SavedFields):
    codec: ClassVar[StateCodec] = CODEC

    thread: str
    checkpoints: bytes = b""
    checkpoint_id: str = ""
    turns: int = 0
    #: The messages that were said, by id, with a digest of the text of those that were streamed, so
    #: that no node's output says them again.
    said: dict[str, str] = field(default_factory=dict)
    #: The nodes that are next, while the run waits.
    next: list[str] = field(default_factory=list)


_blocked: ContextVar[list[str] | None] = ContextVar("sayso_blocked_types", default=None)


def _note_blocked(event: SerdeEvent) -> None:
    seen = _blocked.get()
    if seen is not None and event["kind"] in ("msgpack_blocked", "msgpack_method_blocked"):
        seen.append(f"{event['module']}.{event['name']}")


register_serde_event_listener(_note_blocked)


class _StrictSerde(JsonPlusSerializer):
    """Raises where LangGraph would give the graph raw data in place of a type it may not load."""

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        with within(_blocked, list[str]()) as blocked:
            value = super().loads_typed(data)
        if blocked:
            raise StateUnreadable(
                f"The saved state holds a {blocked[0]}, which the graph's schemas do not name.",
                fix=f"Name {blocked[0]} as the type of its field in the graph's state.",
            )
        return value


class StateSaver(InMemorySaver):
    """A checkpointer for one run of one graph."""

    def __init__(self, graph: Graph) -> None:
        if graph not in _known:
            _known[graph] = _look_at(graph)
        types, self._keeps_all = _known[graph]
        super().__init__(serde=_StrictSerde(allowed_msgpack_modules=types))

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        new = super().put(config, checkpoint, metadata, new_versions)
        if not self._keeps_all:
            where = config["configurable"]
            self._forget_before(where["thread_id"], where["checkpoint_ns"], checkpoint)
        return new

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Keep of what an interrupt shows what can be shown: the graph never sees it again, and
        may show objects of classes that are not loaded here."""
        kept = [
            (channel, _shown(value) if channel == INTERRUPT else value) for channel, value in writes
        ]
        super().put_writes(config, kept, task_id, task_path)

    def _forget_before(self, thread: str, ns: str, checkpoint: Checkpoint) -> None:
        """Drop what the new checkpoint supersedes, and the graphs of the tasks that led to it."""
        inner = f"{ns}|" if ns else ""
        ended = {n for n in self.storage[thread] if n != ns and _is_task(n, inner)}
        for name in ended:
            del self.storage[thread][name]
        kept = self.storage[thread][ns]
        for old in [one for one in kept if one < checkpoint["id"]]:
            del kept[old]
        for key in [k for k in self.writes if k[1] in ended or k[1] == ns]:
            if key[1] in ended or key[2] < checkpoint["id"]:
                del self.writes[key]
        versions = checkpoint["channel_versions"]
        for blob in [b for b in self.blobs if b[1] in ended or b[1] == ns]:
            if blob[1] in ended or versions.get(blob[2]) != blob[3]:
                del self.blobs[blob]

    def dump(self) -> bytes:
        body = {
            "checkpoints": [
                [thread, ns, id_, *saved]
                for thread, spaces in self.storage.items()
                for ns, checkpoints in spaces.items()
                for id_, saved in checkpoints.items()
            ],
            "writes": [
                [*place, index, *write]
                for place, writes in self.writes.items()
                for (_, index), write in writes.items()
            ],
            "blobs": [[*key, value] for key, value in self.blobs.items()],
        }
        return ormsgpack.packb(body)

    def load(self, raw: bytes) -> None:
        """Read what `dump` wrote. Raises ValueError, KeyError or TypeError for other bytes."""
        body = ormsgpack.unpackb(raw)
        for thread, ns, id_, checkpoint, metadata, parent in body["checkpoints"]:
            self.storage[thread][ns][id_] = (_pair(checkpoint), _pair(metadata), parent)
        for thread, ns, id_, index, task_id, channel, value, path in body["writes"]:
            write = (task_id, channel, _pair(value), path)
            self.writes[thread, ns, id_][task_id, index] = write
        for thread, ns, channel, version, value in body["blobs"]:
            self.blobs[thread, ns, channel, version] = _pair(value)


def _shown(interrupts: Sequence[Interrupt]) -> tuple[Interrupt, ...]:
    return tuple(
        replace(one, value=to_jsonable_python(one.value, fallback=str)) for one in interrupts
    )


def _pair(value: Any) -> tuple[str, bytes]:
    kind, raw = value
    return kind, raw


def _is_task(ns: str, inner: str) -> bool:
    """Tell whether it is the namespace of one task's graph; a subgraph with a memory of its own has
    no task id."""
    return ns.startswith(inner) and ":" in ns.removeprefix(inner)


def _look_at(graph: Graph) -> tuple[set[tuple[str, ...]], bool]:
    """Return the types that the graph's schemas name (LangGraph's own list for its strict mode),
    and whether it has a delta channel, which is read from all of its ancestors' writes."""
    allowed: set[tuple[str, ...]] = set()
    deltas = False
    for one in (graph, *(sub for _, sub in graph.get_subgraphs(recurse=True))):
        if not isinstance(one, Pregel):
            continue
        schemas = response_types(one)
        if isinstance(one, CompiledStateGraph):
            builder = one.builder
            schemas += [builder.state_schema, builder.input_schema, builder.output_schema]
            schemas += [node.input_schema for node in builder.nodes.values()]
        allowed |= build_serde_allowlist(schemas=schemas, channels=dict(one.channels))
        deltas = deltas or any(
            isinstance(channel, DeltaChannel) for channel in one.channels.values()
        )
    return allowed, deltas


_known: WeakKeyDictionary[Graph, tuple[set[tuple[str, ...]], bool]] = WeakKeyDictionary()


# ── a graph's own checkpointer ──


def own_saver(graph: Graph) -> BaseCheckpointSaver[Any] | None:
    """Return the graph's checkpointer; None where it has none, or one in memory alone, which the
    framework's examples have since a graph cannot interrupt without any."""
    saver = graph.checkpointer
    if not isinstance(saver, BaseCheckpointSaver) or type(saver) is InMemorySaver:
        return None
    return InThreads(saver) if _is_only_sync(saver) else saver


class InThreads(BaseCheckpointSaver[Any]):
    """A checkpointer without async methods (SqliteSaver, PostgresSaver), called in threads: one
    call at a time, as its database connection expects."""

    def __init__(self, saver: BaseCheckpointSaver[Any]) -> None:
        super().__init__(serde=saver.serde)
        self._saver, self._lock = saver, asyncio.Lock()

    @property
    def config_specs(self) -> list[Any]:
        return self._saver.config_specs

    def get_next_version(self, current: Any, channel: None) -> Any:
        return self._saver.get_next_version(current, channel)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        async with self._lock:
            return await asyncio.to_thread(self._saver.get_tuple, config)

    async def alist(
        self, config: RunnableConfig | None, **options: Any
    ) -> AsyncIterator[CheckpointTuple]:
        async with self._lock:
            found = await asyncio.to_thread(lambda: list(self._saver.list(config, **options)))
        for one in found:
            yield one

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        async with self._lock:
            return await asyncio.to_thread(
                self._saver.put, config, checkpoint, metadata, new_versions
            )

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        async with self._lock:
            await asyncio.to_thread(self._saver.put_writes, config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        async with self._lock:
            await asyncio.to_thread(self._saver.delete_thread, thread_id)


def _is_only_sync(saver: BaseCheckpointSaver[Any]) -> bool:
    """Tell whether its async methods only say that they are missing, as SqliteSaver's do."""
    kind = type(saver)
    if kind.aget_tuple is BaseCheckpointSaver.aget_tuple:
        return True
    return kind.__name__ == "SqliteSaver" and kind.__module__ == "langgraph.checkpoint.sqlite"
