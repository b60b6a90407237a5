"""The fold: what you see of a chat is fold(durable events) with the text still being written drawn
last.

A view is a head (facts of the chat) and items (messages, tool calls, artifacts), each with `as_of`,
the seq up to which it is current; an event applies to an item only above it. So a snapshot taken at
any seq, of any page, plus the events after it, is the same as the fold of all events. The store
keeps items by this very reducer, and `web/packages/core/src/fold.ts` is held equal to it by the
vectors in `tests/vectors/`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from sayso.core.cards import Display
from sayso.core.digest import JsonObject
from sayso.core.events import (
    ArtifactChanged,
    ChatEvent,
    ChatTitled,
    ErrorShown,
    EventData,
    MessageStatus,
    MessageWritten,
    OpenText,
    PreferenceSet,
    ProgressMade,
    RequirementsChanged,
    RunMoved,
    Stage,
    StageState,
    TextDelta,
    ToolCalled,
    ToolCallStatus,
    ToolReturned,
    ToolUiOpened,
    UiToolCompleted,
    UiToolDismissed,
    UiToolExpired,
    UiToolOpened,
)


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RunView(_Part):
    run_id: str
    task_id: str
    status: str
    since: str
    reason: str | None = None
    error: JsonObject | None = None


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
    """Seed 2's message. `event_id` is its identity; a card's is its interaction's."""

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
        return self.status is MessageStatus.QUEUED or _is_pending(self.metadata)


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
    finished_at: str | None = None
    #: What the model had asked for, when a person changed it.
    asked_arguments: JsonObject | None = None
    ui: JsonObject | None = None

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
HeadT = TypeVar("HeadT", bound=Head)


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


def fold(view: ChatView, events: Iterable[ChatEvent]) -> ChatView:
    """The view after these events; events at or below an item's `as_of` change nothing."""
    for event in events:
        view = apply(view, event)
    return view


def apply(view: ChatView, event: ChatEvent) -> ChatView:
    head = reduce_head(view, event)
    target = target_of(event.data)
    if target is None:
        return head
    kind, item_id = target
    items: list[Item] = list(getattr(head, _LISTS[kind]))
    place = next((i for i, item in enumerate(items) if item.id == item_id), None)
    if place is None and event.seq <= view.seq:
        # The view is as new as the event and the item is not here: it stands on an older page.
        return head
    old = items[place] if place is not None else None
    new = reduce_item(old, event)
    if new is None:
        return head
    if place is None:
        items.append(new)
        items.sort(key=lambda item: item.sequence)
    else:
        items[place] = new
    update: dict[str, object] = {_LISTS[kind]: items}
    if isinstance(event.data, MessageWritten):
        update["live"] = [text for text in head.live if text.message_id != item_id]
    return head.model_copy(update=update)


_LISTS = {"message": "messages", "tool_call": "tool_calls", "artifact": "artifacts"}


def target_of(data: EventData) -> tuple[str, str] | None:
    """Which item an event is about, as (kind, id); None when it is about the chat itself."""
    match data:
        case MessageWritten(message_id=item_id) | ErrorShown(message_id=item_id):
            return "message", item_id
        case UiToolOpened() | UiToolCompleted() | UiToolDismissed() | UiToolExpired():
            return "message", data.eventId
        case ToolCalled() | ToolReturned() | ToolUiOpened():
            return "tool_call", data.tool_call_id
        case ArtifactChanged():
            return "artifact", data.id
        case _:
            return None


def reduce_head(head: HeadT, event: ChatEvent) -> HeadT:
    """The chat's own facts after one event."""
    if event.seq <= head.seq:
        return head
    update: dict[str, object] = {"seq": event.seq}
    match event.data:
        case RunMoved() as moved:
            update["run"] = RunView(
                run_id=moved.run_id,
                task_id=moved.task_id,
                status=moved.status,
                since=event.at.isoformat(),
                reason=moved.reason,
                error=moved.error,
            )
        case ChatTitled(title=title):
            update["title"] = title
        case ProgressMade() as made:
            update["progress"] = made.model_dump(mode="json", exclude_none=True)
        case RequirementsChanged(requirements=requirements):
            update["requirements"] = requirements
        case PreferenceSet(key=key, value=value):
            update["preferences"] = {**head.preferences, key: value}
        case UiToolOpened(payload=payload) if head.progress is not None:
            stage = _stage_of(payload)
            if stage is not None:
                update["progress"] = at_stage(head.progress, stage)
        case _:
            pass
    return head.model_copy(update=update)


def reduce_item(item: Item | None, event: ChatEvent) -> Item | None:
    """The item after one event; None when the event is about an item that is not here and does not
    make one."""
    if item is not None and event.seq <= item.as_of:
        return item
    data = event.data
    match data:
        case MessageWritten():
            return _message(item, event, data)
        case UiToolOpened():
            return _card(item, event, data)
        case ErrorShown():
            return _error(item, event, data)
        case UiToolCompleted() | UiToolDismissed() | UiToolExpired():
            return _settled(item, event, data)
        case ToolCalled():
            return _tool_call(item, event, data)
        case ToolReturned():
            return _tool_result(item, event, data)
        case ToolUiOpened() if isinstance(item, ToolCallItem):
            return item.model_copy(update={"ui": data.ui, "as_of": event.seq})
        case ArtifactChanged():
            return _artifact(item, event, data)
        case _:
            return item


def overlay(view: ChatView, text: TextDelta | OpenText) -> ChatView | None:
    """The view with more of a text still being written; None when a piece is missing and a sync is
    due."""
    if any(m.event_id == text.message_id for m in view.messages):
        return view
    known = next((t for t in view.live if t.message_id == text.message_id), None)
    if isinstance(text, OpenText):
        whole = text.text if known is None or len(text.text) >= len(known.text) else known.text
    else:
        have = known.text if known is not None else ""
        if text.offset > len(have):
            return None
        whole = have + text.text[len(have) - text.offset :]
    entry = LiveText(message_id=text.message_id, text=whole, agent_name=text.agent_name)
    if known is None:
        return view.model_copy(update={"live": [*view.live, entry]})
    live = [entry if t.message_id == text.message_id else t for t in view.live]
    return view.model_copy(update={"live": live})


def merge_page(view: ChatView, older: ChatView, since: Iterable[ChatEvent] = ()) -> ChatView:
    """The view with an older page laid under it; where both hold an item, the more current one
    stays.

    `since` is what came while the page was on its way: the view had no such items to apply it to.
    """
    pages: dict[str, dict[str, Item]] = {
        kind: {item.id: item for item in getattr(older, name)} for kind, name in _LISTS.items()
    }
    for event in since:
        kind, item_id = target_of(event.data) or ("", "")
        item = pages.get(kind, {}).get(item_id)
        if item is not None:
            pages[kind][item_id] = reduce_item(item, event) or item
    update: dict[str, object] = {"before": older.before}
    for kind, by_id in pages.items():
        for item in getattr(view, _LISTS[kind]):
            if item.id not in by_id or by_id[item.id].as_of < item.as_of:
                by_id[item.id] = item
        update[_LISTS[kind]] = sorted(by_id.values(), key=lambda item: item.sequence)
    return view.model_copy(update=update)


def at_stage(progress: JsonObject, stage: str) -> JsonObject:
    """Progress moved to a stage: those before it are done, those after it are still to do."""
    stages = [Stage.model_validate(s) for s in progress.get("stages") or ()]  # type: ignore[union-attr]
    place = next((i for i, s in enumerate(stages) if s.id == stage), None)
    if place is None:
        return {**progress, "current": stage}
    states = [
        StageState.DONE if i < place else StageState.CURRENT if i == place else StageState.TODO
        for i in range(len(stages))
    ]
    moved = [
        s.model_copy(update={"state": state}).model_dump(mode="json")
        for s, state in zip(stages, states, strict=True)
    ]
    return {**progress, "stages": list[JsonValue](moved), "current": stage}


def _message(item: Item | None, event: ChatEvent, data: MessageWritten) -> MessageItem:
    return MessageItem(
        event_id=data.message_id,
        sequence=item.sequence if item is not None else event.seq,
        as_of=event.seq,
        role=data.role,
        agent_name=data.agent_name,
        content=data.content,
        timestamp=event.at.isoformat(),
        status=data.status,
        run_id=data.run_id,
        metadata=data.metadata,
    )


def _card(item: Item | None, event: ChatEvent, data: UiToolOpened) -> MessageItem | None:
    if isinstance(item, MessageItem):
        if not _is_pending(item.metadata):
            return item
        tool = {**_ui_tool(item), "payload": data.payload}
        return item.model_copy(
            update={"as_of": event.seq, "metadata": {**item.metadata, "ui_tool": tool}}
        )
    asks = _sayso(data.payload).get("interaction_type") is not None
    return MessageItem(
        event_id=data.eventId,
        sequence=event.seq,
        as_of=event.seq,
        role="assistant",
        agent_name=data.workflow_name,
        content=_optional_str(data.payload.get("agent_message")) or "",
        timestamp=event.at.isoformat(),
        run_id=_optional_str(_sayso(data.payload).get("run_id")),
        metadata={
            "ui_tool": {
                "ui_tool_id": data.ui_tool_id,
                "event_id": data.eventId,
                "display": data.display.value,
                "ui_tool_completed": False,
                "ui_tool_status": "pending" if asks else "shown",
                "payload": data.payload,
                "timestamp": event.at.isoformat(),
            }
        },
    )


def _error(item: Item | None, event: ChatEvent, data: ErrorShown) -> MessageItem | None:
    opened = UiToolOpened(
        ui_tool_id=data.ui_tool_id,
        eventId=data.message_id,
        workflow_name=data.agent_name,
        display=Display.INLINE,
        payload=data.payload,
    )
    return _card(item, event, opened)


def _settled(
    item: Item | None, event: ChatEvent, data: UiToolCompleted | UiToolDismissed | UiToolExpired
) -> MessageItem | None:
    if not isinstance(item, MessageItem):
        return None
    tool = {
        **_ui_tool(item),
        "ui_tool_completed": True,
        "ui_tool_status": data.status,
        "response_summary": data.summary,
        "completed_at": event.at.isoformat(),
    }
    if event.by is not None:
        tool["completed_by"] = event.by
    if isinstance(data, UiToolDismissed):
        tool["ui_tool_dismissed"] = True
    return item.model_copy(
        update={"as_of": event.seq, "metadata": {**item.metadata, "ui_tool": tool}}
    )


def _tool_call(item: Item | None, event: ChatEvent, data: ToolCalled) -> ToolCallItem:
    return ToolCallItem(
        tool_call_id=data.tool_call_id,
        sequence=item.sequence if item is not None else event.seq,
        as_of=event.seq,
        name=data.name,
        arguments=data.arguments,
        run_id=data.run_id,
        agent_name=data.agent_name,
        timestamp=event.at.isoformat(),
    )


def _tool_result(item: Item | None, event: ChatEvent, data: ToolReturned) -> ToolCallItem | None:
    if not isinstance(item, ToolCallItem):
        return None
    ended = data.status not in (ToolCallStatus.RUNNING, ToolCallStatus.WAITING)
    update: dict[str, object] = {
        "as_of": event.seq,
        "status": data.status,
        "result": data.result,
        "error": data.error,
        "finished_at": event.at.isoformat() if ended else None,
    }
    if data.arguments is not None and not _same_json(data.arguments, item.arguments):
        update["asked_arguments"] = item.asked_arguments or item.arguments
        update["arguments"] = data.arguments
    return item.model_copy(update=update)


def _artifact(item: Item | None, event: ChatEvent, data: ArtifactChanged) -> ArtifactItem:
    return ArtifactItem(
        artifact_id=data.id,
        sequence=item.sequence if item is not None else event.seq,
        as_of=event.seq,
        ui_tool_id=data.ui_tool_id,
        title=data.title,
        content=data.content,
        version=data.version,
        updated_at=event.at.isoformat(),
        updated_by=event.by,
    )


def _ui_tool(item: MessageItem) -> JsonObject:
    tool = item.metadata.get("ui_tool")
    return tool if isinstance(tool, dict) else {}


def _is_pending(metadata: JsonObject) -> bool:
    tool = metadata.get("ui_tool")
    return isinstance(tool, dict) and tool.get("ui_tool_status") == "pending"


def _sayso(payload: JsonObject) -> JsonObject:
    own = payload.get("sayso")
    return own if isinstance(own, dict) else {}


def _stage_of(payload: JsonObject) -> str | None:
    context = payload.get("context")
    stage = context.get("workflow_stage") if isinstance(context, dict) else None
    return stage if isinstance(stage, str) else None


def _optional_str(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None


def _same_json(a: JsonValue, b: JsonValue) -> bool:
    """Equal as JSON, where true is not 1: Python's own == would hide such a change."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_same_json, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_same_json(a[key], b[key]) for key in a)
    return a == b
