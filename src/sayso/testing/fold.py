"""The fold: what you see of a chat is fold(durable events), with the text still being written drawn
last.

Each item is current up to its `as_of`; an event applies to it only above that. So a snapshot taken
at any seq, of any page, plus the events after it, is the same as the fold of all events.
`web/packages/core/src/fold.ts` is held equal to this by the vectors in `tests/vectors/`.
"""

from __future__ import annotations

from collections.abc import Iterable

from sayso.core.chat_view import ChatView, Item, LiveText
from sayso.core.events import ChatEvent, MessageWritten, OpenText, RunMoved, TextDelta
from sayso.core.reducers import reduce_head, reduce_item, targets_of
from sayso.core.sessions import RunState

_LISTS = {"message": "messages", "tool_call": "tool_calls", "artifact": "artifacts"}


def fold(view: ChatView, events: Iterable[ChatEvent]) -> ChatView:
    """Return the view after these events; events at or below an item's `as_of` change nothing."""
    for event in events:
        view = apply(view, event)
    return view


def apply(view: ChatView, event: ChatEvent) -> ChatView:
    head = reduce_head(view, event)
    targets = targets_of(event.data)
    if not targets:
        return _without_text(head) if head is not view and _ends_the_run(event) else head
    is_known = event.seq <= view.seq
    for kind, item_id in targets:
        head = _with_item(head, event, kind, item_id, is_known=is_known)
    return head


def _with_item(
    head: ChatView, event: ChatEvent, kind: str, item_id: str, *, is_known: bool
) -> ChatView:
    """Return the view with what the event makes of one item."""
    items: list[Item] = list(getattr(head, _LISTS[kind]))
    place = next((i for i, item in enumerate(items) if item.id == item_id), None)
    if place is None and is_known:
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


def overlay(view: ChatView, text: TextDelta | OpenText) -> ChatView | None:
    """Return the view with more of a text still being written; None when a piece is missing and
    a sync is due."""
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


def _ends_the_run(event: ChatEvent) -> bool:
    return isinstance(event.data, RunMoved) and RunState(event.data.status).is_final


def _without_text(view: ChatView) -> ChatView:
    """Drop what an ended run left open: no message took it up, so it was never stored."""
    return view.model_copy(update={"live": []}) if view.live else view


def merge_page(view: ChatView, older: ChatView, since: Iterable[ChatEvent] = ()) -> ChatView:
    """Return the view with an older page laid under it; where both hold an item, the more current
    one stays.

    `since` is what came while the page was on its way: the view had no such items to apply it to.
    """
    pages: dict[str, dict[str, Item]] = {
        kind: {item.id: item for item in getattr(older, name)} for kind, name in _LISTS.items()
    }
    for event in since:
        for kind, item_id in targets_of(event.data):
            item = pages[kind].get(item_id)
            if item is not None:
                pages[kind][item_id] = reduce_item(item, event) or item
    update: dict[str, object] = {"before": older.before}
    for kind, by_id in pages.items():
        for item in getattr(view, _LISTS[kind]):
            if item.id not in by_id or by_id[item.id].as_of < item.as_of:
                by_id[item.id] = item
        update[_LISTS[kind]] = sorted(by_id.values(), key=lambda item: item.sequence)
    return view.model_copy(update=update)
