"""An amount or a day that is all that is said answers the question, however it is put."""

from __future__ import annotations

from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any, Literal

import pytest
from pydantic import JsonValue

from sayso.core.extraction_ops import Set
from sayso.reading.lexicon import lexicon
from sayso.reading.plain_answers import could_tell_apart, plain_answer
from sayso.reading.slot_types import shape_of
from tests.unit.reading.readers import NOW, read, slot

TICKETS, PEOPLE = (int, "How many tickets?", "tickets"), (int, "How many people?", "guests")
LENGTH, DAY = (timedelta, "How long?", "length"), (date, "Which day?", "day")
HOUR = (time, "What time?", "start")


@pytest.mark.parametrize(
    ("asked", "language", "said", "value"),
    [
        (TICKETS, "en", "two dozen", 24),
        (TICKETS, "en", "1.5 dozen", 18),
        (TICKETS, "en", "1,200", 1200),
        (TICKETS, "de", "zwei Dutzend", 24),
        (TICKETS, "de", "so um die 55", 55),
        (TICKETS, "es", "dos docenas", 24),
        (TICKETS, "it", "1.200", 1200),
        (TICKETS, "pt", "meia dúzia", 6),
        (PEOPLE, "it", "solo io", 1),
        (PEOPLE, "en", "my wife, me and the twins", 4),
        (PEOPLE, "en", "two adults and a toddler", 3),
        (PEOPLE, "de", "ich und meine Eltern", 3),
        (PEOPLE, "de", "nur wir beide", 2),
        (PEOPLE, "it", "io e i miei genitori", 3),
        (PEOPLE, "pt", "eu e os meus pais", 3),
        (PEOPLE, "ja", "大人2名子供1名", 3),
        (PEOPLE, "ja", "ふたり", 2),
        (PEOPLE, "it", "due adulti e un bambino", 3),
        (PEOPLE, "pt", "dois adultos e uma criança", 3),
        (PEOPLE, "de", "zwei Erwachsene und ein Kind", 3),
        (PEOPLE, "nl", "twee volwassenen en een kind", 3),
        (PEOPLE, "fr", "avec ma femme et mon bébé", 3),
        (PEOPLE, "de", "nur ich und mein Sohn", 2),
        (PEOPLE, "en", "2 adults 1 child", 3),
        (PEOPLE, "fr", "juste moi", 1),
        (PEOPLE, "nl", "met zn vieren", 4),
        (PEOPLE, "zh", "四个大人两个孩子", 6),
        (TICKETS, "nl", "een halve dozijn", 6),
        (PEOPLE, "ja", "私だけ", 1),
        (LENGTH, "en", "an hour or so", "PT1H"),
        (LENGTH, "en", "45 mintues", "PT45M"),
        (DAY, "en", "frday", "2026-11-27"),
        (DAY, "en", "weds", "2026-11-25"),
        (DAY, "es", "juebes", "2026-11-26"),
        (DAY, "fr", "demin", "2026-11-23"),
        (DAY, "nl", "vrijdg", "2026-11-27"),
        (HOUR, "en", "quater past 6 pm", "18:15:00"),
        (LENGTH, "en", "ten days or so", "P10D"),
        (LENGTH, "nl", "een half uur", "PT30M"),
        (LENGTH, "nl", "een halve dag", "PT12H"),
        (LENGTH, "en", "a good hour", "PT1H"),
        (LENGTH, "fr", "une demi-journée", "PT12H"),
        (LENGTH, "it", "un paio d'ore", "PT2H"),
        (LENGTH, "pt", "um par de horas", "PT2H"),
        (DAY, "en", "friday week", "2026-12-04"),
        (DAY, "pt", "amanhã de manhã", "2026-11-23"),
        (DAY, "pt", "sexta de manhã", "2026-11-27"),
        (HOUR, "nl", "kwart voor 4 smiddags", "15:45:00"),
        (HOUR, "nl", "8 uur savonds", "20:00:00"),
        (HOUR, "zh", "上午十点差五分", "09:55:00"),
        (TICKETS, "de", "ein halbes Dutzend bitte", 6),
        (LENGTH, "en", "3 days and 2 nights", "P3D"),
        (LENGTH, "ja", "2泊3日です", "P3D"),
        (LENGTH, "zh", "三天两夜", "P3D"),
        (LENGTH, "pt", "umas três horas", "PT3H"),
        (LENGTH, "es", "unas tres horas", "PT3H"),
        # With a reason behind it.
        (HOUR, "en", "midnight, sad I know", "00:00:00"),
        (LENGTH, "zh", "一个半小时，堵得要命", "PT1H30M"),
        (DAY, "fr", "mardi en huit, on sera rentrés", "2026-12-01"),
        (TICKETS, "es", "veintiocho, contando al nuevo", 28),
    ],
)
def test_it_is_taken(
    asked: tuple[Any, str, str], language: str, said: str, value: JsonValue
) -> None:
    kind, question, name = asked
    ops = read(said, slot(kind, question, name=name), asked=(name,), language=language)
    assert [(type(op), getattr(op, "value", None)) for op in ops] == [(Set, value)]


@pytest.mark.parametrize(
    "said",
    [
        "20, or is that too many?",
        "20, if they all come",
        "20, no wait",
        "20, that was last year",
        "20, says my boss",
        "20, and 30 more",
        "20, not sure yet",
        "20, but maybe fewer",
        "2. Advent, everybody can help then",
    ],
)
def test_talk_behind_it_may_take_it_back(said: str) -> None:
    shape = shape_of(slot(int, "How many tickets?", name="tickets"))
    assert plain_answer(said, shape, lexicon("en"), NOW.date()) is None


@pytest.mark.parametrize("said", ["Jane", "Marsh", "Sandy", "mandatory"])
def test_another_word_is_no_slip_of_a_day(said: str) -> None:
    ops = read(said, slot(date, "Which day?", name="day"), asked=("day",), language="en")
    assert not [op for op in ops if isinstance(op, Set)]


@pytest.mark.parametrize(
    ("language", "said", "limit"),
    [
        ("en", "can't go over £150", "150"),
        ("en", "nothing over 120 please", "120"),
        ("de", "nicht über 60 Euro", "60"),
        ("pt", "até 90 euros, mais do que isso não compensa", "90"),
        ("zh", "最多80欧，再贵我不如换新的", "80"),
    ],
)
def test_what_it_may_not_be_more_than(language: str, said: str, limit: str) -> None:
    field = slot(Decimal, "What is the most you want to pay?", name="limit")
    ops = read(said, field, asked=("limit",), language=language)
    assert {str(getattr(op, "value", None)) for op in ops} == {limit}


@pytest.mark.parametrize("said", ["三五个", "两三个"])
def test_one_of_several_amounts_is_no_larger_number(said: str) -> None:
    ops = read(said, slot(int, "几个人来？", name="guests"), asked=("guests",), language="zh")
    assert not [op for op in ops if isinstance(op, Set)]


@pytest.mark.parametrize(
    ("language", "said", "price"),
    [
        ("pt", "R$ 1.250,00", "1250"),
        ("pt", "12 euros e meio", "12.5"),
        ("en", "A$ 40", "40"),
        ("en", "two and a half grand", "2500"),
        ("en", "two and a half thousand", "2500"),
    ],
)
def test_prices_as_people_write_them(language: str, said: str, price: str) -> None:
    ops = read(said, slot(Decimal, "Price?", name="price"), asked=("price",), language=language)
    assert {str(getattr(op, "value", None)) for op in ops} == {price}


@pytest.mark.parametrize("said", ["4 or 5", "no more than I need", "unas", "3 to 5", "20 or none"])
def test_more_than_one_amount_or_none_is_no_answer(said: str) -> None:
    ops = read(said, slot(int, "How many tickets?", name="tickets"), asked=("tickets",))
    assert not [op for op in ops if isinstance(op, Set)]


@pytest.mark.parametrize("said", ["5 pm", "2 tonight", "20?", '"20"', "12 euros", "3 days", "{20}"])
def test_what_counts_something_else_or_asks_is_no_plain_answer(said: str) -> None:
    shape = shape_of(slot(int, "How many tickets?", name="tickets"))
    assert plain_answer(said, shape, lexicon("en"), NOW.date()) is None


@pytest.mark.parametrize(
    ("said", "taken"),
    [
        ("whoever", {"therapist": "No preference"}),
        ("the last one", {"therapist": "No preference"}),
        ("two dozen", {"tickets": 24}),
        ("of course not", {"lunch": False}),
    ],
)
def test_of_several_questions_the_one_that_it_can_answer(
    said: str, taken: dict[str, JsonValue]
) -> None:
    therapist = Literal["Ms Okafor", "Mr Lindner", "No preference"]
    asked = [
        slot(int, "How many tickets?", name="tickets"),
        slot(therapist, "Which therapist?", name="therapist"),
        slot(bool, "Do you need lunch?", name="lunch"),
    ]
    ops = read(said, *asked, asked=("tickets", "therapist", "lunch"))
    assert {op.slot: op.value for op in ops if isinstance(op, Set)} == taken


@pytest.mark.parametrize(
    ("others", "said"),
    [
        ([(timedelta, "How long?", "length")], "three"),
        ([(str, "Any wishes?", "wishes"), (bool, "Do you need lunch?", "lunch")], "of course not"),
        ([(bool, "Parking?", "parking"), (bool, "Do you need lunch?", "lunch")], "of course not"),
    ],
)
def test_what_several_questions_could_take_is_no_plain_answer(
    others: list[tuple[Any, str, str]], said: str
) -> None:
    shapes = [shape_of(slot(kind, question, name=name)) for kind, question, name in others]
    assert not could_tell_apart([shape_of(slot(int, "How many?", name="guests")), *shapes]), said


@pytest.mark.parametrize("said", ["5 pm", "5 pm, after work"])
def test_a_time_of_plain_text_keeps_its_words(said: str) -> None:
    ops = read(said, slot(str, "What time?", name="start_time"), asked=("start_time",))
    assert not [op for op in ops if isinstance(op, Set) and op.value != "5 pm"]
