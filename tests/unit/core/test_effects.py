"""What an effect says by itself: what it was to whoever allowed it, and whose key it holds."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from sayso.core.effects import (
    NEVER_BEGAN,
    SKIPPED,
    Effect,
    EffectEnd,
    EffectStart,
    EffectState,
    KeyHeld,
    Ruling,
    executed_digest,
    holder_of,
)
from sayso.core.record import Allowed, OutcomeState

NOW = datetime(2026, 1, 1, tzinfo=UTC)
START = EffectStart(
    key="pay", attempt=2, tool_name="pay", arguments={"n": 1}, business_key="pay:7",
    shown_digest="sha256:shown", executed_digest="sha256:ran", allowed=Allowed(interaction_id="i1"),
)  # fmt: skip
STARTED = Effect.started(START, at=NOW)


def ended(state: EffectState, error: str | None = None, result: object = None) -> Effect:
    return replace(STARTED, state=state, error=error, result=result)  # type: ignore[arg-type]


def test_a_start_is_kept_whole():
    same = ("key", "attempt", "tool_name", "arguments", "business_key", "shown_digest")
    for name in (*same, "executed_digest", "allowed"):
        assert getattr(STARTED, name) == getattr(START, name)
    assert (STARTED.state, STARTED.started_at, STARTED.ended_at) == (EffectState.STARTED, NOW, None)
    end = EffectEnd(state=EffectState.FAILED, result=5, error="no")
    over = STARTED.ended(end, at=NOW)
    assert (over.state, over.result, over.error, over.ended_at) == (
        EffectState.FAILED,
        5,
        "no",
        NOW,
    )


@pytest.mark.parametrize(
    ("effect", "outcome"),
    [
        (STARTED, None),
        (ended(EffectState.DONE), OutcomeState.RAN),
        (ended(EffectState.FAILED), OutcomeState.FAILED),
        (ended(EffectState.UNCERTAIN), OutcomeState.UNCLEAR),
        (ended(EffectState.NOT_EXECUTED), OutcomeState.NOT_RUN),
        (ended(EffectState.NOT_EXECUTED, SKIPPED), OutcomeState.UNCLEAR),
        (ended(EffectState.FAILED, SKIPPED), OutcomeState.FAILED),
    ],
)
def test_an_outcome_is_told_once_it_is_there(effect: Effect, outcome: OutcomeState | None):
    assert effect.outcome_state == outcome
    assert (effect.outcome.state if effect.outcome else None) == outcome
    assert replace(effect, allowed=Allowed()).outcome is None


def test_what_a_persons_word_is_contradicted_by():
    against = {
        ruling: {truth for truth in EffectState if ruling.is_contradicted_by(truth)}
        for ruling in Ruling
    }
    assert against == {
        Ruling.MARK_DONE: {EffectState.FAILED, EffectState.NOT_EXECUTED},
        Ruling.RUN_AGAIN: {EffectState.DONE},
        Ruling.SKIP: {EffectState.DONE},
    }


def test_what_is_certain_without_a_person():
    assert ended(EffectState.NOT_EXECUTED, NEVER_BEGAN).never_began
    assert not ended(EffectState.NOT_EXECUTED, "refused").never_began
    assert not ended(EffectState.FAILED, NEVER_BEGAN).never_began
    assert ended(EffectState.UNCERTAIN, result="told").is_told
    assert not ended(EffectState.UNCERTAIN).is_told
    assert not ended(EffectState.DONE, result="told").is_told


HOLDING = [STARTED, ended(EffectState.DONE), ended(EffectState.UNCERTAIN)]


@pytest.mark.parametrize("effect", HOLDING, ids=lambda it: it.state.value)
def test_a_key_is_held_against_every_other_call_and_no_other_key(effect: Effect):
    assert holder_of([effect], replace(START, key="other")) is effect
    assert f"Another call of '{effect.tool_name}'" in str(KeyHeld(effect))
    assert holder_of([effect], START) is None, "an attempt does not stand in its own way"
    assert holder_of([effect], replace(START, key="other", business_key="pay:8")) is None
    keyless = replace(effect, business_key=None)
    assert not keyless.holds_its_key
    assert holder_of([keyless], replace(START, key="other", business_key=None)) is None


@pytest.mark.parametrize("state", [EffectState.FAILED, EffectState.NOT_EXECUTED])
def test_what_did_not_act_frees_its_key(state: EffectState):
    assert holder_of([ended(state)], replace(START, key="other")) is None


def test_the_executed_digest_is_over_what_ran_and_none_where_it_cannot_be_said():
    assert executed_digest("pay", {"n": 1}) != executed_digest("pay", {"n": 2})
    assert executed_digest("pay", {"n": 1}) != executed_digest("buy", {"n": 1})
    assert executed_digest("pay", {"n": float("nan")}) is None
