"""What happens in a chat: one frozen class per event, numbered by `seq`, encoded once.

On the wire an event is `{"seq", "type", "at", "by"?, "data"}`; `by` is the person who caused it. An
unknown type is skipped by readers; a known type with a wrong body is an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from sayso.core.cards import Display
from sayso.core.digest import JsonObject
from sayso.core.messages import Said
from sayso.core.record import Outcome, UsedRule
from sayso.core.tool_ui import ToolUi
from sayso.core.usage import Usage


class EventData(BaseModel):
    """The body of an event."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    type: ClassVar[str]

    def as_json(self) -> JsonObject:
        """Return the body without what was left out; a null that was given stays."""
        fields = type(self).model_fields
        body: JsonObject = self.model_dump(mode="json")
        return {k: v for k, v in body.items() if v is not None or fields[k].is_required()}


class SaidEvent(EventData, Said):
    """An event with a text that may be the server's own."""


class MessageStatus(StrEnum):
    COMPLETE = "complete"
    QUEUED = "queued"
    INTERRUPTED = "interrupted"


class MessageWritten(EventData):
    """A message with its whole text. It closes the text still being written under its id."""

    type = "chat.message"
    message_id: str
    role: Literal["user", "assistant", "system"]
    content: str
    agent_name: str | None = None
    run_id: str | None = None
    client_message_id: str | None = None
    status: MessageStatus = MessageStatus.COMPLETE
    metadata: JsonObject = Field(default_factory=dict)


class ToolCalled(EventData):
    type = "chat.tool_call"
    tool_call_id: str
    name: str
    arguments: JsonObject
    run_id: str
    agent_name: str | None = None
    #: After which call of the model in its run, from 1.
    round: int | None = None


class ToolCallStatus(StrEnum):
    RUNNING = "running"
    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"
    REJECTED = "rejected"
    DENIED = "denied"
    UNCERTAIN = "uncertain"
    NOT_EXECUTED = "not_executed"
    CANCELLED = "cancelled"


class ToolReturned(SaidEvent):
    """How a call ended, with the arguments that really ran (a person may have changed them)."""

    type = "chat.tool_result"
    text_field = "error"

    tool_call_id: str
    status: ToolCallStatus
    result: JsonValue = None
    error: str | None = None
    arguments: JsonObject | None = None
    #: Set where its model got less than the whole of a long result.
    truncated: bool | None = None
    #: How long its body ran; None where none did, or where that cannot be told from waiting.
    ran_seconds: float | None = None
    #: Digest of the proposal that was approved, and of the one that ran, where there was one.
    shown_digest: str | None = None
    executed_digest: str | None = None
    #: What this is to the card on which a person allowed it. The card itself tells the decision.
    outcome: Outcome | None = None
    #: The rule of a person that answered instead of them.
    rule: UsedRule | None = None


class ToolUiOpened(EventData):
    """A tool's own UI (an MCP App), beside its call."""

    type = "chat.tool_ui"
    tool_call_id: str
    ui: ToolUi


class UiToolOpened(EventData):
    """A card. The same eventId again replaces the payload of a card that is
    still open."""

    type = "chat.ui_tool"
    ui_tool_id: str
    eventId: str
    workflow_name: str
    display: Display
    payload: JsonObject
    #: What its message carries beside the card.
    metadata: JsonObject | None = None


class _Settled(SaidEvent):
    text_field = "summary"


class UiToolCompleted(_Settled):
    """A card reached an end: completed, rejected, cancelled or superseded."""

    type = "chat.ui_tool_complete"
    eventId: str
    ui_tool_id: str
    display: Display
    status: Literal["completed", "rejected", "cancelled", "superseded"]
    summary: str


class UiToolDismissed(_Settled):
    type = "chat.ui_tool_dismiss"
    eventId: str
    ui_tool_id: str
    display: Display
    status: Literal["dismissed"] = "dismissed"
    summary: str


class UiToolExpired(_Settled):
    type = "chat.ui_tool_expire"
    eventId: str
    ui_tool_id: str
    display: Display
    status: Literal["expired"] = "expired"
    summary: str


class ArtifactChanged(EventData):
    """A versioned result beside the chat. The event carries the whole new version.

    A segment leaves the number to the store (0): people may have changed the artifact meanwhile.
    """

    type = "chat.artifact"
    id: str
    ui_tool_id: str
    title: str
    content: JsonValue
    version: int


class RequirementsChanged(EventData):
    type = "chat.requirements"
    requirements: JsonObject


class StageState(StrEnum):
    TODO = "todo"
    CURRENT = "current"
    DONE = "done"


class Stage(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    label: str
    state: StageState = StageState.TODO


class ProgressMade(EventData):
    type = "chat.progress"
    stages: list[Stage] = Field(default_factory=list)
    current: str | None = None
    fraction: float | None = Field(default=None, ge=0, le=1)
    note: str | None = None


class ReasoningShown(EventData):
    """What a model has thought before it replied, where the application shows that. It is no item
    of the chat's view."""

    type = "chat.reasoning"
    run_id: str
    text: str
    agent_name: str | None = None
    #: How long it was; `text` may be the beginning of it.
    characters: int


#: What a turn behind the gate goes through: what is wanted, what is missing, asking for it,
#: running, putting the results together.
Phase = Literal[
    "intent_classification",
    "requirement_checking",
    "clarification_collection",
    "branch_execution",
    "result_aggregation",
]


class PhaseEntered(EventData):
    """A phase of a turn behind the gate has begun. It is no item of the chat's view."""

    type = "chat.phase"
    run_id: str
    phase: Phase


class RunMoved(SaidEvent):
    """A run changed its state. `reason` says why it was cancelled, or when it is tried again;
    `error` why it failed; `usage`, once it has ended, what its models were asked for."""

    type = "chat.run"
    text_field = "reason"

    run_id: str
    task_id: str
    status: Literal["ready", "running", "waiting", "completed", "failed", "cancelled"]
    reason: str | None = None
    error: JsonObject | None = None
    usage: Usage | None = None


class ErrorShown(EventData):
    """An error card: critical or recoverable. It asks for nothing and holds nothing up."""

    type = "chat.error"
    message_id: str
    ui_tool_id: Literal["critical_failure", "recoverable_error"]
    agent_name: str
    run_id: str | None = None
    payload: JsonObject


class PreferenceSet(EventData):
    type = "chat.preference"
    key: str
    value: JsonValue


class ChatTitled(EventData):
    type = "chat.title"
    title: str


EVENT_TYPES: dict[str, type[EventData]] = {
    cls.type: cls
    for cls in (
        MessageWritten,
        ToolCalled,
        ToolReturned,
        ToolUiOpened,
        UiToolOpened,
        UiToolCompleted,
        UiToolDismissed,
        UiToolExpired,
        ArtifactChanged,
        RequirementsChanged,
        ProgressMade,
        ReasoningShown,
        PhaseEntered,
        RunMoved,
        ErrorShown,
        PreferenceSet,
        ChatTitled,
    )
}


@dataclass(frozen=True, slots=True)
class ChatEvent:
    """One durable line of a chat's log."""

    seq: int
    at: datetime
    data: EventData
    by: str | None = None

    @property
    def type(self) -> str:
        return self.data.type

    def as_json(self) -> JsonObject:
        wire: JsonObject = {"seq": self.seq, "type": self.data.type, "at": self.at.isoformat()}
        if self.by is not None:
            wire["by"] = self.by
        wire["data"] = self.data.as_json()
        return wire


def read_event(wire: Mapping[str, Any]) -> ChatEvent | None:
    """The event of a wire object, or None for a type this version does not know."""
    cls = EVENT_TYPES.get(wire["type"])
    if cls is None:
        return None
    return ChatEvent(
        seq=wire["seq"],
        at=datetime.fromisoformat(wire["at"]),
        data=cls.model_validate(wire["data"]),
        by=wire.get("by"),
    )


# ── live only: never numbered, never stored as events ──


@dataclass(frozen=True, slots=True)
class TextDelta:
    """Text still being written. `offset` counts Unicode code points; deltas may overlap and may be
    merged."""

    message_id: str
    offset: int
    text: str
    agent_name: str | None = None

    def as_json(self) -> JsonObject:
        return {"type": "chat.delta", "data": asdict(self)}


@dataclass(frozen=True, slots=True)
class OpenText:
    """The whole of an open text, told once when a client connects (`chat.live`)."""

    message_id: str
    text: str
    agent_name: str | None = None
    run_id: str | None = None

    def as_json(self) -> JsonObject:
        return {
            "type": "chat.live",
            "data": {
                "message_id": self.message_id,
                "text": self.text,
                "agent_name": self.agent_name,
            },
        }


@dataclass(frozen=True, slots=True)
class Draft:
    """What a person has typed into a card and not sent; shown on that person's other devices."""

    interaction_id: str
    person: str
    content: JsonObject

    def as_json(self) -> JsonObject:
        return {
            "type": "chat.draft",
            "data": {"interaction_id": self.interaction_id, "content": self.content},
        }
