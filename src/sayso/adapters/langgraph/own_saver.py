"""A graph's own checkpointer, where it keeps more than the process does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.pregel import Pregel


def own_saver(graph: Pregel[Any, Any, Any, Any]) -> BaseCheckpointSaver[Any] | None:
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
