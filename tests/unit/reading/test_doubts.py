"""What a message states, and what it only names: asked, denied, supposed, past, of somebody else,
quoted, or fit for several questions."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any

import pytest

from sayso.core.extraction_ops import Doubt, Reading
from sayso.core.requirements import RequirementState, next_questions
from sayso.gate.actions import Actions
from sayso.gate.fields import Ask, Requirements
from sayso.reading.doubts import doubts_in
from sayso.reading.evidence import is_stated, supports
from sayso.reading.heard_message import HeardMessage
from sayso.reading.lexicon import lexicon
from sayso.reading.sureness import least_in
from tests.unit.reading.readers import read, slot, suggested, values

VERSION = slot(str, "Which version?", name="version")
REPLICAS = slot(int, "How many replicas?", name="replicas")
SURE = slot(bool, "Shall the migrations run?", name="migrate")
LENGTH = slot(timedelta, "How long is the trip?", name="trip_duration")


@pytest.mark.parametrize(
    ("said", "doubt"),
    [
        ("Do people fly to Tokyo?", "asked"),
        ("If I had a month I would go to Chile", "supposed"),
        ("maybe to Rome", "supposed"),
        ("Last year we went to Greece", "past"),
        ("My boss flies to Dubai", "of_another"),
        ("Tom: I want to go to Rome", "quoted"),
        ("> I want to go to Rome", "quoted"),
    ],
)
def test_what_is_named_and_not_stated_is_a_suggestion(said: str, doubt: str) -> None:
    assert values(said) == {}
    found = suggested(said)["destination"]
    assert found[1] == doubt


@pytest.mark.parametrize(
    "said",
    [
        "How about Rome?",
        "Can you find me something in Rome?",
        "I would love to go to Rome",
        "See if there is a train to Rome",
    ],
)
def test_what_is_proposed_or_asked_for_is_stated(said: str) -> None:
    assert values(said, asked=["destination"])["destination"] == "Rome"


@pytest.mark.parametrize(
    ("language", "said", "doubt"),
    [
        ("pt", "é o aluguel deste mês", None),
        ("es", "es el alquiler de este mes", None),
        ("it", "è l'affitto di questo mese", None),
        ("pt", "é o aluguel deste mês?", Doubt.ASKED),
        ("en", "is the rent in it", Doubt.ASKED),
    ],
)
def test_where_a_subject_is_left_out_is_the_asks_nothing(
    language: str, said: str, doubt: Doubt | None
) -> None:
    assert [found for _, found in doubts_in(said, lexicon(language))] == [doubt]


def test_what_is_denied_is_not_even_offered() -> None:
    assert read("I'm not going to Paris") == []


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("", "hello"),
        ("", "lol"),
        ("", "good evening"),
        ("", "see above"),
        ("", "depends on the weather"),
        ("", "the same as last time"),
        ("", "Can you speak German"),
        ("", "hmm let me look"),
        ("de", "Moin!"),
        ("fr", "bonne question"),
        ("es", "dame un segundo"),
        ("ja", "少々お待ちください"),
    ],
)
def test_a_greeting_or_a_filler_is_no_answer(language: str, said: str) -> None:
    assert values(said, asked=["destination"], language=language) == {}
    assert values(said, VERSION, asked=["version"], language=language) == {}


def test_a_bare_word_that_two_questions_could_take_is_a_suggestion() -> None:
    both = ["destination", "current_location"]
    assert values("Geneva", asked=both) == {}
    [(name, offered)] = suggested("Geneva", asked=both).items()  # which of them is a guess
    assert name in both
    assert offered == ("Geneva", "ambiguous")
    assert values("Geneva", asked=["destination"]) == {"destination": "Geneva"}


def test_who_speaks_of_themselves_names_no_place() -> None:
    assert values("I'm tired", asked=["destination"]) == {}


@pytest.mark.parametrize(
    ("said", "known", "found"),
    [
        ("actually let's do Naples", {"destination": "Rome"}, {"destination": "Naples"}),
        ("sorry, I meant Bergen", {"destination": "Oslo"}, {"destination": "Bergen"}),
        ("swap Rome for Milan", {"current_location": "Oslo", "destination": "Rome"},
         {"destination": "Milan"}),
        ("make that 8", {"trip_duration": "P7D"}, {"trip_duration": "P8D"}),
        ("7 -> 9 days", {"trip_duration": "P7D"}, {"trip_duration": "P9D"}),
        ("one day longer", {"trip_duration": "P7D"}, {"trip_duration": "P8D"}),
        ("two days less", {"trip_duration": "P7D"}, {"trip_duration": "P5D"}),
        ("forget the destination", {"destination": "Rome"}, {"destination": None}),
        ("Not Oslo", {"destination": "Oslo"}, {"destination": None}),
    ],
)  # fmt: skip
def test_a_correction_belongs_to_what_it_names(said: str, known: Any, found: Any) -> None:
    days = slot(timedelta, "For how many days?", name="trip_duration")
    places = [
        slot(str, "Where are you going?", name="destination"),
        slot(str, "Where will you be traveling from?", name="current_location"),
    ]
    people = slot(int, "Alone or with others?", name="num_travelers")
    asked = ["current_location"] if "current_location" not in known else ["num_travelers"]
    slots = (*places, days, people)
    assert values(said, *slots, known=known, asked=asked) == found


def test_whoever_reads_the_words_have_to_state_the_value() -> None:
    rome = slot(str, "Where are you going?", name="destination")
    assert is_stated("Rome", "Rome", rome, "I'm going to Rome")
    assert not is_stated("Rome", "Rome", rome, "is Rome nice in May?")
    assert not is_stated("Rome", "Rome", rome, "I'm not going to Rome")
    assert not is_stated("Rome", "Rome", rome, "I'm going to Oslo")
    assert is_stated("one day longer", "P8D", LENGTH, "one day longer please", known="P7D")
    assert not is_stated("one day longer", "P8D", LENGTH, "one day longer please")


@pytest.mark.parametrize("said", ["4", "use 4", "four"])
def test_a_bare_number_that_two_questions_could_take_is_a_guess(said: str) -> None:
    both = ["version", "replicas"]
    assert values(said, VERSION, REPLICAS, asked=both) == {}
    assert suggested(said, VERSION, REPLICAS, asked=both)["replicas"] == (4, "ambiguous")


@pytest.mark.parametrize("said", ["3 or 4", "between 3 and 4", "3-4"])
def test_one_of_two_numbers_is_a_guess(said: str) -> None:
    assert values(said, REPLICAS, asked=["replicas"]) == {}


@pytest.mark.parametrize("said", ["no worries take your time", "hmm yes no", "not sure"])
def test_what_is_neither_a_yes_nor_a_no_answers_no_yes_or_no_question(said: str) -> None:
    assert values(said, SURE, asked=["migrate"]) == {}


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "yes no"),
        ("en", "no worries take your time"),
        ("de", "ja, nein"),
        ("es", "sí no"),
        ("ja", "はい、いいえ"),
    ],
)
def test_words_of_both_state_neither_whoever_reads_them(language: str, said: str) -> None:
    for value in (True, False):
        assert not supports(said, value, SURE, language=language, asked=True)


@pytest.mark.parametrize(
    ("language", "said", "value"),
    [
        ("en", "why not", True),
        ("en", "of course not", False),
        ("de", "natürlich nicht", False),
        ("fr", "bien sûr que non", False),
        ("es", "claro que no", False),
        ("it", "certo che no", False),
        ("nl", "zeker niet", False),
        ("pt", "claro que não", False),
        ("zh", "当然不", False),
        ("de", "kein Problem", True),
        ("fr", "pas de problème", True),
        ("es", "cómo no", True),
        ("it", "come no", True),
        ("nl", "geen probleem", True),
        ("pt", "sem problema", True),
        ("ja", "問題ありません", True),
        ("zh", "没问题", True),
        ("es", "sí, no hay prisa", True),
        ("en", "no, yes, wait", False),
    ],
)
def test_a_no_within_a_saying_and_one_in_a_later_clause_leave_the_first_as_it_is(
    language: str, said: str, value: bool
) -> None:
    assert supports(said, value, SURE, language=language, asked=True)
    assert not supports(said, not value, SURE, language=language, asked=True)


def test_a_yes_or_no_question_is_asked_alone() -> None:
    class Deployment(Requirements):
        version: Annotated[str, Ask("Which version?")]
        migrate: Annotated[bool, Ask("Shall the migrations run?")]

    actions = Actions()
    actions.add("deploy", None, requires=Deployment)
    found = next_questions(actions.specs, RequirementState())
    assert [one.name for one in found] == ["version"]
    assert values("yes", VERSION, SURE, asked=["version", "migrate"]) == {}


def test_what_stands_right_behind_a_not_is_no_answer() -> None:
    said = "cuatro personas, no cinco"
    guests = slot(int, "¿Cuántas personas?", name="guests")
    message = HeardMessage(
        Reading(message=said, slots={"guests": guests}, actions=[], asked=["guests"])
    )
    at = said.index("cinco")
    assert least_in("guests", at, at + 5, message) > 1 > least_in("guests", 0, 6, message)
