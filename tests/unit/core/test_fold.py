"""However a client got there, it sees the same: a snapshot at any point, of any page, at any cut.

Histories are made from what a chat can do; two rules of the wire hold in them: an id is never used
again for something else, and only what is open (and so stands on every first page) is opened again.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from sayso.core.chat_view import ChatView, Item
from sayso.core.events import EVENT_TYPES as TYPES
from sayso.core.events import ChatEvent, EventData, OpenText, TextDelta, read_event
from sayso.core.tool_ui import ToolUi
from sayso.testing.fold import fold, merge_page, overlay

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
EMPTY = ChatView(id="c1", app_id="default")
TEXTS = st.text(st.sampled_from("ab 🙂𝒳é\u200d"), max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=4,
)
TOOL_UI = ToolUi(server="pods", resource_uri="ui://pods/app.html").model_dump(mode="json")
OBJECTS = st.dictionaries(TEXTS, VALUES, max_size=3)
ENDS = ["completed", "rejected", "cancelled", "superseded", "dismissed", "expired"]


@st.composite
def histories(draw: st.DrawFn, max_size: int = 24) -> list[ChatEvent]:
    """A chat's log: each step is one thing that can happen next."""
    queued: list[str] = []
    cards: list[str] = []
    calls: list[str] = []
    artifacts: list[str] = []
    events: list[ChatEvent] = []

    def one_of(ids: list[str], fresh: str) -> str:
        return draw(st.sampled_from([*ids, fresh]))

    def card_body(card: str, payload: Any = None) -> dict[str, Any]:
        body: dict[str, Any] = {"ui_tool_id": "t", "eventId": card, "display": "inline"}
        return body if payload is None else {**body, "workflow_name": "a", "payload": payload}

    for seq in range(1, draw(st.integers(0, max_size)) + 1):
        data: dict[str, Any]
        kind = draw(st.sampled_from(sorted(TYPES)))
        match kind:
            case "chat.message":
                item = one_of(queued, f"m{seq}")
                status = draw(st.sampled_from(["complete", "queued", "interrupted"]))
                queued = [q for q in queued if q != item] + [item] * (status == "queued")
                data = {"message_id": item, "role": "assistant", "content": draw(TEXTS)}
                data |= {"status": status, "metadata": draw(OBJECTS)}
            case "chat.tool_call":
                item = one_of(calls, f"t{seq}")
                calls += [item] * (item not in calls)
                data = {"tool_call_id": item, "name": "f", "arguments": draw(OBJECTS)}
                data |= {"run_id": "r1"}
            case "chat.tool_result":
                # Also about calls that ended, or that nobody knows.
                item = f"t{draw(st.integers(1, max_size))}"
                status = draw(
                    st.sampled_from(["running", "waiting", "done", "failed", "uncertain"])
                )
                if status not in ("running", "waiting"):
                    calls = [c for c in calls if c != item]
                data = {"tool_call_id": item, "status": status, "result": draw(VALUES)}
                data |= {"arguments": draw(st.none() | OBJECTS)}
                outcome = {
                    # Of a card that is open, that has ended, or that nobody knows.
                    "interaction_id": f"i{draw(st.integers(1, max_size))}",
                    "state": draw(st.sampled_from(["ran", "failed", "not_run", "unclear"])),
                    "changed": draw(st.just([]) | st.just([{"path": "a", "before": 1}])),
                }
                data |= {"outcome": draw(st.none() | st.just(outcome))}
            case "chat.tool_ui":
                data = {
                    "tool_call_id": f"t{draw(st.integers(1, max_size))}",
                    "ui": {**TOOL_UI, "round": draw(st.integers(1, 9))},
                }
            case "chat.ui_tool":
                item = one_of(cards, f"i{seq}")
                cards += [item] * (item not in cards)
                meta = {"interaction_type": "user_input", "revision": draw(st.integers(1, 9))}
                stage = {"workflow_stage": draw(st.sampled_from("xyz"))}
                data = card_body(item, {"sayso": meta, "context": stage})
            case "chat.ui_tool_complete" | "chat.ui_tool_dismiss" | "chat.ui_tool_expire":
                # Also about cards that ended, or that nobody knows.
                item = f"i{draw(st.integers(1, max_size))}"
                cards = [c for c in cards if c != item]
                known = {"chat.ui_tool_dismiss": "dismissed", "chat.ui_tool_expire": "expired"}
                ended = known.get(kind) or draw(st.sampled_from(ENDS[:4]))
                data = {**card_body(item), "status": ended, "summary": draw(TEXTS)}
            case "chat.artifact":
                item = one_of(artifacts, f"a{seq}")
                artifacts += [item] * (item not in artifacts)
                data = {"id": item, "ui_tool_id": "t", "title": draw(TEXTS)}
                data |= {"content": draw(VALUES), "version": seq}
            case "chat.requirements":
                data = {"requirements": draw(OBJECTS)}
            case "chat.progress":
                stages = [
                    {"id": s, "label": s, "state": "todo"}
                    for s in draw(st.sampled_from(["", "x", "xyz"]))
                ]
                data = {"stages": stages, "fraction": draw(st.none() | st.just(0.5))}
            case "chat.phase":
                data = {"run_id": "r1", "phase": "branch_execution"}
            case "chat.reasoning":
                data = {"run_id": "r1", "text": draw(TEXTS), "characters": 9}
            case "chat.run":
                data = {"run_id": "r1", "task_id": "k1", "status": "running"}
            case "chat.error":
                data = {"message_id": f"e{seq}", "ui_tool_id": "critical_failure"}
                data |= {"agent_name": "a", "payload": draw(OBJECTS)}
            case "chat.preference":
                data = {"key": draw(TEXTS), "value": draw(VALUES)}
            case _:
                data = {"title": draw(TEXTS)}
        body: EventData = TYPES[kind].model_validate(data)
        by = draw(st.none() | st.just("ana"))
        events.append(ChatEvent(seq, NOON + timedelta(seconds=seq), body, by))
    return events


def first_page(view: ChatView, size: int) -> ChatView:
    """What the store gives first: the newest items, and all that are open, however old."""
    items = _items(view)
    newest = {item.id for item in items[len(items) - size :]} if size else set()
    return _only(view, lambda item: item.id in newest or item.is_open, items, newest)


def page_before(view: ChatView, before: int, size: int) -> ChatView:
    items = _items(view)
    older = [item for item in items if item.sequence < before]
    chosen = {item.id for item in older[max(0, len(older) - size) :]}
    return _only(view, lambda item: item.id in chosen, items, chosen)


def _items(view: ChatView) -> list[Item]:
    items: list[Item] = [*view.messages, *view.tool_calls, *view.artifacts]
    return sorted(items, key=lambda item: item.sequence)


def _only(view: ChatView, keep: Any, items: list[Item], page: set[str]) -> ChatView:
    oldest = min((i.sequence for i in items if i.id in page), default=view.seq + 1)
    more = any(item.sequence < oldest for item in items)
    update: dict[str, Any] = {"before": oldest if more else None}
    for name in ("messages", "tool_calls", "artifacts"):
        update[name] = [item for item in getattr(view, name) if keep(item)]
    return view.model_copy(update=update)


def over_the_wire(view: ChatView) -> ChatView:
    return ChatView.model_validate_json(view.model_dump_json())


def loaded(view: ChatView, like: ChatView) -> ChatView:
    """`view`, with only those items that `like` has."""
    update: dict[str, Any] = {"before": like.before}
    for name in ("messages", "tool_calls", "artifacts"):
        here = {item.id for item in getattr(like, name)}
        update[name] = [item for item in getattr(view, name) if item.id in here]
    return view.model_copy(update=update)


@given(histories())
def test_an_event_survives_the_wire(history: list[ChatEvent]) -> None:
    assert [read_event(event.as_json()) for event in history] == history


@given(histories(), st.data())
def test_snapshot_of_a_page_and_the_rest_is_the_fold_of_all(
    history: list[ChatEvent], data: st.DataObject
) -> None:
    whole = fold(EMPTY, history)
    cut = data.draw(st.integers(0, len(history)))
    size = data.draw(st.integers(0, 8))
    # Some of what the snapshot has already may come again.
    again = data.draw(st.integers(0, cut))
    seen = fold(over_the_wire(first_page(fold(EMPTY, history[:cut]), size)), history[again:])
    assert seen == loaded(whole, seen)
    later = {event.seq for event in history[cut:]}
    for name in ("messages", "tool_calls", "artifacts"):
        here = {item.id for item in getattr(seen, name)}
        assert {i.id for i in getattr(whole, name) if i.sequence in later or i.is_open} <= here


@given(histories(), st.data())
def test_older_pages_laid_under_give_the_whole_chat(
    history: list[ChatEvent], data: st.DataObject
) -> None:
    """Pages are read at any time between the cut and the end, while the chat goes on."""
    size = data.draw(st.integers(1, 6))
    at = data.draw(st.integers(0, len(history)))
    view = first_page(fold(EMPTY, history[:at]), size)
    while view.before is not None:
        read_at = data.draw(st.integers(at, len(history)))
        page = over_the_wire(page_before(fold(EMPTY, history[:read_at]), view.before, size))
        now = data.draw(st.integers(at, len(history)))
        view = fold(view, history[at:now])
        view = merge_page(view, page, history[at:now])
        at = now
    assert fold(view, history[at:]) == fold(EMPTY, history).model_copy(update={"before": None})


@given(histories(), st.data())
def test_the_same_events_again_change_nothing(
    history: list[ChatEvent], data: st.DataObject
) -> None:
    whole = fold(EMPTY, history)
    again = data.draw(st.lists(st.sampled_from(history), max_size=6)) if history else []
    assert fold(whole, again) == whole


@dataclass(frozen=True)
class Piece:
    start: int
    end: int


@st.composite
def pieces_of(draw: st.DrawFn, text: str) -> list[Piece]:
    """Deltas that cover a text in order: merged, doubled and overlapping, as a feed makes them."""
    pieces: list[Piece] = []
    known = 0
    while known < len(text):
        start = draw(st.integers(0, known))
        end = draw(st.integers(start, len(text)))
        pieces.append(Piece(start, end))
        known = max(known, end)
    return pieces


@given(TEXTS, st.data())
def test_pieces_of_a_text_join_whatever_way_they_are_cut(text: str, data: st.DataObject) -> None:
    view: ChatView | None = EMPTY
    shown = 0
    for piece in data.draw(pieces_of(text)):
        assert view is not None
        if data.draw(st.booleans()):
            # A reconnect: all of the text so far, perhaps more than came in pieces.
            shown = data.draw(st.integers(0, len(text)))
            view = overlay(view, OpenText("m1", text[:shown]))
            assert view is not None
        view = overlay(view, TextDelta("m1", piece.start, text[piece.start : piece.end]))
    if text:
        assert view is not None
        assert [entry.text for entry in view.live] == [text]


@given(st.text(st.sampled_from("a🙂"), min_size=2, max_size=12), st.data())
def test_a_lost_piece_asks_for_a_sync_and_is_never_papered_over(
    text: str, data: st.DataObject
) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(1, len(text) - 1), min_size=1)))
    bounds = [0, *cuts, len(text)]
    pieces = [Piece(a, b) for a, b in pairwise(bounds)]
    lost = data.draw(st.integers(0, len(pieces) - 2))
    view: ChatView | None = EMPTY
    for place, piece in enumerate(pieces):
        if place == lost:
            continue
        assert view is not None
        view = overlay(view, TextDelta("m1", piece.start, text[piece.start : piece.end]))
        if place > lost:
            assert view is None
            return
    assume(False)
