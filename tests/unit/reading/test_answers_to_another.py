"""An agent that asks about something else gets an answer about something else: what is known of
ours stands."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from pydantic import JsonValue

from sayso.core.requirements import Pending
from tests.unit.reading.readers import slot, values

PICKUP = slot(date, "When do you pick the car up?", name="pickup_date")
FILM = slot(str, "Which film is it?", name="film_name")
KNOWN: dict[str, Any] = {"known": {"pickup_date": "2026-12-02"}}


def after(question: str, said: str, **beside: Any) -> dict[str, JsonValue]:
    return values(said, PICKUP, tail=[("assistant", question)], **{**KNOWN, **beside})


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("When would you like to see the flat?", "the 4th of December would suit me"),
        ("Wann wollen Sie die Wohnung ansehen?", "am 4. Dezember"),
        ("您想什么时候看房？", "12月4日"),
        ("So that is a visit on December 8th?", "no, I meant December 9th"),
    ],
)
def test_an_answer_to_another_question_changes_nothing_that_is_known(
    question: str, said: str
) -> None:
    assert after(question, said) == {}
    assert after("I have noted that.", said) != {}


TO = slot(str, "Where does the taxi go?", name="destination")


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        ("Which city shall I search for restaurants in?", "in Gilroy please"),
        ("In welcher Stadt soll ich nach Restaurants suchen?", "in Bamberg bitte"),
        ("Dans quelle ville dois-je chercher un médecin ?", "à Lyon"),
    ],
)
def test_what_the_agent_asked_of_something_else_fills_nothing(agent: str, said: str) -> None:
    asked = [("assistant", agent)]
    assert values(said, TO, tail=asked) == {}
    assert values(said, TO, tail=asked, asked=("destination",)) != {}, "this question was ours"


def test_what_names_the_field_or_corrects_what_was_read_out_changes_it() -> None:
    fourth = {"pickup_date": "2026-12-04"}
    assert after("Anything else?", "the pickup is on the 4th of December now") == fourth
    assert after("When do you pick it up?", "December 4th", asked=("pickup_date",)) == fourth
    assert after("On December 2nd, then?", "no, I meant December 4th") == fourth


def test_an_order_and_a_card_say_themselves_what_they_are_about() -> None:
    fourth = {"pickup_date": "2026-12-04"}
    card = Pending(id="c", kind="card", hashes={"do": "h"})
    assert after("Shall I?", "the 4th of December", pending=card) == fourth
    assert after("Can I do anything else?", "book it for the 4th of December") == fourth


@pytest.mark.parametrize(
    ("said", "taken"),
    [
        ("Dumbo is fine, as I have to see something with no subtitles", True),
        ("Dumbo ist gut, und ich will ihn diesmal nicht mit Untertiteln sehen", True),
        ("Dumbo, no thanks", False),
        ("Dumbo? No.", False),
        ("Dumbo I know already, but are there any other ones that run tonight?", False),
    ],
)
def test_a_denial_of_something_else_leaves_an_offer_taken(said: str, taken: bool) -> None:
    found = values(said, FILM, offered={"film_name": ["Dumbo"]})
    assert (found.get("film_name") == "Dumbo") is taken
