"""Values that a message says: each kind, each with its exact words."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Literal

import pytest
from pydantic import BaseModel

from sayso.core.extraction_ops import Correct, Set
from tests.unit.reading.readers import UNHEARD, read, slot, values


class Money(BaseModel):
    amount: Decimal
    currency: str = "EUR"


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("for 10 days", "P10D"),
        ("two weeks", "P14D"),
        ("a week and a half", "P10DT12H"),
        ("a 3-day trip", "P3D"),
        ("2 weeks and 3 days", "P17D"),
        ("1 hour 30 minutes", "PT1H30M"),
        ("a fortnight", "P14D"),
        ("five nights", "P5D"),
        ("twenty one days", "P21D"),
        ("Berlin", None),
    ],
)
def test_lengths_of_time(said: str, value: str | None) -> None:
    length = slot(timedelta, "How long?", name="length")
    assert values(said, length).get("length") == value


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("on March 3rd", "2027-03-03"),
        ("the 5th", "2026-12-05"),
        ("the 25th of this month", "2026-11-25"),
        ("12 December", "2026-12-12"),
        ("December 12, 2027", "2027-12-12"),
        ("2027-01-31", "2027-01-31"),
        ("tomorrow", "2026-11-23"),
        ("the day after tomorrow", "2026-11-24"),
        ("next Friday", "2026-11-27"),
        ("Monday next week", "2026-11-23"),
        ("in 3 days", "2026-11-25"),
        ("two weeks from now", "2026-12-06"),
        ("on 12/24", "2026-12-24"),
        ("February 30", None),
        ("for 10 days", None),
    ],
)
def test_days(said: str, value: str | None) -> None:
    assert values(said, slot(date, "When?", name="day")).get("day") == value


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("at 5:15 pm", "17:15:00"),
        ("5 pm", "17:00:00"),
        ("17:30", "17:30:00"),
        ("half past 3 in the afternoon", "15:30:00"),
        ("11 o'clock", "11:00:00"),
        ("quarter to 5 in the evening", "16:45:00"),
        ("noon", "12:00:00"),
        ("7 in the evening", "19:00:00"),
        ("morning 11", "11:00:00"),
        ("12 am", "00:00:00"),
        ("12 at night", "00:00:00"),
        ("2 at night", "02:00:00"),
        ("um 2 Uhr nachts", "02:00:00"),
        ("um 11 Uhr nachts", "23:00:00"),
        ("a las 3 de la madrugada", "03:00:00"),
        ("alle 2 di notte", "02:00:00"),
        ("om 2 uur 's nachts", "02:00:00"),
        ("às 12 da noite", "00:00:00"),
        ("夜10時に", "22:00:00"),
        ("晚上12点", "00:00:00"),
        ("for 10 days", None),
        ("$15", None),
    ],
)
def test_times_of_day(said: str, value: str | None) -> None:
    assert values(said, slot(time, "When?", name="at")).get("at") == value


def test_a_bare_number_is_a_time_only_where_one_was_asked_for() -> None:
    at = slot(time, "What time?", name="at")
    assert values("7", at) == {}
    assert values("at 7", at, asked=["at"]) == {"at": "07:00:00"}


def test_a_day_with_its_time() -> None:
    at = slot(datetime, "When?", name="at")
    assert values("next friday at 5 pm", at) == {"at": "2026-11-27T17:00:00"}


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("$3,500", 3500),
        ("3.500 €", 3500),
        ("1,430 bucks", 1430),
        ("two thousand dollars", 2000),
        ("3k", 3000),
        ("a budget of 3000", 3000),
        ("USD 99.50", 99.5),
        ("10 days", None),
    ],
)
def test_amounts_of_money(said: str, value: float | None) -> None:
    assert values(said, slot(float, "What is your budget?", name="budget")).get("budget") == value


def test_an_amount_with_its_currency() -> None:
    price = slot(Money, "How much?", name="price")
    assert values("about 20 pounds", price) == {"price": {"amount": 20, "currency": "GBP"}}


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("with my wife and two kids", 4),
        ("my wife and I", 2),
        ("just me and my boyfriend", 2),
        ("my son is coming too, so three of us", 3),
        ("solo", 1),
        ("I travel alone", 1),
        ("there are three of us", 3),
        ("a family of four", 4),
        ("2 adults and 3 children", 5),
        ("for 2 people", 2),
        ("with 3 friends", 4),
        ("with friends", None),
        ("for 10 days", None),
    ],
)
def test_numbers_of_people(said: str, value: int | None) -> None:
    travelers = slot(int, "Alone or with others?", name="num_travelers")
    assert values(said, travelers).get("num_travelers") == value


def test_things_are_counted_by_their_own_noun() -> None:
    rooms = slot(int, "How many rooms?", name="number_of_rooms")
    assert values("two rooms for 10 days", rooms) == {"number_of_rooms": 2}
    assert values("10 days", rooms) == {}
    assert values("three", rooms, asked=["number_of_rooms"]) == {"number_of_rooms": 3}


def test_choices() -> None:
    size = slot(Literal["Compact", "Full-size"], "Which?", name="size")
    assert values("a full size one", size) == {"size": "Full-size"}
    assert values("compct", size) == {}
    assert values("compct", size, asked=["size"]) == {"size": "Compact"}
    where = slot(str, "Where?", name="device", choices=["Kitchen speaker", "Bedroom speaker"])
    assert values("play it in the kitchen", where) == {"device": "Kitchen speaker"}
    titles = slot(Literal["None", "English"], "Which?", name="subtitles")
    assert values("without any subtitles", titles) == {"subtitles": "None"}


@pytest.mark.parametrize("none", ["None", "keine", "aucun", "なし"])
def test_an_option_that_says_none_in_any_language_is_chosen_by_a_no(none: str) -> None:
    titles = slot(str, "Which?", name="subtitles", choices=[none, "English"])
    assert values("without any subtitles", titles) == {"subtitles": none}


def test_yes_and_no_about_a_thing() -> None:
    shared = slot(bool, "Do you mind sharing?", name="shared_ride")
    assert values("a shared ride is fine", shared) == {"shared_ride": True}
    assert values("I don't want a shared ride", shared) == {"shared_ride": False}
    assert values("is it a shared ride?", shared) == {}
    assert values("yes", shared) == {}
    assert values("yes", shared, asked=["shared_ride"]) == {"shared_ride": True}


def test_where_from_and_where_to() -> None:
    assert values("I'm flying from NYC to Tokyo for 10 days with my wife") == {
        "current_location": "NYC",
        "destination": "Tokyo",
        "trip_duration": "P10D",
        "num_travelers": 2,
    }
    assert values("from oslo to new york")["destination"] == "new york"
    assert values("a checklist for my Rome trip")["destination"] == "Rome"
    assert values("I want to relax") == {}
    assert values("What's the weather in Rome?") == {}


def test_two_days_by_the_part_they_play() -> None:
    first = slot(date, "When do you pick it up?", name="pickup_date")
    last = slot(date, "When do you bring it back?", name="return_date")
    found = values("from December 9th until the 12th of December", first, last)
    assert found == {"pickup_date": "2026-12-09", "return_date": "2026-12-12"}
    assert values("I return it on December 12th", first, last) == {"return_date": "2026-12-12"}


def test_bare_answers_find_what_was_asked() -> None:
    assert values("Paris, please", asked=["destination"]) == {"destination": "Paris"}
    assert values("lisbon", asked=["destination"]) == {"destination": "lisbon"}
    asked = ["trip_duration", "num_travelers"]
    assert values("5 days, solo", asked=asked) == {"trip_duration": "P5D", "num_travelers": 1}
    likes = values("food, art and long walks", asked=["interests"])
    assert likes == {"interests": ["food", "art", "long walks"]}
    for no_answer in ("not yet", "yes", "what do you mean?", "create both"):
        assert values(no_answer, asked=["interests"]) == {}


def test_lists() -> None:
    assert values("I love hiking and good food") == {"interests": ["hiking", "good food"]}
    assert values("interests: art, wine or music") == {"interests": ["art", "wine", "music"]}


def test_what_was_offered_is_taken_up() -> None:
    offered = {"destination": ["Rome"]}
    assert values("That sounds great!", offered=offered) == {"destination": "Rome"}
    assert values("Is there anything else?", offered=offered) == {}
    several = {"destination": ["Rome", "Florence"]}
    assert values("the second one", offered=several) == {"destination": "Florence"}
    assert values("rome it is", offered=several) == {"destination": "Rome"}
    assert values("sounds great", offered=several) == {}


@pytest.mark.parametrize(
    ("said", "name", "value"),
    [
        ("actually 12 days", "trip_duration", "P12D"),
        ("make it 12", "trip_duration", "P12D"),
        ("not Rome, Florence", "destination", "Florence"),
    ],
)
def test_corrections(said: str, name: str, value: str) -> None:
    known = {"destination": "Rome", "trip_duration": "P10D"}
    units = slot(timedelta, "For how many days?", name="trip_duration")
    place = slot(str, "Where to?", name="destination")
    [op] = read(said, units, place, known=known)
    assert isinstance(op, Correct)
    assert (op.slot, op.value) == (name, value)


def test_taking_a_value_back() -> None:
    assert values("forget the budget", known={"total_budget": 100}) == {"total_budget": None}
    assert values("forget the budget") == {}


def test_places_stand_in_the_message_as_it_was_typed() -> None:
    said = "I’d go to Rome — 10 days"
    found = {op.slot: op for op in read(said) if isinstance(op, Set)}
    assert said[slice(*(found["destination"].span or (0, 0)))] == "Rome"
    assert said[slice(*(found["trip_duration"].span or (0, 0)))] == "10 days"


RESTAURANT = (
    slot(str, "Name of the restaurant?", name="restaurant_name"),
    slot(str, "City where the restaurant is?", name="city"),
)


@pytest.mark.parametrize(
    ("said", "found"),
    [
        (
            "a table at Siam Palace in Hayward",
            {"restaurant_name": "Siam Palace", "city": "Hayward"},
        ),
        ("I want to eat in Palo Alto", {"city": "Palo Alto"}),
        ("an appointment with Hitters Barber Shop", {"restaurant_name": "Hitters Barber Shop"}),
        ("Around Oslo.", {"city": "Oslo"}),
        ("something in Seattle. Sports are cool", {"city": "Seattle"}),
        ("I want to go to a restaurant", {}),
        ("i want to go to a restaurant", {}),
    ],
)
def test_names_are_parted_from_the_place_they_are_in(said: str, found: dict[str, str]) -> None:
    assert values(said, *RESTAURANT) == found


@UNHEARD
def test_a_sort_of_film_is_no_title() -> None:
    title = slot(str, "Title of the movie?", name="title")
    assert values("I like to watch Drama movies", title) == {}


def test_what_is_watched_or_told_by_its_own_word() -> None:
    title = slot(str, "Title of the movie?", name="title")
    assert values("I feel like watching The Invisibles", title) == {"title": "The Invisibles"}
    assert values("Shine a Light", title, asked=["title"]) == {"title": "Shine a Light"}
    city = slot(str, "Which city?", name="city")
    assert values("The city is Burlingame", city) == {"city": "Burlingame"}


def test_an_address_is_neither_a_day_nor_a_town() -> None:
    when = slot(date, "When?", name="day")
    assert values("at 1532 20th Street", when) == {}
    house = slot(str, "Address of the house?", name="place")
    assert values("at 881 7th Avenue", house) == {"place": "881 7th Avenue"}
    assert values("something in Oslo", house) == {}


def test_a_day_belongs_to_the_part_that_is_named_right_before_it() -> None:
    first = slot(date, "When do you check in?", name="check_in")
    last = slot(date, "When do you check out?", name="check_out")
    # "to make" leads up to no day, and "to Rome" to a place.
    assert values("I want to make a booking for December 9th", first, last) == {
        "check_in": "2026-12-09"
    }
    assert values("a room in Rome to December 12th", first, last) == {"check_out": "2026-12-12"}
    asked = values("on December 12th", first, last, asked=["check_out"])
    assert asked == {"check_out": "2026-12-12"}
    assert values("I'd check in later today", first, last) == {"check_in": "2026-11-22"}


def test_a_party_is_counted_and_a_way_is_not() -> None:
    party = slot(int, "Alone or with others?", name="num_travelers")
    assert values("a table for two please", party) == {"num_travelers": 2}
    assert values("for 3 days", party) == {}
    assert values("a one way ticket", party) == {}
    assert values("ein Tisch für zwei bitte", party, language="de") == {"num_travelers": 2}
    assert values("une table pour deux", party, language="fr") == {"num_travelers": 2}


def test_asides_and_farewells_say_nothing() -> None:
    when = slot(date, "When?", name="day")
    assert values("That's all I need today", when) == {}
    assert values("Sure, tell me the weather there on the 7th", when) == {}


def test_no_objection_is_no_refusal() -> None:
    shared = slot(bool, "Do you mind sharing?", name="shared_ride")
    assert values("no problem with a shared ride", shared) == {"shared_ride": True}
    assert values("can you get me a shared ride?", shared) == {"shared_ride": True}


def test_a_question_about_an_offer_takes_nothing_up() -> None:
    offered = {"destination": ["Rome"]}
    assert values("Okay, and their phone number?", offered=offered) == {}
    titles = {"destination": ["Dumbo", "the Poseidon Adventure"]}
    assert values("What are the other options?", offered=titles) == {}
    assert values("the class of it", slot(Literal["Business", "First Class"], name="class")) == {}


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("a small car", "Compact"),
        ("something big please", "Full-size"),
        ("a mid-size one", "Standard"),
        ("ein kleines Auto bitte", "Compact"),
        ("une grande voiture s'il vous plaît", "Full-size"),
        ("a red one", None),
    ],
)
def test_a_size_is_the_choice_of_that_size(said: str, value: str | None) -> None:
    size = slot(Literal["Compact", "Standard", "Full-size"], "Which?", name="sort")
    assert values(said, size).get("sort") == value


def test_a_liking_takes_up_nothing_that_was_offered() -> None:
    song = slot(str, "Which song?", name="song_name")
    offered = {"song_name": ["Miss Me More"]}
    assert values("I like that one.", song, offered=offered) == {"song_name": "Miss Me More"}
    assert "Miss Me More" not in values("I like Pop.", song, offered=offered).values()


@pytest.mark.parametrize("question", ["Asset tag", "What is the asset tag?", ""])
def test_an_english_tag_is_no_german_day(question: str) -> None:
    tag = slot(str, question, name="asset_tag")
    assert values("A4471", tag, asked=("asset_tag",)) == {"asset_tag": "A4471"}
