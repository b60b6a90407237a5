"""The life of a card as structured log lines: invoked → shown → completed → restored, with chat and
event id."""

from __future__ import annotations

from collections.abc import Iterable

import structlog

from sayso.core.events import (
    ChatEvent,
    UiToolCompleted,
    UiToolDismissed,
    UiToolExpired,
    UiToolOpened,
)
from sayso.core.feed import Frame
from sayso.core.view import ChatView

log = structlog.get_logger("sayso.card")


def committed(frames: Iterable[Frame]) -> None:
    """A card was opened, or reached its end."""
    for frame in frames:
        if not isinstance(frame.body, ChatEvent):
            continue
        match frame.body.data:
            case UiToolOpened(eventId=event_id, ui_tool_id=ui_tool_id):
                log.info("invoked", chat_id=frame.chat_id, event_id=event_id, ui_tool_id=ui_tool_id)
            case (
                UiToolCompleted(eventId=event_id, ui_tool_id=ui_tool_id, status=status)
                | UiToolDismissed(eventId=event_id, ui_tool_id=ui_tool_id, status=status)
                | UiToolExpired(eventId=event_id, ui_tool_id=ui_tool_id, status=status)
            ):
                log.info(
                    "completed",
                    chat_id=frame.chat_id,
                    event_id=event_id,
                    ui_tool_id=ui_tool_id,
                    status=status,
                )
            case _:
                pass


def shown(frames: Iterable[Frame]) -> None:
    """An open card was sent to a client as it happened."""
    for frame in frames:
        if isinstance(frame.body, ChatEvent) and isinstance(frame.body.data, UiToolOpened):
            data = frame.body.data
            log.info(
                "shown", chat_id=frame.chat_id, event_id=data.eventId, ui_tool_id=data.ui_tool_id
            )


def restored(view: ChatView) -> None:
    """Cards came back with a snapshot: open ones to be answered, settled ones as they ended."""
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
