"""How an attempt ended, and whose word that is: what a row knew, what a person said, what came."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from itertools import product
from typing import cast

import pytest
from pydantic import JsonValue

from sayso.core.cards import OptionsCard
from sayso.core.effects import Effect, EffectEnd, EffectState, EndSource, Ruling
from sayso.core.events import ToolCallStatus, ToolReturned, UiToolDismissed
from sayso.core.interactions import (
    CardRequest,
    Interaction,
    InteractionResponse,
    InteractionState,
    ResponseData,
)
from sayso.core.record import Allowed, OutcomeState
from sayso.store.moves.effect_outcomes import said_of, who_allowed, with_outcome
from sayso.store.transaction import Transaction
from sayso.store.verbs.effect_end import _tells_more, _true_answer

NOW = datetime(2026, 1, 1, tzinfo=UTC)
OPEN = CardRequest(
    call_key="k", card=OptionsCard(title="Did it?", question="Did it?"), ui_tool_id="card"
).opened(
    interaction_id="i1", app_id="app", chat_id="c1", run_id="r1", task_id="t1", batch_id="b1",
    now=NOW, steady=NOW, salt="salt",
)  # fmt: skip
EFFECT = Effect(
    key="pay", attempt=1, state=EffectState.DONE, tool_name="pay", arguments={}, started_at=NOW,
    result=5, allowed=Allowed(interaction_id="i1", title="Pay 5"),
)  # fmt: skip


def said(option: str | None, told_by: str | None = None) -> InteractionResponse:
    return InteractionResponse(
        interaction_id="i1", approved=True, response_data=ResponseData(selected_option=option),
        metadata={"told_by": told_by} if told_by else {},
    )  # fmt: skip


def card(state: InteractionState, response: InteractionResponse | None = None) -> Interaction:
    return replace(OPEN, state=state, response=response)


@pytest.mark.parametrize(
    ("it", "ruling"),
    [
        (None, None),
        (card(InteractionState.PENDING), None),
        (card(InteractionState.PENDING, said("skip")), None),
        (card(InteractionState.COMPLETED, said("run_again")), Ruling.RUN_AGAIN),
        (card(InteractionState.COMPLETED, said("mark_done", "person")), Ruling.MARK_DONE),
        (card(InteractionState.COMPLETED, said("mark_done", "body")), None),
        (card(InteractionState.COMPLETED, said("else")), Ruling.SKIP),
        (card(InteractionState.EXPIRED, said(None)), Ruling.SKIP),
        (card(InteractionState.DISMISSED), Ruling.SKIP),
    ],
)
def test_what_a_person_said_of_it(it: Interaction | None, ruling: Ruling | None) -> None:
    assert said_of(it) is ruling


STATES = [*EffectState]
RESULTS: list[tuple[str | None, JsonValue]] = [(None, None), ("5", 5)]


def ends(told_by: EndSource, result: JsonValue = None) -> list[EffectEnd]:
    return [EffectEnd(state=state, result=result, told_by=told_by) for state in STATES]


def before(state: EffectState, result: str | None = None) -> dict[str, str | None]:
    return {"state": state.value, "result": result}


def test_whatever_is_told_of_what_had_begun_is_more() -> None:
    for end, ruling in product(ends(EndSource.BODY), [None, *Ruling]):
        assert _tells_more(before(EffectState.STARTED), end, ruling)


def test_of_what_is_unclear_more_is_how_it_ended_or_that_its_agent_was_told() -> None:
    for end, ruling in product(ends(EndSource.PERSON), [None, *Ruling]):
        is_known = end.state is not EffectState.UNCERTAIN
        assert _tells_more(before(EffectState.UNCERTAIN), end, ruling) is is_known
    unclear = EffectEnd(state=EffectState.UNCERTAIN, result={"status": "error"})
    assert _tells_more(before(EffectState.UNCERTAIN), unclear, None)


@pytest.mark.parametrize("was", [EffectState.DONE, EffectState.FAILED, EffectState.NOT_EXECUTED])
def test_an_end_stands_but_for_a_body_that_says_otherwise_than_a_person(was: EffectState) -> None:
    for end in (*ends(EndSource.BODY), *ends(EndSource.PERSON)):
        assert not _tells_more(before(was), end, None)
    for end, ruling in product(ends(EndSource.PERSON, 5), Ruling):
        assert not _tells_more(before(was), end, ruling)
    for (text, _), (_, result), ruling in product(RESULTS, RESULTS, Ruling):
        for end in ends(EndSource.BODY, result):
            is_other = (was, text is None) != (end.state, result is None)
            is_known = end.state is not EffectState.UNCERTAIN
            assert _tells_more(before(was, text), end, ruling) is (is_known and is_other)


@pytest.mark.parametrize("error", [None, "no"])
def test_the_truth_is_written_as_the_answer_that_nobody_gave(error: str | None) -> None:
    response = _true_answer(OPEN, replace(EFFECT, error=error))
    assert (response.interaction_id, response.approved) == ("i1", True)
    assert response.response_data.selected_option == "mark_done"
    values: dict[str, JsonValue] = {"state": "done", "result": 5}
    assert response.response_data.values == (values if error is None else {**values, "error": "no"})
    assert said_of(card(InteractionState.COMPLETED, response)) is None


RETURNED = ToolReturned(tool_call_id="c", status=ToolCallStatus.DONE, result=5)
OTHER = ToolReturned(tool_call_id="d", status=ToolCallStatus.DONE, result=5)


def test_the_card_that_allowed_it_is_told_what_came_of_it() -> None:
    inner, own = with_outcome([OTHER, RETURNED], "c", EFFECT)
    assert inner == OTHER
    assert isinstance(own, ToolReturned)
    assert own.model_copy(update={"outcome": None}) == RETURNED
    assert own.outcome is not None
    assert (own.outcome.state, own.outcome.title) == (OutcomeState.RAN, "Pay 5")


def test_an_end_that_comes_without_its_event_gets_one() -> None:
    failed = replace(EFFECT, state=EffectState.FAILED, error="no")
    (own,) = with_outcome([], "c", failed)
    assert isinstance(own, ToolReturned)
    assert (own.tool_call_id, own.status, own.error) == ("c", ToolCallStatus.FAILED, "no")
    assert own.outcome is not None
    assert own.outcome.state is OutcomeState.FAILED


def test_what_is_told_beside_its_end_stays() -> None:
    progress = UiToolDismissed(eventId="e", ui_tool_id="u", display=OPEN.display, summary="x")
    first, own = with_outcome([progress], "c", EFFECT)
    assert first == progress
    assert isinstance(own, ToolReturned)


def asked(script: Transaction[str | None], row: dict[str, object] | None) -> str | None:
    """What a transaction of at most one question returns when it gets this row."""
    try:
        next(script)
        script.send([row] if row is not None else [])
    except StopIteration as done:
        return cast("str | None", done.value)
    raise AssertionError("it asks twice")


@pytest.mark.parametrize(
    ("allowed", "row", "who"),
    [
        (Allowed(interaction_id="i1"), {"settled_by": "ada"}, "ada"),
        (Allowed(interaction_id="i1", message_id="m1"), {"settled_by": "ada"}, "ada"),
        (Allowed(interaction_id="i1"), None, None),
        (Allowed(message_id="m1"), None, "ben"),
        (Allowed(rule="rule 1"), None, None),
    ],
)
def test_who_allowed_it(allowed: Allowed, row: dict[str, object] | None, who: str | None) -> None:
    assert asked(who_allowed("app", allowed, "ben"), row) == who


def test_where_no_card_asked_or_no_row_is_there_nothing_is_added() -> None:
    unasked = replace(EFFECT, allowed=Allowed())
    assert with_outcome([RETURNED], "c", unasked) == [RETURNED]
    assert with_outcome([], "c", unasked) == []
    assert with_outcome([RETURNED], None, EFFECT) == [RETURNED]
    assert with_outcome([], None, EFFECT) == []
