"""What a long message costs: twice the words, about twice the work, whatever the words are."""

from __future__ import annotations

import asyncio
import sys
from datetime import date, time
from types import FrameType
from typing import Literal

import pytest

from sayso.core.extraction_ops import Reading
from sayso.core.requirements import Pending
from sayso.reading.intents import intents_in
from sayso.reading.lexicon import lexicon
from sayso.reading.normalize import LONGEST_READ
from sayso.reading.parsers.people import people_in
from sayso.reading.reply_kinds import ReplyKind
from sayso.reading.rule_extractor import RuleExtractor
from sayso.reading.yes_no import heard_in
from tests.unit.reading.readers import NOW, intents, slot, trips, values

#: Rows that have cost the square of their length, or might.
ROWS = (
    "and ",
    "2 adults and ",
    "1 ",
    "5 in the ",
    "$5 ",
    "Rome, ",
    "checklist, ",
    "the 5th, ",
    "Tuesday the 5th, ",
    "3月5日",
    "is the ",
    "can you ",
    "need the address of ",
    "\t",
    "(",
)


@pytest.mark.parametrize("row", ROWS)
def test_twice_the_words_are_about_twice_the_work(row: str) -> None:
    _calls(row, 50)  # patterns are made once
    half, whole = _calls(row, LONGEST_READ // 2), _calls(row, LONGEST_READ)
    assert whole < half * 2.5


def test_a_row_of_linking_words_is_not_read_from_each_of_them() -> None:
    english = lexicon("en")
    with_many = "with " * 20 + "my wife"
    assert [one.words(with_many) for one in people_in(with_many, english)] == [
        "with " * 4 + "my wife"
    ]


def test_a_very_long_message_orders_nothing_even_to_a_question_that_waits() -> None:
    said = "create the checklist" + " " * LONGEST_READ + "please"
    assert intents(said) == []
    actions = trips()
    pending = Pending(id="p", kind="offer", hashes={"checklist": "h"})
    reading = Reading(message=said, slots=actions.slots, actions=actions.specs, pending=pending)
    assert intents_in(reading, said_values=False) == []


#: Nothing in it asks, denies or supposes.
_TALK = "We have talked about this at home for weeks, and the children are happy about it. "


@pytest.mark.parametrize(
    "said",
    [
        "Yes, go ahead. " + _TALK * 25 + "No, wait, don't.",
        "go ahead" + " " * LONGEST_READ + "once I'm back",
    ],
)
def test_a_yes_is_none_where_what_takes_it_back_is_too_far_behind_to_be_read(said: str) -> None:
    assert heard_in(said).leave is ReplyKind.NONE


@pytest.mark.parametrize(
    "end",
    [
        "My brother said: we go to Oslo for 10 days.",
        "If it rains, we go to Oslo for 10 days.",
        "We are not going to Oslo.",
    ],
)
def test_a_value_is_none_where_its_clause_is_too_far_behind_to_be_read(end: str) -> None:
    assert values(" " * LONGEST_READ + end) == {}


def _calls(row: str, length: int) -> int:
    """How often anything is called while such a message is read."""
    made = [
        slot(date, "When do you leave?", name="start_date"),
        slot(date, "When do you return?", name="return_date"),
        slot(time, "What time?", name="at"),
        slot(int, "How many rooms?", name="number_of_rooms"),
        slot(Literal["Compact", "Full-size"], "Which?", name="size"),
    ]
    actions = trips()
    slots = {**actions.slots, **{one.name: one for one in made}}
    # Its length in its first letters keeps what one reading has found out of the other.
    said = f"yes {length} {row * length}"[:length]
    reading = Reading(
        message=said,
        slots=slots,
        actions=actions.specs,
        asked=tuple(slots),
        today=NOW,
        offered={"destination": ["Rome", "Oslo"]},
    )
    count = 0

    def called(frame: FrameType, event: str, given: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    rules = RuleExtractor()
    before = sys.getprofile()
    sys.setprofile(called)
    try:
        asyncio.run(rules.extract(reading))
    finally:
        sys.setprofile(before)
    return count
