"""What a person asks for in one turn, and what comes of it: the tasks of the session API, and their
stream of typed chunks, the last one marked final."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, JsonValue

from sayso.core.digest import JsonObject, digest
from sayso.core.interactions import InteractionRequest


class ExecutionMode(StrEnum):
    """SYNC runs and returns; ASYNC_STREAM streams and refuses to pause; INTERACTIVE may wait for
    people."""

    SYNC = "sync"
    ASYNC_STREAM = "async_stream"
    INTERACTIVE = "interactive"


class UniversalMessage(BaseModel):
    """One message in the form every framework can be given."""

    model_config = ConfigDict(frozen=True)

    role: Literal["user", "assistant", "system", "tool"]
    content: str
    name: str | None = None
    metadata: JsonObject = Field(default_factory=dict)


class ExecutionConfig(BaseModel):
    """How a task may run. Raises ValidationError for what it does not know, rather than leave it
    out in silence."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    execution_mode: ExecutionMode = ExecutionMode.INTERACTIVE
    timeout_seconds: float | None = Field(default=None, gt=0)
    metadata: JsonObject = Field(default_factory=dict)


class ExecutionContext(BaseModel):
    """Who asks, and where: the tenant, the chat and the person."""

    model_config = ConfigDict(frozen=True)

    app_id: str = "default"
    chat_id: str | None = None
    user: str | None = None
    metadata: JsonObject = Field(default_factory=dict)


class TaskRequest(BaseModel):
    """One turn's work.

    `available_tools` holds tools, functions or names; only names are stored, so a process that goes
    on later must know the same tools. `context` is the request's own data (a location, a page).
    """

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)

    task_id: str
    task_type: str = "chat"
    messages: list[UniversalMessage]
    available_tools: list[Any] = Field(default_factory=list)
    execution_config: ExecutionConfig = Field(default_factory=ExecutionConfig)
    context: JsonObject = Field(default_factory=dict)

    def content_digest(self) -> str:
        """Two requests with one id are the same task exactly when this is equal."""
        return digest(self.stored())

    def stored(self) -> JsonObject:
        """Return the JSON that is kept: tools by name."""
        body = self.model_dump(mode="json", exclude={"available_tools"})
        body["available_tools"] = [tool_name(tool) for tool in self.available_tools]
        return body

    @property
    def words(self) -> str:
        """What the person said last."""
        return next((m.content for m in reversed(self.messages) if m.role == "user"), "")


class TaskStatus(StrEnum):
    COMPLETED = "completed"
    WAITING = "waiting"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskResult:
    """What came of a task. While it waits, `interactions` says for whom and `state` lets any
    process go on."""

    task_id: str
    status: TaskStatus
    output: str = ""
    messages: list[UniversalMessage] = field(default_factory=list)
    interactions: list[InteractionRequest] = field(default_factory=list)
    state: bytes | None = None
    error: JsonObject | None = None
    metadata: dict[str, JsonValue] = field(default_factory=dict)
    finished_at: AwareDatetime | datetime = field(default_factory=lambda: datetime.now(UTC))


def tool_name(tool: Any) -> str:
    """The name a tool is known by: its own `name`, its function's name, or the string itself."""
    if isinstance(tool, str):
        return tool
    return str(getattr(tool, "name", None) or getattr(tool, "__name__", type(tool).__name__))


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
        as_text = {"chunk_type": self.chunk_type.value, "timestamp": self.timestamp.isoformat()}
        return {**asdict(self), **as_text}


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
