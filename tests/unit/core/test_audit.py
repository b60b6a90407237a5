"""The audit as it is kept and told: keys, lines, seals, and what verifying them found."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from sayso.core.audit import (
    AuditEntry,
    AuditKeys,
    AuditLine,
    AuditReport,
    AuditResult,
    BrokenChain,
    ChatEnd,
    Seal,
    head_as_json,
)
from sayso.core.errors import InvalidInput

NOW = datetime(2026, 1, 1, tzinfo=UTC)
KEYS = AuditKeys.read("the key of today!, the key of yesterday")
LINE = AuditLine(
    app_id="app", chat_id="c1", number=1, at=NOW, actor="ada", action="interaction.approved",
    subject="i1", body="{}",
)  # fmt: skip
SEAL = Seal(app_id="app", number=3, at=NOW, heads={"c1": ChatEnd(1, "h")}).after("", KEYS.current)


def test_a_key_is_known_by_an_id_that_stays() -> None:
    """It stands in every line of a database."""
    assert [key.id for key in (KEYS.current, *KEYS.former)] == [
        "f06cd3edfe513cb4",
        "6b908f3606041100",
    ]
    assert "the key" not in repr(KEYS)
    with pytest.raises(InvalidInput, match="is empty"):
        AuditKeys.read(" ,\n")


@pytest.mark.parametrize("keyed", [True, False])
def test_a_line_is_bound_to_all_that_it_says(keyed: bool) -> None:
    key = KEYS.current if keyed else None
    others = [
        replace(LINE, number=2), replace(LINE, at=NOW.replace(second=1)),
        replace(LINE, actor=None), replace(LINE, action="x"), replace(LINE, subject="x"),
        replace(LINE, body="[]"),
    ]  # fmt: skip
    elsewhere = [replace(LINE, app_id="x"), replace(LINE, chat_id="x")]
    links = {it.link("", key) for it in [LINE, *others, *(elsewhere if keyed else ())]}
    assert len(links) == (9 if keyed else 7)
    assert LINE.link("previous", key) not in links


@pytest.mark.parametrize(
    ("report", "result"),
    [
        (AuditReport(), AuditResult.WHOLE),
        (AuditReport(unsealed=2, unsealed_seconds=10.0), AuditResult.WHOLE),
        (AuditReport(unsealed=2, unsealed_seconds=10.1), AuditResult.UNSEALED_TAIL),
        (AuditReport(without_key=1), AuditResult.NOT_CHECKABLE),
        (AuditReport(older_unsealed=1), AuditResult.NOT_CHECKABLE),
        (AuditReport(older_than_key=1), AuditResult.WHOLE),
        (
            AuditReport(broken=[BrokenChain(chat_id="c1", number=1)], without_key=1),
            AuditResult.BROKEN,
        ),
    ],
)
def test_only_what_was_checked_and_not_changed_is_whole(
    report: AuditReport, result: AuditResult
) -> None:
    assert report.result is result


def test_what_was_found_is_told_on_the_wire() -> None:
    broken = BrokenChain(chat_id="c1", number=2, detail="It was changed.")
    report = AuditReport(
        broken=[broken], lines=9, unsealed=1, without_key=2, missing_keys=["k"],
        older_than_key=3, older_unsealed=4, seal=SEAL,
    )  # fmt: skip
    assert report.as_json() == {
        "intact": False,
        "broken": [{"chat_id": "c1", "number": 2, "detail": "It was changed."}],
        "result": "broken",
        "lines": 9,
        "unsealed": 1,
        "without_key": 2,
        "missing_keys": ["k"],
        "older_than_key": 3,
        "older_unsealed": 4,
        "sealed_at": NOW.isoformat(),
        "head": SEAL.head,
    }
    bare = AuditReport().as_json()
    assert {name: said for name, said in bare.items() if said} == {
        "intact": True,
        "result": "whole",
    }


def test_a_head_is_told_on_the_wire() -> None:
    assert head_as_json(SEAL) == {"head": SEAL.head, "number": 3, "sealed_at": NOW.isoformat()}
    assert head_as_json(None) == {"head": None, "number": 0, "sealed_at": None}


def test_a_line_is_told_on_the_wire() -> None:
    entry = AuditEntry(
        position=5, chat_id="c1", number=1, at=NOW, actor=None, action="a", subject="s",
        body={"n": 1}, hash="h", key_id="k",
    )  # fmt: skip
    assert entry.as_json() == {
        "position": 5, "chat_id": "c1", "number": 1, "at": NOW.isoformat(), "actor": None,
        "action": "a", "subject": "s", "body": {"n": 1}, "hash": "h", "key_id": "k",
    }  # fmt: skip
