"""An answer is heard whatever is said behind it, unless that puts it in doubt."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, time
from typing import Any, Literal

import pytest
from pydantic import JsonValue

from sayso.core.extraction_ops import Reading
from sayso.core.requirements import Pending
from sayso.reading.answer_first import answers_alone
from tests.unit.reading.readers import NOW, slot, values

PEOPLE, NAME = (int, "How many people?"), (str, "What is the name?")
PLACE, DAY, HOUR = (str, "Where to?"), (date, "Which day?"), (time, "At what time?")
SIZE = (Literal["Small", "Large"], "Which size?")


def answered(asked: tuple[Any, str], said: str, language: str) -> dict[str, JsonValue]:
    return values(said, slot(*asked, name="field"), asked=["field"], language=language)


@pytest.mark.parametrize(
    ("asked", "language", "said", "value"),
    [
        (PEOPLE, "en", "4 people, is that place good or expensive?", 4),
        (PEOPLE, "en", "4, will we all fit in one car?", 4),
        (PEOPLE, "en", "5 of us in total, it's a hen party so apologies in advance", 5),
        (PEOPLE, "en", "2 adults and a toddler, can we get a cot?", 3),
        (PEOPLE, "de", "vier, habt ihr auch Kindersitze?", 4),
        (PEOPLE, "it", "in quattro, ma ci stiamo in una macchina normale?", 4),
        (PEOPLE, "pt", "somos 5, isso cabe tudo num carro só?", 5),
        (PEOPLE, "nl", "vier, hebben jullie ook kinderstoelen?", 4),
        (PEOPLE, "ja", "4人です、駐車場はありますか？", 4),
        (PEOPLE, "zh", "4个人，一辆车坐得下吗？", 4),
        (NAME, "it", "Rossi, quanto ci vuole?", "Rossi"),
        (PLACE, "en", "Lisbon, do I need a visa?", "Lisbon"),
        (DAY, "en", "the 18th, is it cheaper midweek?", "2026-12-18"),
        (HOUR, "en", "19:00, is it going to be busy with the match on?", "19:00:00"),
        (SIZE, "en", "the large one, do you need my address?", "Large"),
        (SIZE, "en", "the small one, the other won't fit in the hall", "Small"),
    ],
)
def test_an_answer_is_heard_before_talk(
    asked: tuple[Any, str], language: str, said: str, value: JsonValue
) -> None:
    assert answered(asked, said, language) == {"field": value}


@pytest.mark.parametrize(
    ("asked", "language", "said"),
    [
        (PEOPLE, "en", "4, right?"),
        (PEOPLE, "en", "6, or would seven be a problem?"),
        (PEOPLE, "en", "5, I'm not sure though"),
        (PEOPLE, "en", "4. ah no wait forget what I said"),
        (PEOPLE, "en", "we're 6, could you do 8?"),
        (PEOPLE, "en", "8, if my cousins come"),
        (PLACE, "en", "Lisbon, is it warm there now?"),
        (PLACE, "en", "you mean like Lisbon, something in that style?"),
        (PLACE, "en", "Porto, but we could never pay for that"),
        (SIZE, "en", "large, what does it cost me?"),
        (SIZE, "en", "small, is the large one much dearer?"),
        (SIZE, "pt", "no grande pode-se fumar?"),
        (PLACE, "en", '"Lisbon", do I need a visa?'),
        (PEOPLE, "en", "4, we were 5 last time"),
        (PEOPLE, "en", "4, can you make it 5?"),
        (DAY, "en", "the 18th, I'm away on the 19th"),
        (PEOPLE, "en", "4"),
        (PEOPLE, "en", "is it far, and do we need boots?"),
        (PLACE, "zh", "【限时特惠】巴黎，3月31日截止"),
    ],
)
def test_but_not_where_the_talk_is_about_the_answer(
    asked: tuple[Any, str], language: str, said: str
) -> None:
    assert [*answers_alone(_reading(asked, said, language))] == []


@pytest.mark.parametrize(
    ("asked", "language", "said", "answer"),
    [
        (PEOPLE, "en", "3, can we get a cot?", "3"),
        (PEOPLE, "en", "4, will we all fit in 1 car?", "4"),
        (PEOPLE, "de", "vier, habt ihr auch Kindersitze?", "vier"),
        (SIZE, "en", "the small one, do you need my address?", "the small one"),
        (NAME, "en", "Bob Moss - why do you ask me that?", "Bob Moss"),
    ],
)
def test_what_is_read_by_itself(
    asked: tuple[Any, str], language: str, said: str, answer: str
) -> None:
    found = [*answers_alone(_reading(asked, said, ""))]
    assert [one.message for _, one in found] == [answer]
    assert {one.language for _, one in found} == {language}


def test_without_a_day_it_is_cut_as_well() -> None:
    reading = replace(_reading(DAY, "the 18th, is it cheaper midweek?", "en"), today=None)
    assert [one.message for _, one in answers_alone(reading)] == ["the 18th"]


def test_only_what_was_asked_for_is_answered() -> None:
    reading = _reading(PEOPLE, "4 people, is that place good or expensive?", "en")
    assert [name for name, _ in answers_alone(reading)] == ["field"]
    assert [*answers_alone(replace(reading, asked=()))] == []


def test_at_the_card_it_is_no_answer() -> None:
    reading = _reading(PEOPLE, "4 people, is that place good or expensive?", "en")
    card = Pending(id="card", kind="card", hashes={})
    assert [*answers_alone(replace(reading, pending=card))] == []


def _reading(asked: tuple[Any, str], said: str, language: str) -> Reading:
    field = slot(*asked, name="field")
    return Reading(
        message=said,
        slots={"field": field},
        actions=(),
        asked=["field"],
        today=NOW,
        language=language,
    )
