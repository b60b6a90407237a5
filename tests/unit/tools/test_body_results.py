"""What comes out of a body: what is known of it, what the model is told, and what its value is."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from sayso.core.effects import EffectState
from sayso.core.errors import (
    NotExecuted,
    SaysoError,
    SystemAway,
    ToolMistake,
    ToolUnavailable,
)
from sayso.core.json_limits import DEEPEST
from sayso.tools.body_results import (
    MAX_RESULT_BYTES,
    Ran,
    Sent,
    a_body,
    as_result,
    error_text,
    is_error,
    raised,
    sent_by_body,
)
from sayso.tools.signature import ArgumentsInvalid
from sayso.tools.suspension import SaidError, StepFailed
from sayso.tools.tool import Traits

FAILED, UNCERTAIN, NOT_EXECUTED = (
    EffectState.FAILED,
    EffectState.UNCERTAIN,
    EffectState.NOT_EXECUTED,
)
CAUSE = ValueError("no such order")
WRONG: list[dict[str, JsonValue]] = [{"path": "n", "message": "is no number"}]


@pytest.mark.parametrize(
    ("exc", "state", "error", "told"),
    [
        (
            ToolMistake("Too much.", suggestion="Ask for less.", details="limit 5"),
            NOT_EXECUTED,
            "Too much.",
            {"message": "Too much.", "suggestion": "Ask for less.", "details": "limit 5"},
        ),
        (ToolMistake("Too much."), NOT_EXECUTED, "Too much.", {"message": "Too much."}),
        (
            ToolUnavailable("It is away.", fix="Start it."),
            NOT_EXECUTED,
            "It is away.",
            {"message": "It is away.", "suggestion": "Start it."},
        ),
        (
            SystemAway("Nobody is there.", details="refused", steps=["Start it."]),
            NOT_EXECUTED,
            "Nobody is there.",
            {
                "status": "critical_failure",
                "message": "Nobody is there.",
                "details": "refused",
                "resolution_steps": ["Start it."],
            },
        ),
        (
            NotExecuted("Nothing left."),
            NOT_EXECUTED,
            "Nothing left.",
            {"message": "Nothing left.", "suggestion": NotExecuted.remedy},
        ),
        (
            ArgumentsInvalid(list(WRONG)),
            NOT_EXECUTED,
            "ArgumentsInvalid: n: is no number",
            {"message": "n: is no number", "errors": WRONG},
        ),
        (SaidError("It said no."), FAILED, "It said no.", {"message": "It said no."}),
        (
            SaidError("It said no.", raised=CAUSE),
            FAILED,
            "ValueError: no such order",
            {"message": "ValueError: no such order"},
        ),
        (
            StepFailed("pay", "OSError", "reset", was_asked_about=True),
            FAILED,
            "OSError: reset",
            {"message": "OSError: reset"},
        ),
        (StepFailed("pay", "OSError", "reset"), UNCERTAIN, "OSError: reset", None),
        (OSError("reset"), UNCERTAIN, "OSError: reset", None),
    ],
)
def test_what_is_known_of_a_body_that_raised(
    exc: Exception, state: EffectState, error: str, told: dict[str, JsonValue] | None
) -> None:
    ran = raised(exc, Traits(), asks=True)
    assert (ran.state, ran.error, ran.is_open) == (state, error, told is None)
    assert ran.result == (None if told is None else {"status": "error", **told})
    assert ran.exception is (CAUSE if isinstance(exc, SaidError) and exc.raised else exc)


def test_a_body_that_returned_nothing_has_run() -> None:
    assert not Ran(state=EffectState.DONE, result=None).is_open


def test_where_nobody_is_asked_the_model_is_told_at_once() -> None:
    ran = raised(OSError("reset"), Traits(), asks=False)
    assert (ran.state, ran.is_open) == (UNCERTAIN, False)
    assert ran.result == {"status": "error", "message": "OSError: reset"}


def test_what_only_reads_or_whose_author_says_so_has_failed() -> None:
    for traits in (Traits(read_only=True), Traits(on_error="failed")):
        assert raised(OSError("reset"), traits, asks=True).state is FAILED
    assert raised(NotExecuted("no"), Traits(on_error="failed"), asks=True).state is NOT_EXECUTED


def test_an_error_of_ours_is_told_with_its_remedy_and_code() -> None:
    exc = SaysoError("It is full.", fix="Make room.")
    told = raised(exc, Traits(), asks=False).result
    assert told == {
        "status": "error", "message": "It is full.", "suggestion": "Make room.", "code": exc.code,
    }  # fmt: skip


def nested(levels: int) -> JsonValue:
    value: JsonValue = 1
    for _ in range(levels):
        value = [value]
    return value


def test_a_value_is_told_as_json_of_a_bounded_size() -> None:
    assert as_result({"n": float("nan"), "of": (1, 2)}) == {"n": None, "of": [1, 2]}
    whole = "x" * (MAX_RESULT_BYTES - 2)
    assert as_result(whole) == whole
    notes = {
        str(MAX_RESULT_BYTES + 1): as_result(whole + "x"),
        "cannot be written as JSON": as_result(object()),
        f"{DEEPEST} levels": as_result(nested(DEEPEST)),
        "levels deep": as_result(nested(2000)),
    }
    for word, told in notes.items():
        assert isinstance(told, dict)
        assert told["status"] == "done"
        assert word in str(told["note"])
        assert "The tool ran" in str(told["note"])
    assert as_result(nested(DEEPEST - 1)) == nested(DEEPEST - 1)


@pytest.mark.parametrize(
    ("value", "wrong", "text"),
    [
        ({"status": "error", "message": "no"}, True, "no"),
        ('{"status": "critical_failure"}', True, "It failed."),
        ({"status": "done", "message": "yes"}, False, "yes"),
        ("error", False, "It failed."),
        (None, False, "It failed."),
    ],
)
def test_a_result_that_is_an_error_says_so(value: JsonValue, wrong: bool, text: str) -> None:
    assert (is_error(value), error_text(value)) == (wrong, text)


def test_what_is_sent_counts_for_every_body_around() -> None:
    assert sent_by_body() is None
    with a_body():
        outer = sent_by_body()
        with a_body():
            inner = sent_by_body()
            assert inner is not None
            inner.count(1)
        assert sent_by_body() is outer
    assert sent_by_body() is None
    assert outer is not None
    assert (outer.begun, inner.begun, inner.around) == (1, 1, outer)
    assert Sent().begun == 0
