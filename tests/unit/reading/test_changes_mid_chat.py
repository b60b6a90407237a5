"""In the middle of a chat, where most of a form is known: what people say anew replaces it, with no
word that says so; and whoever else they speak of takes nobody's place."""

from __future__ import annotations

from typing import Literal

import pytest
from pydantic import JsonValue

from sayso.core.requirements import Pending
from tests.unit.reading.readers import slot, suggested, values

FLIGHT = [
    slot(str, "Flight ID", name="flight"),
    slot(str, "Customer name", name="customer"),
    slot(int, "Passengers", name="passengers"),
    slot(Literal["economy", "business"], "Class", name="cabin"),
]
RIDE = [
    slot(str, "Customer name", name="customer"),
    slot(str, "Pickup location", name="pickup"),
    slot(str, "Drop-off location", name="dropoff"),
    slot(int, "Passengers", name="passengers"),
]
PARTY = [
    slot(str, "Host name", name="host"),
    slot(str, "Venue", name="venue"),
    slot(int, "Number of guests", name="guests"),
    slot(str, "Food request", name="food"),
]
KNOWN_FLIGHT: dict[str, JsonValue] = {"flight": "311", "customer": "Nadia Holm"}
KNOWN_RIDE: dict[str, JsonValue] = {
    "customer": "Nadia Holm",
    "pickup": "Grove Street",
    "dropoff": "the hospital",
}
KNOWN_PARTY: dict[str, JsonValue] = {"host": "Nadia", "venue": "the Boathouse", "guests": 30}
CARD = Pending(id="c", kind="card", hashes={"do": "h"})


TRIP = (
    slot(str, "Where are you going?", name="destination"),
    slot(str, "Where are you leaving from?", name="origin"),
)


@pytest.mark.parametrize("pending", [None, CARD], ids=["no card", "card"])
@pytest.mark.parametrize(
    ("said", "field"),
    [
        ("set the origin to Hamburg", "origin"),
        ("the origin should be Hamburg", "origin"),
        ("Origin: Hamburg", "origin"),
        ("set the destination to Hamburg", "destination"),
        ("the origin is fine, but go to Hamburg instead", "destination"),
    ],
)
def test_a_field_called_by_its_label_has_the_new_value(
    said: str, field: str, pending: Pending | None
) -> None:
    known: dict[str, JsonValue] = {"destination": "Rome", "origin": "Berlin"}
    assert values(said, *TRIP, known=known, pending=pending) == {field: "Hamburg"}


@pytest.mark.parametrize("pending", [None, CARD], ids=["no card", "card"])
@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("flight 274 please", "en"),
        ("no that was my connecting flight, it should be 274", "en"),
        ("oh sorry, I typed the wrong number, it's 274", "en"),
        ("274 then", "en"),
        ("The flight ID was actually 274.", "en"),
        ("Ahh not that flight.   The ID is 274.   Jeez", "en"),
        ("dann halt Flug 274", "de"),
        ("alors le vol 274", "fr"),
        ("entonces el vuelo 274", "es"),
        ("allora il volo 274", "it"),
        ("doe dan maar vlucht 274", "nl"),
        ("então o voo 274", "pt"),
        ("それでは274便でお願いします", "ja"),
        ("那就274航班吧", "zh"),
    ],
)
def test_another_number_replaces_the_known_one(
    said: str, language: str, pending: Pending | None
) -> None:
    found = values(said, *FLIGHT, known=KNOWN_FLIGHT, pending=pending, language=language)
    assert found.keys() == {"flight"}
    assert str(found["flight"]).removesuffix("便") == "274"


@pytest.mark.parametrize("pending", [None, CARD], ids=["no card", "card"])
@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("I need to be at the airport, not the hospital, sorry", {"dropoff": "the airport"}),
        ("I walked a bit, I'm at Dock Road now, pick me up there", {"pickup": "Dock Road"}),
        ("take me to Dock Road", {"dropoff": "Dock Road"}),
        ("make that under my wife's name, Ana Ruiz", {"customer": "Ana Ruiz"}),
    ],
)
def test_another_place_or_name_replaces_the_known_one(
    said: str, found: dict[str, JsonValue], pending: Pending | None
) -> None:
    assert values(said, *RIDE, known=KNOWN_RIDE, pending=pending) == found


@pytest.mark.parametrize("pending", [None, CARD], ids=["no card", "card"])
def test_the_field_whose_word_is_said_has_the_new_value(pending: Pending | None) -> None:
    said = "can we change the pickup to Dock Road? the rest is fine"
    assert values(said, *RIDE, known=KNOWN_RIDE, pending=pending) == {"pickup": "Dock Road"}


@pytest.mark.parametrize("pending", [None, CARD], ids=["no card", "card"])
@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("I'm so excited for Mark, he just got promoted!", "en"),
        ("Mark loves the place, he had his wedding there", "en"),
        ("my PIN is 7402 if you need it", "en"),
        ("I'd love 2000 extra too, haha", "en"),
        ("Ich freue mich so für Jonas, er hat endlich bestanden", "de"),
        ("ma sœur Chloé va adorer, j'en suis sûre", "fr"),
        ("mi primo Andrés se va a poner contentísimo", "es"),
        ("mia zia Carla non sta più nella pelle", "it"),
        ("mijn broer Sander heeft er zo'n zin in", "nl"),
        ("o meu amigo Rui vai adorar a surpresa", "pt"),
        ("友達の健太もきっと喜ぶと思います", "ja"),
        ("我朋友小林肯定会很开心的", "zh"),
    ],
)
def test_whoever_else_is_spoken_of_replaces_nobody(
    said: str, language: str, pending: Pending | None
) -> None:
    assert values(said, *PARTY, known=KNOWN_PARTY, pending=pending, language=language) == {}


def test_a_new_value_in_doubt_is_asked_about_and_the_old_one_stands_no_more() -> None:
    said = "perhaps flight 274?"
    assert values(said, *FLIGHT, known=KNOWN_FLIGHT) == {"flight": None}
    assert suggested(said, *FLIGHT, known=KNOWN_FLIGHT) == {"flight": ("274", "supposed")}


def test_a_name_in_doubt_leaves_the_known_one_as_it_is() -> None:
    said = "That would be great for Mark"
    assert values(said, *PARTY, known=KNOWN_PARTY) == {}
    assert "host" in suggested(said, *PARTY, known=KNOWN_PARTY)


@pytest.mark.parametrize(
    "said",
    [
        "Hello. I'm Ben and I want to throw a surprise party for my colleague, Mark.",
        "My name is Ben, it's a party for my friend Mark",
    ],
)
def test_whom_a_party_is_for_is_not_who_gives_it(said: str) -> None:
    assert values(said, *PARTY)["host"] == "Ben"


@pytest.mark.parametrize(
    ("said", "question", "known", "nights"),
    [
        ("再多住一晚", "住几晚？", 3, 4),
        ("多住两晚", "住几晚？", 3, 5),
        ("少住一晚", "住几晚？", 3, 2),
        ("あと一泊追加で", "何泊ですか？", 3, 4),
        ("2 more nights", "How many nights?", 3, 5),
        ("zwei Nächte länger", "Wie viele Nächte?", 3, 5),
        ("five nights", "How many nights?", 3, 5),
    ],
)
def test_more_of_what_a_field_counts_is_added(
    said: str, question: str, known: int, nights: int
) -> None:
    asked = slot(int, question, name="nights")
    assert values(said, asked, known={"nights": known}) == {"nights": nights}


def test_more_people_are_added() -> None:
    people = slot(int, "几位客人？", name="people")
    assert values("再加两个人", people, known={"people": 4}) == {"people": 6}
