"""A yes beside words that often take one back: the network settles it, and only if it is sure."""

from __future__ import annotations

import pytest

from sayso.core.extraction_ops import Confirm, Lean, Reading, RequestAction
from sayso.core.requirements import Pending
from sayso.reading import second_witness
from sayso.reading.network import Shares
from sayso.reading.rule_extractor import operations_in
from tests.unit.reading.readers import NOW, trips

ACTIONS = trips()


def _heard(said: str, language: str = "") -> list[str]:
    reading = Reading(
        message=said,
        slots=ACTIONS.slots,
        actions=ACTIONS.specs,
        today=NOW,
        pending=Pending(id="p", kind="card", hashes={"checklist": "h"}),
        language=language,
    )
    found = operations_in(reading)
    runs = [op for op in found if isinstance(op, RequestAction) and op.runs]
    return [type(op).__name__ for op in (*found, *runs) if isinstance(op, Confirm | Lean)] + [
        "runs" for _ in runs
    ]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "took a while but everyone has signed off, so yes, do it"),
        ("en", "well, you only live once. yes, do it"),
        ("it", "ma sì dai, fallo che qua si gela!"),
        ("nl", "de gegevens kloppen, doe maar"),
    ],
)
def test_a_but_before_a_sure_yes_leaves_it_one(language: str, said: str) -> None:
    assert _heard(said, language) == ["Confirm"]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "yes, but make it cheaper"),
        ("en", "yes, could you also add a crib?"),
        ("en", "yes please, can we get two beds"),
        ("en", "sure, but only if it rains"),
        ("de", "ja, aber erst morgen"),
        ("de", "ja, kannst du noch ein Bett dazu stellen?"),
        ("fr", "oui mais pas tout de suite"),
        ("es", "sí, pero primero mándame las condiciones"),
        ("it", "sì però senza colazione"),
        ("nl", "ja maar dan zonder ontbijt"),
        ("pt", "sim, mas antes me mostra as fotos"),
    ],
)
def test_what_takes_a_yes_back_runs_nothing(language: str, said: str) -> None:
    assert "Confirm" not in _heard(said, language)
    assert "runs" not in _heard(said, language)


@pytest.mark.parametrize("given", [0.93, second_witness.AT_ODDS - 0.001])
def test_what_is_not_surely_leave_is_asked_about(
    monkeypatch: pytest.MonkeyPatch, given: float
) -> None:
    said = "took a while but everyone has signed off, so yes, do it"

    class Hearing:
        shares = Shares([], withheld=1 - given, given=given)

    monkeypatch.setattr(second_witness, "_hearing_of", lambda _: Hearing())
    assert _heard(said) == ["Lean"]


def test_what_is_rather_none_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Hearing:
        shares = Shares([], withheld=0.6, given=0.3)

    monkeypatch.setattr(second_witness, "_hearing_of", lambda _: Hearing())
    assert _heard("took a while but everyone has signed off, so yes, do it") == []


@pytest.mark.parametrize(
    ("said", "given"),
    [
        # More surely than an order amid other talk needs it, and not surely enough for these.
        ("yes, do it, could you also add a crib?", 0.94),
        ("but yes, do it", 0.94),
        # However surely the network hears leave.
        ("yes, do it, but what will it cost in the end?", 0.9999),
        ("Yes, cancel the reservation.", 0.9999),
    ],
)
def test_the_rules_hold_whatever_the_network_hears(
    monkeypatch: pytest.MonkeyPatch, said: str, given: float
) -> None:
    class Hearing:
        shares = Shares([], withheld=1 - given, given=given)

    monkeypatch.setattr(second_witness, "_hearing_of", lambda _: Hearing())
    assert _heard(said) == ["Lean"]


@pytest.mark.parametrize(
    ("language", "said"), [("en", "yes unless it rains"), ("de", "ja wenn du willst")]
)
def test_a_condition_right_behind_a_yes_binds_it_whatever_the_network_hears(
    monkeypatch: pytest.MonkeyPatch, language: str, said: str
) -> None:
    class Hearing:
        shares = Shares([], withheld=0.0, given=1.0)

    monkeypatch.setattr(second_witness, "_hearing_of", lambda _: Hearing())
    assert "Confirm" not in _heard(said, language)
