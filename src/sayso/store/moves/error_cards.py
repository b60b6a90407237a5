"""The error cards of what is tried again: they offered to try it again, and fold."""

from __future__ import annotations

from sayso.core import messages as texts
from sayso.core.cards import CardKind
from sayso.core.chat_view import MessageItem
from sayso.core.events import UiToolCompleted
from sayso.core.ids import derived_id
from sayso.store.chat_log import ChatLog
from sayso.store.transaction import Transaction

_ERROR_CARDS = (CardKind.CRITICAL_FAILURE.value, CardKind.RECOVERABLE_ERROR.value)


def fold_error_cards(log: ChatLog, retried: str, *, by: str | None) -> Transaction[None]:
    """Fold the error cards of a call, or of a run, that is tried again."""
    ids = [derived_id(retried, kind) for kind in _ERROR_CARDS]
    yield from log.read(ids)
    for card_id in ids:
        item = log.item("message", card_id)
        tool = item.metadata.get("ui_tool") if isinstance(item, MessageItem) else None
        if not isinstance(tool, dict) or tool.get("ui_tool_completed") is True:
            continue
        payload = tool.get("payload")
        title = payload.get("title") if isinstance(payload, dict) else None
        name = title if isinstance(title, str) and title else str(tool.get("ui_tool_id"))
        again = texts.message("settled.tried_again")
        replaced = texts.message("settled.superseded", name=name)
        log.add(
            UiToolCompleted.model_validate(
                {
                    "eventId": card_id,
                    "ui_tool_id": tool.get("ui_tool_id"),
                    "display": tool.get("display"),
                    "status": "superseded",
                    "summary": texts.message("settled.because", ended=replaced, reason=again),
                }
            ),
            by=by,
        )
