"""A chat as it is seen: a head (the chat's own facts) and items (messages, tool calls, artifacts).

Each item has `as_of`, the seq up to which it is current.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from sayso.core.digest import JsonObject, object_in
from sayso.core.events import MessageStatus, ToolCallStatus
from sayso.core.record import UsedRule
from sayso.core.tool_ui import ToolUi
from sayso.core.usage import Usage


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RunView(_Part):
    run_id: str
    task_id: str
    status: str
    since: str
    reason: str | None = None
    error: JsonObject | None = None
    #: What says the reason in other languages, where it is the server's own.
    code: str | None = None
    params: JsonObject | None = None
    #: What its models were asked for, once it has ended.
    usage: Usage | None = None


class Head(_Part):
    """The facts of a chat that are not items."""

    id: str
    app_id: str
    seq: int = 0
    log_id: str = ""
    agent: str = ""
    title: str = ""
    created_at: str = ""
    #: The newest run, open or ended.
    run: RunView | None = None
    progress: JsonObject | None = None
    requirements: JsonObject | None = None
    preferences: JsonObject = Field(default_factory=dict)


class MessageItem(_Part):
    """A message of the chat. `event_id` is its identity; a card's is its interaction's."""

    kind: Literal["message"] = "message"
    event_id: str
    sequence: int
    as_of: int
    role: str
    agent_name: str | None = None
    content: str
    timestamp: str
    status: MessageStatus = MessageStatus.COMPLETE
    run_id: str | None = None
    metadata: JsonObject = Field(default_factory=dict)

    @property
    def id(self) -> str:
        return self.event_id

    @property
    def is_open(self) -> bool:
        """Open items stand on every first page, however old they are."""
        return self.status is MessageStatus.QUEUED or self.is_pending

    @property
    def is_pending(self) -> bool:
        """Whether it is a card that waits for its answer."""
        return self.ui_tool.get("ui_tool_status") == "pending"

    @property
    def ui_tool(self) -> JsonObject:
        """What the metadata says of its card; empty where it has none."""
        return object_in(self.metadata.get("ui_tool"))


class ToolCallItem(_Part):
    kind: Literal["tool_call"] = "tool_call"
    tool_call_id: str
    sequence: int
    as_of: int
    name: str
    arguments: JsonObject
    run_id: str
    agent_name: str | None = None
    timestamp: str
    status: ToolCallStatus = ToolCallStatus.RUNNING
    result: JsonValue = None
    error: str | None = None
    #: What says the error in other languages, where it is the server's own.
    code: str | None = None
    params: JsonObject | None = None
    finished_at: str | None = None
    #: How long its body ran, which is not how long a person thought about it.
    ran_seconds: float | None = None
    #: What the model had asked for, when a person changed it.
    asked_arguments: JsonObject | None = None
    #: The rule of a person that answered instead of them.
    rule: UsedRule | None = None
    ui: ToolUi | None = None

    @property
    def id(self) -> str:
        return self.tool_call_id

    @property
    def is_open(self) -> bool:
        return self.status in (ToolCallStatus.RUNNING, ToolCallStatus.WAITING)


class ArtifactItem(_Part):
    kind: Literal["artifact"] = "artifact"
    artifact_id: str
    sequence: int
    as_of: int
    ui_tool_id: str
    title: str
    content: JsonValue
    version: int
    updated_at: str
    updated_by: str | None = None

    @property
    def id(self) -> str:
        return self.artifact_id

    @property
    def is_open(self) -> bool:
        return True


Item = MessageItem | ToolCallItem | ArtifactItem


class LiveText(_Part):
    message_id: str
    text: str
    agent_name: str | None = None


class ChatView(Head):
    """What a client draws. The lists are in the order of `sequence`; `before` is the cursor to
    older items."""

    messages: list[MessageItem] = Field(default_factory=list)
    tool_calls: list[ToolCallItem] = Field(default_factory=list)
    artifacts: list[ArtifactItem] = Field(default_factory=list)
    #: Texts still being written, drawn after everything durable.
    live: list[LiveText] = Field(default_factory=list)
    #: Load `?before=` this seq for older items; None when the first item is here.
    before: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatSummary:
    """A line in the list of chats."""

    head: Head
    updated_at: datetime
    pending: int

    def as_json(self) -> JsonObject:
        return {
            "id": self.head.id,
            "title": self.head.title,
            "agent": self.head.agent,
            "seq": self.head.seq,
            "created_at": self.head.created_at,
            "updated_at": self.updated_at.isoformat(),
            "pending": self.pending,
            "run": self.head.run.model_dump(mode="json", exclude_none=True)
            if self.head.run
            else None,
        }
