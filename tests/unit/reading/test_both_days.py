"""One range of days fills a first and a last day, where nothing else could be meant."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

import pytest
from pydantic import JsonValue

from sayso.core.extraction_ops import Reading
from sayso.core.requirements import Slot
from sayso.reading.both_days import both_days
from sayso.reading.heard_message import HeardMessage
from tests.unit.reading.readers import NOW, slot

FIRST = slot(date, "What is your first day?", name="first")
LAST = slot(date, "And your last day?", name="last")
PEOPLE = slot(int, "How many people?", name="people")


def filled(
    said: str, *fields: Slot, known: Mapping[str, JsonValue] | None = None, language: str = "en"
) -> dict[str, JsonValue]:
    reading = Reading(
        message=said,
        slots={one.name: one for one in fields},
        actions=(),
        known=known or {},
        today=NOW,
        language=language,
    )
    return {name: one.value for name, one in both_days(HeardMessage(reading))}


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "from the 3rd to the 6th of December"),
        ("de", "vom 3. bis 6. Dezember"),
        ("es", "del 3 al 6 de diciembre"),
        ("it", "dal tre al sei dicembre"),
        ("zh", "12月3号到6号"),
    ],
)
def test_its_ends_are_the_two_days(language: str, said: str) -> None:
    told = {"first": "2026-12-03", "last": "2026-12-06"}
    assert filled(said, PEOPLE, FIRST, LAST, language=language) == told


@pytest.mark.parametrize(
    "said",
    [
        "the 3rd of December",
        "the 3rd and the 6th of December",
        "the 3rd, the 4th to the 6th of December",
        "not from the 3rd to the 6th of December",
        "what does it cost from the 3rd to the 6th of December?",
        "from the 3rd of December 2026 to the 6th of November 2026",
    ],
)
def test_what_is_no_one_range_fills_none(said: str) -> None:
    assert filled(said, FIRST, LAST) == {}


def test_a_form_with_other_days_or_known_ones_is_left_alone() -> None:
    said = "from the 3rd to the 6th of December"
    third = slot(date, "When shall we call?", name="call")
    born = slot(date, "When were you born?", name="born", tense="past")
    assert filled(said, FIRST) == {}
    assert filled(said, FIRST, LAST, third) == {}
    assert filled(said, FIRST, born) == {}
    assert filled(said, FIRST, LAST, known={"last": "2026-12-24"}) == {}
