"""What one event makes of a chat's head, and of the one item that it is about.

A page folds with this (`testing/fold.py`), and the store keeps its rows by it, so the two cannot
differ.
"""

from __future__ import annotations

from typing import TypeVar

from pydantic import JsonValue

from sayso.core.cards import Display
from sayso.core.chat_view import ArtifactItem, Head, Item, MessageItem, RunView, ToolCallItem
from sayso.core.digest import JsonObject, object_in
from sayso.core.events import (
    ArtifactChanged,
    ChatEvent,
    ChatTitled,
    ErrorShown,
    EventData,
    MessageWritten,
    PreferenceSet,
    ProgressMade,
    RequirementsChanged,
    RunMoved,
    SaidEvent,
    Stage,
    StageState,
    ToolCalled,
    ToolCallStatus,
    ToolReturned,
    ToolUiOpened,
    UiToolCompleted,
    UiToolDismissed,
    UiToolExpired,
    UiToolOpened,
)
from sayso.core.record import Outcome

HeadT = TypeVar("HeadT", bound=Head)


def targets_of(data: EventData) -> tuple[tuple[str, str], ...]:
    """Return which items an event is about, as (kind, id); none when it is about the chat
    itself."""
    match data:
        case MessageWritten(message_id=item_id) | ErrorShown(message_id=item_id):
            return (("message", item_id),)
        case UiToolOpened() | UiToolCompleted() | UiToolDismissed() | UiToolExpired():
            return (("message", data.eventId),)
        case ToolReturned(outcome=Outcome() as outcome):
            # The end of a call is the outcome of the card on which it was allowed.
            return ("tool_call", data.tool_call_id), ("message", outcome.interaction_id)
        case ToolCalled() | ToolReturned() | ToolUiOpened():
            return (("tool_call", data.tool_call_id),)
        case ArtifactChanged():
            return (("artifact", data.id),)
        case _:
            return ()


def reduce_head(head: HeadT, event: ChatEvent) -> HeadT:
    """Return the chat's own facts after one event."""
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
                code=moved.code,
                params=moved.params,
                usage=moved.usage,
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
            stage = _optional_str(object_in(payload.get("context")).get("workflow_stage"))
            if stage is not None:
                update["progress"] = at_stage(head.progress, stage)
        case _:
            pass
    return head.model_copy(update=update)


def reduce_item(item: Item | None, event: ChatEvent) -> Item | None:
    """Return the item after one event; None when the event is about an item that is not here and
    does not make one."""
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
        case ToolReturned() if isinstance(item, MessageItem):
            return _outcome(item, event, data)
        case ToolReturned():
            return _tool_result(item, event, data)
        case ToolUiOpened() if isinstance(item, ToolCallItem):
            return item.model_copy(update={"ui": data.ui, "as_of": event.seq})
        case ArtifactChanged():
            return _artifact(item, event, data)
        case _:
            return item


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
        if not item.is_pending:
            return item
        return _with_card(item, event, {**item.ui_tool, "payload": data.payload})
    meta = object_in(data.payload.get("sayso"))
    asks = meta.get("interaction_type") is not None
    return MessageItem(
        event_id=data.eventId,
        sequence=event.seq,
        as_of=event.seq,
        role="assistant",
        agent_name=data.workflow_name,
        content=_optional_str(data.payload.get("agent_message")) or "",
        timestamp=event.at.isoformat(),
        run_id=_optional_str(meta.get("run_id")),
        metadata={
            **(data.metadata or {}),
            "ui_tool": {
                "ui_tool_id": data.ui_tool_id,
                "event_id": data.eventId,
                "display": data.display.value,
                "ui_tool_completed": False,
                "ui_tool_status": "pending" if asks else "shown",
                "payload": data.payload,
                "timestamp": event.at.isoformat(),
            },
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
    tool: JsonObject = {
        **item.ui_tool,
        "ui_tool_completed": True,
        "ui_tool_status": data.status,
        "response_summary": data.summary,
        "completed_at": event.at.isoformat(),
        **_says(data),
    }
    if event.by is not None:
        tool["completed_by"] = event.by
    if isinstance(data, UiToolDismissed):
        tool["ui_tool_dismissed"] = True
    return _with_card(item, event, tool)


def _outcome(item: MessageItem, event: ChatEvent, data: ToolReturned) -> MessageItem:
    if data.outcome is None or not item.ui_tool:
        return item
    outcome: JsonObject = data.outcome.model_dump(mode="json", exclude={"interaction_id"})
    outcome |= {"error": data.error, "at": event.at.isoformat(), **_says(data)}
    return _with_card(item, event, {**item.ui_tool, "outcome": outcome})


def _with_card(item: MessageItem, event: ChatEvent, tool: JsonObject) -> MessageItem:
    metadata = {**item.metadata, "ui_tool": tool}
    return item.model_copy(update={"as_of": event.seq, "metadata": metadata})


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
        "code": data.code,
        "params": data.params,
        "finished_at": event.at.isoformat() if ended else None,
        "ran_seconds": data.ran_seconds,
        "rule": data.rule,
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


def _says(data: SaidEvent) -> JsonObject:
    """Return the code and the parameters of its text, where it has them."""
    given: JsonObject = {"code": data.code, "params": data.params}
    return {name: value for name, value in given.items() if value is not None}


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
