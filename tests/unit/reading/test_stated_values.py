"""What is taken of what the network hears: networks that are deaf, certain, almost certain or hear
only the last word stand for the one that ships."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, time, timedelta
from typing import Annotated, Any, Literal

import numpy as np
import pytest
from pydantic import Field, JsonValue

from sayso.core.extraction_ops import Correct, Reading, RequestAction, Set
from sayso.core.requirements import Pending, Slot
from sayso.gate.actions import Actions
from sayso.gate.fields import Ask, Requirements
from sayso.reading import hearing, stated_values, sureness
from sayso.reading.inputs import Inputs, Kind
from sayso.reading.network import Shares, network
from tests.unit.reading.readers import NOW, intents, read, slot, suggested, values

NEEDED = slot(date, "When do you need them?", name="due")
DEPUTY = slot(str, "Qui vous remplace ?", name="deputy")
START = slot(time, "¿A qué hora empezáis?", name="start")
GUESTS = slot(Annotated[int, Field(ge=1)], "How many guests?", name="guests")
HOTEL = slot(str, "Which hotel?", name="hotel")
LENGTH = slot(timedelta, "For how long?", name="length")


@pytest.mark.parametrize(
    ("said", "asked", "value"),
    [
        ("c'est Julie Marchand qui prend le relais", DEPUTY, "Julie Marchand"),
        ("empezamos a las cinco y media de la tarde", START, "17:30:00"),
    ],
)
def test_what_the_network_hears_is_taken(
    said: str, asked: Slot, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert values(said, asked, asked=(asked.name,)) == {asked.name: value}
    monkeypatch.setattr(hearing, "network", _Deaf)
    assert values(said, asked, asked=(asked.name,)) == {}


@pytest.mark.parametrize("said", ["use the Casa Bianca then", "it's going to be Casa Bianca"])
def test_a_name_has_the_words_that_the_network_hears(
    said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert values(said, HOTEL, asked=("hotel",)) == {"hotel": "Casa Bianca"}
    monkeypatch.setattr(hearing, "network", _LastWord)
    assert values(said, HOTEL, asked=("hotel",)) == {"hotel": said.rsplit(maxsplit=1)[-1]}


def test_a_colon_may_join_a_title() -> None:
    title = slot(str, "What title should it have?", name="title")
    said = "Q3 Report: Final Draft"
    assert values(said, title, asked=("title",)) == {"title": said}


def test_what_is_written_as_one_name_is_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    title = slot(str, "What title should it have?", name="title")
    monkeypatch.setattr(hearing, "network", _LastWord)
    for whole in ("feature/login-page", "2.4-rc1", "R&D"):
        assert values(f"it is {whole}", title, asked=("title",)) == {"title": whole}
    assert values("R&D again", title, asked=("title",)) == {"title": "again"}


@pytest.mark.parametrize(("language", "said"), [("de", "die schweiz"), ("nl", "de ardennen")])
def test_a_place_keeps_the_article_that_a_restaurant_loses(
    language: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = slot(str, "Where are you going?", name="destination")
    monkeypatch.setattr(hearing, "network", _LastWord)
    asked: dict[str, Any] = {"asked": ("destination",), "language": language}
    assert values(said, place, **asked) == {"destination": said}
    assert values("the Lanterna", HOTEL, asked=("hotel",)) == {"hotel": "Lanterna"}


def test_a_no_that_only_the_network_hears_has_to_be_heard_more_surely(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    breakfast = slot(bool, "Is breakfast included?", name="breakfast")
    monkeypatch.setattr(hearing, "network", _FairlySureOfNo)
    assert values("no worries take your time", breakfast, asked=("breakfast",)) == {}
    assert values("nope", breakfast, asked=("breakfast",)) == {"breakfast": False}
    monkeypatch.setattr(hearing, "network", _LastWord)
    found = values("no worries take your time", breakfast, asked=("breakfast",))
    assert found == {"breakfast": False}


def test_a_sentence_about_oneself_is_not_offered_as_a_name() -> None:
    person = slot(str, "Who is it for?", name="person")
    assert read("I'm so tired of this", person, asked=("person",)) == []


def test_a_code_is_known_by_its_form(monkeypatch: pytest.MonkeyPatch) -> None:
    version = slot(str, "Which version?", name="version")
    monkeypatch.setattr(hearing, "network", _LastWord)
    assert values("let's roll out 4.11.2", version, asked=("version",)) == {"version": "4.11.2"}


def test_the_own_word_of_a_field_is_no_part_of_its_value() -> None:
    project = slot(str, "Which project does it go to?", name="project")
    for said in ("it goes to project Orion", "project Orion"):
        assert values(said, project, asked=("project",)) == {"project": "Orion"}
    assert values("Hotel Roma", HOTEL, asked=("hotel",)) == {"hotel": "Hotel Roma"}


def test_what_was_offered_and_accepted_needs_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hearing, "network", _Deaf)
    offered = {"hotel": ["Grand Hotel"]}
    for asked in ((), ("hotel",)):
        found = values("that sounds great", HOTEL, asked=asked, offered=offered)
        assert found == {"hotel": "Grand Hotel"}


class _Deaf:
    """A network that hears nothing."""

    def shares(self, inputs: Inputs) -> Shares:
        return Shares([_certain(_count(inputs, k), 0) for k in range(len(inputs.fields))])


class _Certain:
    """A network that is certain of the first thing that any field could mean."""

    def shares(self, inputs: Inputs) -> Shares:
        counts = [_count(inputs, k) for k in range(len(inputs.fields))]
        return Shares([_certain(count, min(1, count)) for count in counts])


class _LastWord:
    """A network that is certain of the last word, for any field of text."""

    def shares(self, inputs: Inputs) -> Shares:
        counts = [_count(inputs, k) for k in range(len(inputs.fields))]
        return Shares([_certain(count, count) for count in counts])


class _FairlySureOfNo(_LastWord):
    """One that is fairly sure of a no."""

    def shares(self, inputs: Inputs) -> Shares:
        return Shares([0.8 * shares for shares in super().shares(inputs).fields])


class _FairlySure(_Certain):
    """One that is less sure: what has no doubt beside it would be taken."""

    def shares(self, inputs: Inputs) -> Shares:
        return Shares([0.8 * shares for shares in super().shares(inputs).fields])


@pytest.mark.parametrize(
    ("hears", "asked", "found"),
    [
        ("_Certain", True, {"breakfast": True}),
        ("_LastWord", True, {"breakfast": False}),
        ("_FairlySure", True, {"breakfast": True}),
        ("_Certain", False, {"breakfast": True}),
        ("_FairlySure", False, {}),
    ],
)
def test_what_nobody_asked_for_has_to_be_heard_more_surely(
    hears: str, asked: bool, found: dict[str, JsonValue], monkeypatch: pytest.MonkeyPatch
) -> None:
    breakfast = slot(bool, "Is breakfast included?", name="breakfast")
    monkeypatch.setattr(hearing, "network", globals()[hears])
    assert values("hm, well", breakfast, asked=("breakfast",) if asked else ()) == found


class _AllButCertain(_Certain):
    def shares(self, inputs: Inputs) -> Shares:
        return Shares([0.9 * shares for shares in super().shares(inputs).fields])


def test_what_is_asked_has_to_be_heard_more_surely_than_what_is_doubted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert sureness.DOUBTED < 0.9 < sureness.IN_QUESTION
    monkeypatch.setattr(hearing, "network", _AllButCertain)
    assert values("is Saturday dearer?", NEEDED, asked=("due",)) == {}
    assert {*values("if it were for Saturday I'd drive", NEEDED, asked=("due",))} == {"due"}
    assert {*values("how about Saturday?", NEEDED, asked=("due",))} == {"due"}


def test_what_is_known_is_corrected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    breakfast = slot(bool, "Is breakfast included?", name="breakfast")
    monkeypatch.setattr(hearing, "network", _Certain)
    for known, kind in (({}, Set), ({"breakfast": False}, Correct)):
        [op] = read("hm, well", breakfast, asked=("breakfast",), known=known)
        assert type(op) is kind
    assert read("hm, well", breakfast, asked=("breakfast",), known={"breakfast": True}) == []


def test_no_network_makes_a_word_an_address_of_mail(monkeypatch: pytest.MonkeyPatch) -> None:
    email = slot(str, "Your e-mail address?", name="email")
    said = "write to ada@example.org"
    assert values(said, email, asked=("email",)) == {"email": "ada@example.org"}
    monkeypatch.setattr(hearing, "network", _LastWord)
    assert values(said, email, asked=("email",)) == {"email": "ada@example.org"}
    assert values("ask me later please", email, asked=("email",)) == {}


def test_no_network_puts_a_past_day_in_the_future(monkeypatch: pytest.MonkeyPatch) -> None:
    bought = slot(date, "When did you buy it?", name="bought", tense="past")
    monkeypatch.setattr(hearing, "network", _LastWord)
    for said in ("I guess the 3rd", "in two weeks", "tomorrow"):
        found = values(said, bought, asked=("bought",)).get("bought")
        assert found is None or str(found) <= "2026-11-22"


def test_no_words_say_two_things(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a network would have them for both, the first has them."""
    other = slot(str, "Who is staying?", name="guest")
    monkeypatch.setattr(hearing, "network", _LastWord)
    assert len(values("well you know casa", HOTEL, other, asked=("hotel", "guest"))) < 2


def test_what_a_model_proposes_has_to_be_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    def about(message: str) -> Reading:
        slots = {"hotel": HOTEL}
        return Reading(message=message, slots=slots, actions=[], asked=("hotel",), today=NOW)

    for said in ("we're staying at the Casa Bianca again", "Casa Bianca again"):
        for words, heard in (("Casa Bianca", True), ("again", False), ("Grand Hotel", False)):
            op = Set(slot="hotel", value=words, quote=words)
            assert stated_values.is_heard(op, about(said)) is heard, (said, words)
    monkeypatch.setattr(hearing, "network", _Deaf)
    op = Set(slot="hotel", value="Casa Bianca", quote="Casa Bianca")
    assert not stated_values.is_heard(op, about("Casa Bianca again"))


def _count(inputs: Inputs, k: int) -> int:
    one = inputs.fields[k]
    match one.kind:
        case Kind.TEXT:
            return len(inputs.tokens) ** 2
        case Kind.TRUTH:
            return 2
        case _:
            return len(one.values or one.options)


def _certain(count: int, at: int) -> np.ndarray:
    shares = np.zeros(1 + count, np.float32)
    shares[at] = 1
    return shares


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("is Saturday dearer?", NEEDED),
        ("my sister had hers done on Saturday", NEEDED),
        ("if it were for Saturday I'd drive", NEEDED),
        ("not six, that's too many", GUESTS),
        ("my boss stayed at the Palace last year", HOTEL),
    ],
)
def test_a_doubt_is_overruled_only_by_a_network_that_is_surer(
    said: str, asked: Slot, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sureness.STATED < 0.8 < sureness.DOUBTED
    monkeypatch.setattr(hearing, "network", _FairlySure)
    assert values(said, asked, asked=(asked.name,)) == {}
    assert values("on Saturday", NEEDED, asked=("due",)) == {"due": "2026-11-28"}
    monkeypatch.setattr(hearing, "network", _Certain)
    assert {*values(said, asked, asked=(asked.name,))} == {asked.name}


@pytest.mark.parametrize(
    "said", ["my sister had hers done on Saturday", "if it were for Saturday I'd drive"]
)
def test_what_is_doubted_and_was_not_asked_for_has_to_be_all_but_certain(
    said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sureness.DOUBTED < 0.9 < sureness.IN_QUESTION
    monkeypatch.setattr(hearing, "network", _AllButCertain)
    assert values(said, NEEDED) == {}
    assert values("I need them on Saturday", NEEDED) == {"due": "2026-11-28"}
    monkeypatch.setattr(hearing, "network", _Certain)
    assert values(said, NEEDED) == {"due": "2026-11-28"}


def test_no_network_states_what_is_denied_and_was_not_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hearing, "network", _Certain)
    assert values("we do not need them on Saturday", NEEDED) == {}
    assert values("土曜日は要りません", NEEDED, language="ja") == {}  # the "not" comes last


def test_what_stands_before_a_denial_is_only_in_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    said = "bring them on Saturday not by truck"
    monkeypatch.setattr(hearing, "network", _Certain)
    assert values(said, NEEDED) == {"due": "2026-11-28"}
    monkeypatch.setattr(hearing, "network", _AllButCertain)
    assert values(said, NEEDED) == {}


def test_no_network_states_what_is_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hearing, "network", _Certain)
    assert values("> for three weeks\n> regards, Tom", LENGTH, asked=("length",)) == {}


class _AfterTheFirstWord:
    """A network that is certain of all that follows the first word, for any field of text."""

    def shares(self, inputs: Inputs) -> Shares:
        count, width = len(inputs.tokens), len(inputs.fields)
        return Shares([_certain(count**2, count + count)] * width)


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("guess.  673,", "673"),
        ("from. Hospital", "Hospital"),
        ("Deutschland: 'Köln',", "Köln"),
        ("it .NET", ".NET"),
        ("use C++", "C++"),
    ],
)
def test_marks_of_the_sentence_are_no_part_of_a_value(
    said: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = slot(str, "Your flight number?", name="code")
    monkeypatch.setattr(hearing, "network", _AfterTheFirstWord)
    assert values(said, code, asked=("code",)) == {"code": value}


@pytest.mark.parametrize(
    "said", ['"Meridian"', "the 'Meridian'", "das „Meridian“ bitte", "le «Meridian»"]
)
def test_a_name_in_quotation_marks_is_that_name(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert values(said, HOTEL, asked=("hotel",)) == {"hotel": "Meridian"}
    monkeypatch.setattr(hearing, "network", _AfterTheFirstWord)
    asked: dict[str, Any] = {"asked": ("hotel",)}
    assert values('the "Casa Bianca" then', HOTEL, **asked) == {"hotel": "Casa Bianca"}
    assert values("the Joneses' 'Casa Bianca'", HOTEL, **asked) == {"hotel": "Casa Bianca"}
    assert values("the boys' inn at Jones'", HOTEL, **asked) == {"hotel": "boys' inn at Jones"}


def test_what_is_heard_within_quotation_marks_is_not_widened(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hearing, "network", _LastWord)
    assert values('"to Meridian"', HOTEL, asked=("hotel",)) == {"hotel": "Meridian"}
    assert values("pick 'em up at Jess' Meridian", HOTEL, asked=("hotel",)) == {"hotel": "Meridian"}
    monkeypatch.setattr(hearing, "network", _AfterTheFirstWord)
    said = "pick 'em up at Jess' place"
    assert values(said, HOTEL, asked=("hotel",)) == {"hotel": "em up at Jess' place"}


def test_a_number_that_is_all_that_is_said_counts_nothing_that_nobody_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hearing, "network", _FairlySure)
    assert values("7402.", GUESTS) == {}
    assert values("7402 of us", GUESTS) == {"guests": 7402}
    assert values("7402.", GUESTS, asked=("guests",)) == {"guests": 7402}


@pytest.mark.parametrize(("language", "said"), [("zh", "想订一家酒店"), ("de", "ein Hotel bitte")])
def test_an_article_counts_nothing_that_nobody_asked_for(
    language: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hearing, "network", _FairlySure)
    assert values(said, GUESTS, language=language) == {}
    assert values(said, GUESTS, language=language, asked=("guests",)) == {"guests": 1}
    assert values("one of us", GUESTS) == {"guests": 1}


@pytest.mark.parametrize(
    ("said", "asked", "found"),
    [
        ("book a hotel", (), {}),
        ("book a hotel", ("house",), {"house": "Hyatt Hotel"}),
        ("book the Hyatt", (), {"house": "Hyatt Hotel"}),
    ],
)
def test_what_an_action_is_called_chooses_nothing(
    said: str, asked: tuple[str, ...], found: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stay(Requirements):
        house: Annotated[Literal["Hyatt Hotel", "Old Town Inn"], Ask("Where?")]

    actions = Actions()
    actions.add("hotel_book", None, requires=Stay, title="Book a hotel")
    monkeypatch.setattr(hearing, "network", _Certain)
    heard = values(said, *actions.slots.values(), actions=actions.specs, asked=asked)
    assert heard == found


@pytest.mark.parametrize("known", [{}, {"current_location": "New York", "destination": "Tokyo"}])
def test_the_name_of_an_action_is_no_value(
    known: dict[str, JsonValue], monkeypatch: pytest.MonkeyPatch
) -> None:
    said, asked = "create the checklist", ("current_location",)
    assert values(said, known=known, asked=asked) == {}
    monkeypatch.setattr(hearing, "network", _Certain)
    assert not any(
        "checklist" in str(one) for one in values(said, known=known, asked=asked).values()
    )


def test_no_network_gives_leave_or_orders_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hearing, "network", _Certain)
    found = read("well, Rome would be something")
    assert not any(isinstance(op, RequestAction) for op in found)


def test_a_flood_of_values_is_heard_at_a_bounded_cost() -> None:
    told = read(" ".join(f"{day} March 2027 at {day % 12 + 1} pm," for day in range(1, 29)) * 2)
    assert isinstance(told, list)


def test_the_tables_hold_what_the_network_needs() -> None:
    assert network() is network()
    assert sureness.OFFERED < sureness.ANSWERED < 1


class _Doubtful(_Deaf):
    """A network that hears no leave in anything."""

    def shares(self, inputs: Inputs) -> Shares:
        return replace(super().shares(inputs), withheld=0.99)


class _Believing(_Deaf):
    """One that hears leave in everything."""

    def shares(self, inputs: Inputs) -> Shares:
        return replace(super().shares(inputs), withheld=0.0)


@pytest.mark.parametrize("said", ["yes, go ahead", "create it", "yes, create the itinerary"])
def test_a_yes_that_the_network_does_not_hear_is_asked_for_once_more(
    said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    card: dict[str, Any] = {"pending": ["itinerary"], "kind": "card"}
    assert {"confirm", "itinerary!"} & {*intents(said, **card)}
    monkeypatch.setattr(hearing, "network", _Doubtful)
    assert not {"confirm", "itinerary!"} & {*intents(said, **card)}
    assert "lean" in intents(said, **card)
    assert "checklist!" in intents("create the checklist", **card)  # that one is not on the card


@pytest.mark.parametrize("said", ["are you sure", "great", "only if it is free", "no", "not yet"])
def test_no_network_gives_leave(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hearing, "network", _Believing)
    assert "confirm" not in intents(said, pending=["itinerary"], kind="card")


def test_a_list_that_the_network_alone_hears_is_taken_in_its_entries() -> None:
    dishes = slot(list[str], "Which dishes?", name="dishes")
    guests = slot(int, "How many guests?", name="guests")
    said = "a dinner for 12 with lasagne and tomato salad"
    assert values(said, dishes, guests) == {"dishes": ["lasagne", "tomato salad"], "guests": 12}


def test_a_day_that_is_said_of_one_field_is_not_that_of_another() -> None:
    pickup = slot(date, "When do you pick it up?", name="pickup_day")
    back = slot(date, "When do you return?", name="return_day")
    said = "return is 21 June"
    assert values(said, pickup, back, asked=("pickup_day",)) == {"return_day": "2027-06-21"}


class _HalfSure(_LastWord):
    """One that hears the last word, and is not sure of it."""

    def shares(self, inputs: Inputs) -> Shares:
        return Shares([0.59 * shares for shares in super().shares(inputs).fields])


def test_what_is_half_heard_puts_what_is_known_in_question(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hearing, "network", _HalfSure)
    known: dict[str, Any] = {"known": {"hotel": "Meridian"}}
    said = "perhaps anything at the Lanterna"
    assert values(said, HOTEL, **known) == {"hotel": None}
    assert suggested(said, HOTEL, **known)["hotel"][0] == "Lanterna"
    # An open card shows it, and is only not agreed to.
    card = Pending(id="c", kind="card", hashes={"do": "h"})
    assert values(said, HOTEL, pending=card, **known) == {}
    assert values("anything at the Lanterna", HOTEL, **known) == {"hotel": "Lanterna"}


def test_no_words_say_no_value() -> None:
    op = Set(slot="hotel", value="Lanterna", quote="")
    reading = Reading(
        message="the Lanterna", slots={"hotel": HOTEL}, actions=[], asked=["hotel"], today=NOW
    )
    assert stated_values.is_heard(op.model_copy(update={"quote": "Lanterna"}), reading)
    assert not stated_values.is_heard(op, reading)


def test_the_last_of_several_questions_gets_what_is_left() -> None:
    kind = slot(str, "Meal, transport or material?", name="kind", choices=("meal", "transport"))
    project = slot(str, "For which project?", name="project")
    both: dict[str, Any] = {"asked": ("kind", "project")}
    assert values("meal, on Borealis", kind, project, **both) == {
        "kind": "meal",
        "project": "Borealis",
    }


def test_a_time_of_day_is_no_name() -> None:
    phone = slot(str, "Your phone number?", name="phone")
    assert values("ich bin nach 17 Uhr zu erreichen", phone, asked=("phone",), language="de") == {}


SIZE = slot(str, "Which size?", name="size", choices=["small", "any"])
EMAIL = slot(str, "What is your email?", name="email")
GOAL = slot(str, "Where are you going?", name="destination")
LEAVING = slot(str, "Where are you leaving from?", name="origin")
NAME = slot(str, "What is your name?", name="name")
ZIEL = slot(str, "Wohin geht es?", name="ziel")
ANZAHL = slot(int, "Wie viele?", name="anzahl")
PROJECT = slot(str, "C'est pour quel projet ?", name="project")


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("42", (SIZE, EMAIL)),
        ("no idea", (SIZE, EMAIL)),
        ("no idea", (GOAL, LEAVING)),
        ("drei", (ZIEL, NAME)),
        ("three", (NAME, GOAL)),
        ("you choose", (NAME, slot(str, "What is it about?", name="topic"))),
        ("up to you", (NAME, GUESTS)),
        ("keine Ahnung", (ZIEL, ANZAHL)),
        ("egal", (ZIEL, ANZAHL)),
        ("aucune idée", (PROJECT,)),
        ("da igual", (GOAL, LEAVING)),
        ("tanto faz", (GOAL, LEAVING)),
        ("fa lo stesso", (GOAL, LEAVING)),
        ("maakt niet uit", (GOAL, LEAVING)),
        ("随便", (GOAL, LEAVING)),
        ("お任せします", (GOAL, LEAVING)),
    ],
)
def test_nothing_absurd_is_offered(said: str, asked: tuple[Slot, ...]) -> None:
    language = "de" if ZIEL in asked else ""
    names = tuple(one.name for one in asked)
    assert read(said, *asked, asked=names, language=language) == []


def test_what_could_be_meant_is_offered_still() -> None:
    asked = {"asked": ("destination", "origin")}
    assert suggested("Rome", GOAL, LEAVING, **asked) == {"destination": ("Rome", "ambiguous")}
    like = suggested("no idea, maybe Rome", GOAL, LEAVING, **asked)
    assert [value for value, _ in like.values()] == ["Rome"]
    # An option may be called so.
    assert values("any", SIZE, EMAIL, asked=("size", "email")) == {"size": "any"}
