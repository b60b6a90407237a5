"""Logs the life of a card: invoked → shown → completed → restored, with chat and event id."""

from __future__ import annotations

from collections.abc import Iterable

from sayso.core.chat_view import ChatView
from sayso.core.events import (
    ChatEvent,
    UiToolCompleted,
    UiToolDismissed,
    UiToolExpired,
    UiToolOpened,
)
from sayso.core.feed import Frame
from sayso.logs import logger

log = logger("sayso.card")

_ENDS = (UiToolCompleted, UiToolDismissed, UiToolExpired)


def opens_card(frame: Frame) -> bool:
    return isinstance(frame.body, ChatEvent) and isinstance(frame.body.data, UiToolOpened)


def committed(frames: Iterable[Frame]) -> None:
    """Log each card that was opened or reached its end."""
    for frame in frames:
        if not isinstance(frame.body, ChatEvent):
            continue
        match frame.body.data:
            case UiToolOpened(eventId=event_id, ui_tool_id=ui_tool_id):
                log.info("invoked", chat_id=frame.chat_id, event_id=event_id, ui_tool_id=ui_tool_id)
            case UiToolCompleted() | UiToolDismissed() | UiToolExpired() as end:
                log.info(
                    "completed",
                    chat_id=frame.chat_id,
                    event_id=end.eventId,
                    ui_tool_id=end.ui_tool_id,
                    status=end.status,
                )
            case _:
                pass


def shown(frames: Iterable[Frame]) -> None:
    """Log each open card that was sent to a client; one whose end came with it is not open."""
    events = [(each.chat_id, each.body.data) for each in frames if isinstance(each.body, ChatEvent)]
    settled = {data.eventId for _, data in events if isinstance(data, _ENDS)}
    for chat_id, data in events:
        if isinstance(data, UiToolOpened) and data.eventId not in settled:
            log.info("shown", chat_id=chat_id, event_id=data.eventId, ui_tool_id=data.ui_tool_id)


def restored(view: ChatView) -> None:
    """Log each card that came back with a snapshot, open or settled."""
    for message in view.messages:
        tool = message.metadata.get("ui_tool")
        if isinstance(tool, dict):
            log.info(
                "restored",
                chat_id=view.id,
                event_id=message.event_id,
                ui_tool_id=tool.get("ui_tool_id"),
                status=tool.get("ui_tool_status"),
            )
