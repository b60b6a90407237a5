"""What is chosen to run or to be asked about by a card, from what a message was heard to say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from pydantic import JsonValue

from sayso.core.extraction_ops import (
    Confirm,
    Deny,
    Later,
    Lean,
    Operation,
    Reading,
    RequestAction,
    Unclear,
)
from sayso.core.requirements import Given, Pending, RequirementState, Source, value_hash, values_for
from sayso.gate.offer import MOST_ASKED, offer_key
from sayso.gate.person_message import PersonMessage
from sayso.gate.triggers import chosen_actions, offered_in_vain, opened_by
from sayso.gate.yes_scope import YesScope
from tests.unit.reading.readers import NOW, trips

KNOWN: dict[str, JsonValue] = {
    "destination": "Rome",
    "current_location": "Oslo",
    "trip_duration": "P10D",
    "num_travelers": 2,
}
BUDGET: dict[str, JsonValue] = {"total_budget": 3000.0}


def _state(
    values: dict[str, JsonValue] | None = None,
    *,
    pending: Sequence[str] = (),
    kind: Any = "card",
    trigger: str = "confirm",
    source: Source = Source.SAID,
    requested: Sequence[str] = (),
) -> RequirementState:
    known = KNOWN if values is None else values
    given = {name: Given(value=one, source=source, message_id="m0") for name, one in known.items()}
    state = RequirementState(values=given, requested=tuple(requested))
    specs = {spec.name: spec for spec in trips(trigger).specs}
    hashes = {name: value_hash(name, values_for(specs[name], state)) for name in pending}
    waits = Pending(id="p", kind=kind, hashes=hashes) if hashes else None
    return state.model_copy(update={"pending": waits})


def _chosen(
    state: RequirementState,
    *operations: Operation,
    trigger: str = "confirm",
    scope: YesScope = YesScope.GRANTS,
    before: RequirementState | None = None,
    changed: bool = False,
    opened: Sequence[str] = (),
) -> tuple[tuple[str, ...], list[str], RequirementState]:
    """Return what is chosen, what has leave to run, and the state."""
    message = PersonMessage(id="m1", text="…", at=NOW, card_id="card", yes_scope=scope)
    chosen, after = chosen_actions(
        before or state, state, operations, message, trips(trigger), changed=changed, opened=opened
    )
    return chosen, [one.action for one in after.grants], after


def test_a_yes_to_the_card_is_leave_for_what_stands_on_it() -> None:
    chosen, leave, after = _chosen(_state(pending=["checklist"]), Confirm())
    assert (chosen, leave) == (("checklist",), ["checklist"])
    assert after.grants[0].interaction_id == "card"


@pytest.mark.parametrize("beside", [Deny(), Later(), Unclear()])
def test_a_yes_beside_what_denies_it_is_none(beside: Operation) -> None:
    for operations in ([Confirm(), beside], [beside, Confirm()]):
        assert _chosen(_state(pending=["checklist"]), *operations)[1] == []


def test_a_yes_is_none_where_a_value_changed_or_another_card_stood_open() -> None:
    card, other = _state(pending=["checklist"]), _state(KNOWN | BUDGET, pending=["budget"])
    assert _chosen(card, Confirm(), changed=True)[1] == []
    assert _chosen(card, Confirm(), before=other)[1] == []
    assert _chosen(card, Confirm(), scope=YesScope.OPENS_CARD)[1] == []
    assert _chosen(card, Confirm(), scope=YesScope.NONE)[1] == []


def test_a_yes_to_words_opens_the_card_and_grants_only_where_words_are_enough() -> None:
    offer = _state(pending=["checklist"], kind="offer")
    assert _chosen(offer, Confirm())[:2] == (("checklist",), [])
    assert _chosen(offer, Confirm(), trigger="explicit")[:2] == (("checklist",), ["checklist"])


def test_what_only_leans_opens_the_card_and_grants_nothing() -> None:
    for trigger in ("confirm", "explicit"):
        offer = _state(pending=["checklist"], kind="offer", trigger=trigger)
        assert _chosen(offer, Lean(), trigger=trigger)[:2] == (("checklist",), [])


def test_a_no_and_a_not_yet_set_aside_what_was_asked_for() -> None:
    state = _state(KNOWN | BUDGET, pending=["checklist"], requested=["checklist", "budget"])
    chosen, leave, after = _chosen(state, Deny())
    assert (chosen, leave, after.pending, after.requested) == ((), [], None, ("budget",))
    chosen, leave, after = _chosen(state, Later())
    assert (chosen, leave, after.pending, after.requested) == ((), [], None, ())


def test_an_order_runs_what_is_ready_and_a_wish_runs_nothing() -> None:
    order, wish = (RequestAction(action="checklist", runs=runs) for runs in (True, False))
    assert _chosen(_state(), order, trigger="explicit")[:2] == (("checklist",), ["checklist"])
    assert _chosen(_state(), wish, trigger="explicit")[:2] == ((), [])
    assert _chosen(_state(requested=["checklist"]), trigger="explicit")[:2] == ((), [])
    assert _chosen(_state({}), order, trigger="explicit")[:2] == ((), [])
    assert _chosen(_state(), order)[:2] == (("checklist",), [])


def test_a_card_waits_for_the_other_that_was_asked_for_unless_it_is_ordered_by_name() -> None:
    both = _state(requested=["checklist", "budget"])
    assert _chosen(both)[0] == ()
    assert _chosen(both, RequestAction(action="checklist", runs=True))[0] == ("checklist",)


def test_auto_runs_what_was_said_once_for_the_same_values() -> None:
    state = _state()
    chosen, leave, after = _chosen(state, trigger="auto", changed=True)
    assert (chosen, leave) == (("checklist",), ["checklist"])
    assert _chosen(after, trigger="auto")[:2] == ((), ["checklist"])
    moved = after.model_copy(update={"values": _state(KNOWN | {"destination": "Bergen"}).values})
    chosen, leave, _ = _chosen(moved, trigger="auto", changed=True)
    assert (chosen, leave) == (("checklist",), ["checklist", "checklist"])


@pytest.mark.parametrize("source", [Source.CONTEXT, Source.DEFAULT])
def test_auto_asks_by_a_card_once_where_a_value_was_not_said(source: Source) -> None:
    state = _state(source=source)
    assert _chosen(state, trigger="auto", changed=True)[:2] == (("checklist",), [])
    assert _chosen(state, trigger="auto")[:2] == ((), [])


def test_auto_runs_nothing_of_which_a_value_is_missing_or_hedged() -> None:
    short = _state({name: one for name, one in KNOWN.items() if name != "trip_duration"})
    assert _chosen(short, trigger="auto", changed=True)[:2] == ((), [])
    hedged = {
        name: one.model_copy(update={"hedged": True}) for name, one in _state().values.items()
    }
    state = _state().model_copy(update={"values": hedged})
    assert _chosen(state, trigger="auto", changed=True)[1] == []


@pytest.mark.parametrize(
    ("said", "scope", "opens"),
    [
        ("yes", YesScope.OPENS_CARD, ("checklist",)),
        ("sounds lovely", YesScope.OPENS_CARD, ("checklist",)),
        ("hm", YesScope.OPENS_CARD, ()),
        ("create the budget", YesScope.OPENS_CARD, ()),
        ("yes", YesScope.GRANTS, ()),
        ("yes", YesScope.NONE, ()),
    ],
)
def test_a_yes_to_an_agent_that_speaks_of_it_opens_the_card(
    said: str, scope: YesScope, opens: tuple[str, ...]
) -> None:
    assert _opened(_state(pending=["checklist"], kind="offer"), said, scope) == opens


def test_an_order_opens_the_card_of_what_it_names_by_itself() -> None:
    both = _state(KNOWN | BUDGET, pending=["checklist", "budget"], kind="offer")
    assert _opened(both, "yes, both") == ("checklist", "budget")
    assert _opened(both, "yes, create the checklist") == ()


def _opened(
    state: RequirementState, said: str, scope: YesScope = YesScope.OPENS_CARD
) -> tuple[str, ...]:
    actions = trips()
    message = PersonMessage(id="m1", text=said, at=NOW, yes_scope=scope)
    reading = Reading(message=said, slots=actions.slots, actions=actions.specs)
    return opened_by(message, state, reading)


def test_an_offer_that_was_made_in_vain_becomes_a_card_where_a_card_asks() -> None:
    for trigger, opens in (("confirm", ("checklist",)), ("explicit", ())):
        actions = trips(trigger)
        spec = actions.by_name["checklist"].spec
        offer = _state(pending=["checklist"], kind="offer", trigger=trigger)
        before = offer.model_copy(update={"asked_times": {offer_key([spec]): MOST_ASKED}})
        assert offered_in_vain(before, before, [], actions) == opens
        assert offered_in_vain(before, before, [Lean()], actions) == ()
        assert offered_in_vain(offer, offer, [], actions) == ()
