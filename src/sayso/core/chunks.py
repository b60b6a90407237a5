"""The stream of a task in the session API: typed chunks, the last one marked final."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from pydantic import JsonValue

from sayso.core.digest import JsonObject


class TaskChunkType(StrEnum):
    PROCESSING = "processing"
    TOOL_CALL_REQUEST = "tool_call_request"
    TOOL_APPROVAL_REQUEST = "tool_approval_request"
    USER_INPUT_REQUEST = "user_input_request"
    RESPONSE = "response"
    PROGRESS = "progress"
    COMPLETE = "complete"
    ERROR = "error"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class TaskStreamChunk:
    """One chunk. `sequence_id` is the `seq` of its durable event; a text chunk carries the seq
    before it."""

    task_id: str
    chunk_type: TaskChunkType
    sequence_id: int
    content: str | dict[str, Any]
    timestamp: datetime = field(default_factory=lambda: datetime.now(UTC))
    is_final: bool = False
    metadata: dict[str, JsonValue] = field(default_factory=dict)

    def as_json(self) -> JsonObject:
        return {
            "task_id": self.task_id,
            "chunk_type": self.chunk_type.value,
            "sequence_id": self.sequence_id,
            "content": self.content,
            "timestamp": self.timestamp.isoformat(),
            "is_final": self.is_final,
            "metadata": self.metadata,
        }


def text_chunk(task_id: str, text: str, agent_name: str | None = None) -> TaskStreamChunk:
    """Return a piece of the answer's text, as an adapter yields it. `agent_name` where another
    agent speaks than the run's own: one of a team, or one it handed over to."""
    return TaskStreamChunk(
        task_id=task_id,
        chunk_type=TaskChunkType.RESPONSE,
        sequence_id=0,
        content=text,
        metadata={} if agent_name is None else {"agent_name": agent_name},
    )
