"""What a card of the gateway says of a write, and when a write has arrived."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import JsonValue

from sayso import serve_asgi
from sayso.core.errors import InvalidInput, NoServer
from sayso.packs.openlca.comparing import agrees, differences
from sayso.packs.openlca.gateway import gateway_before
from sayso.packs.openlca.gateway.book import Book

FLOW = {"@type": "Flow", "@id": "f", "name": "Concrete"}
LINE = {"internalId": 2, "flow": FLOW, "amount": 10.0, "unit": {"@id": "u", "name": "kg"}}
PROCESS: dict[str, Any] = {"@type": "Process", "@id": "p", "name": "Casting", "exchanges": [LINE]}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, []),
        ({"version": "01.00.001", "lastChange": "today"}, []),
        ({"name": "Pouring"}, ["name: Casting → Pouring"]),
        ({"category": "Concrete"}, ["category: Concrete (new)"]),
        ({"name": ""}, ["name: Casting (gone)"]),
        ({"exchanges": []}, ["exchanges › 2: 10.0 kg Concrete, out (gone)"]),
        (
            {"exchanges": [LINE, {**LINE, "internalId": 3, "isInput": True}]},
            ["exchanges › 3: 10.0 kg Concrete, in (new)"],
        ),
        ({"exchanges": [{**LINE, "amount": 12}]}, ["exchanges › 2 › amount: 10 → 12"]),
        ({"exchanges": [{**LINE, "amount": 0}]}, ["exchanges › 2 › amount: 10 → 0"]),
        ({"exchanges": [{**LINE, "flow": {"@id": "f"}}]}, []),
        (
            {"exchanges": [{**LINE, "flow": {"@id": "g", "name": "Sand"}}]},
            ["exchanges › 2 › flow: Concrete → Sand"],
        ),
    ],
)
def test_a_change_is_told_in_a_line(change: dict[str, Any], said: list[str]) -> None:
    assert differences(PROCESS, {**PROCESS, **change}) == said


def test_many_changes_are_counted() -> None:
    after: dict[str, JsonValue] = {f"field {number}": "x" for number in range(100)}
    lines = differences({}, after)
    assert (len(lines), lines[-1]) == (61, "… and 40 more")


@pytest.mark.parametrize(
    ("found", "is_there"),
    [
        (PROCESS, True),
        ({**PROCESS, "version": "01.00.001", "location": {"@id": "x"}}, True),
        ({**PROCESS, "exchanges": [{**LINE, "isInput": False}]}, True),
        ({**PROCESS, "exchanges": [{**LINE, "flow": {"@id": "f", "flowType": "X"}}]}, True),
        ({**PROCESS, "exchanges": [{**LINE, "amount": 11}]}, False),
        ({**PROCESS, "exchanges": []}, False),
        ({**PROCESS, "name": "Another"}, False),
        (None, False),
    ],
)
def test_what_was_sent_is_found_in_other_words(found: JsonValue, is_there: bool) -> None:
    assert agrees(PROCESS, found) is is_there


def test_a_call_is_the_same_until_it_was_told(tmp_path: Path) -> None:
    book = Book(tmp_path / "book.sqlite")
    first = book.entry("d")
    book.sending(first, ["a"])
    again = Book(tmp_path / "book.sqlite").entry("d")
    assert (again.key, again.before) == (first.key, ["a"])
    book.told(first)
    book.told(first)
    after = book.entry("d")
    assert (after.times, after.before) == (1, None)
    assert after.key != first.key
    assert Book(tmp_path / "other.sqlite").entry("d").key != first.key


def test_a_gateway_needs_somebody_to_ask_and_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SAYSO_URL", raising=False)
    with pytest.raises(NoServer):
        gateway_before(tmp_path, upstream="", db="demo", data=tmp_path)
    with pytest.raises(InvalidInput, match="other machines"):
        serve_asgi(_nothing, port=0, host="0.0.0.0")


async def _nothing(*_: object) -> None:
    raise NotImplementedError
