"""What a message answers: what was said last before it, and the very words that it ends on."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from pydantic import JsonValue

from sayso.core.requirements import Offered, Pending, RequirementState
from sayso.core.segments import Spoken
from sayso.gate.yes_scope import (
    YesScope,
    offered_before,
    one_value,
    stands_at_the_end,
    yes_scope_of,
)
from tests.unit.reading.readers import NOW, slot, trips

ACTIONS = trips()
CARD = Spoken(message_id="c", text="Create the checklist?", card="requirements", was_open=True)
GONE = Spoken(message_id="c", text="Create the checklist?", card="requirements")
OTHER = Spoken(message_id="o", text="Do you like coffee?", card="options", was_open=True)
COFFEE = Spoken(message_id="t", text="Do you like coffee?")
SPEAKS = Spoken(message_id="t", text="All is known. Shall I create the checklist?")


def yes(kind: str, *spoken: Spoken, words: str = "yes", agent: bool = True) -> YesScope:
    pending = Pending.model_validate({"id": "p", "kind": kind, "hashes": {"checklist": "h"}})
    state = RequirementState(pending=pending)
    specs = ACTIONS.specs
    return yes_scope_of(state, spoken, specs, words=words, language="", agent_speaks=agent)


def test_a_yes_to_the_open_card_is_leave() -> None:
    assert yes("card", CARD) is YesScope.GRANTS
    assert yes("card", COFFEE, CARD) is YesScope.GRANTS
    # One card was changed and came back.
    assert yes("card", GONE, CARD) is YesScope.GRANTS


@pytest.mark.parametrize(
    "spoken", [(CARD, OTHER), (CARD, COFFEE), (CARD, CARD), (GONE,), (COFFEE,), (OTHER,), ()]
)
def test_a_yes_to_anything_else_is_not(spoken: tuple[Spoken, ...]) -> None:
    assert yes("card", *spoken) is YesScope.NONE
    assert yes("card", *spoken, agent=False) is YesScope.NONE


def test_a_yes_to_what_the_gate_itself_offers_is_leave_and_to_an_agent_it_opens_the_card() -> None:
    assert yes("offer", SPEAKS, agent=False) is YesScope.GRANTS
    assert yes("offer", SPEAKS) is YesScope.OPENS_CARD
    assert yes("offer", COFFEE) is YesScope.NONE
    assert yes("offer", OTHER, agent=False) is YesScope.NONE
    assert yes("offer", CARD) is YesScope.NONE
    other = "All is known. Shall I create the itinerary?"
    assert yes("offer", Spoken(message_id="t", text=other)) is YesScope.NONE
    hidden = "<!-- create the checklist --> Do you like coffee?"
    assert yes("offer", Spoken(message_id="t", text=hidden)) is YesScope.NONE
    named = "I could create the checklist. Do you like coffee?"
    assert yes("offer", Spoken(message_id="t", text=named)) is YesScope.NONE


def test_a_yes_that_says_what_it_is_to_opens_the_card() -> None:
    for words in ("yes, create it", "create it now", "please make it"):
        assert yes("offer", COFFEE, words=words) is YesScope.OPENS_CARD
        assert yes("card", CARD, COFFEE, words=words) is YesScope.OPENS_CARD


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        ("How about the Grand Hotel?", True),
        ("How about the Grand Hotel? Does that sound good?", True),
        ("I found the Grand Hotel. Is that ok?", True),
        ("I take the Grand Hotel", True),
        ("The Grand Hotel is nice. Do you like coffee?", False),
        ("How about the Grand Hotel? It is good.", False),
        ("How about the Grand Hotels?", False),
        ("How about the Gr\u200band Hotel, the Grand Hotel?", False),
        ("[coffee?](https://example.com/Grand Hotel)", False),
        ("", False),
    ],
)
def test_where_an_offer_stands(text: str, stands: bool) -> None:
    assert stands_at_the_end("Grand Hotel", text) is stands


def test_an_offer_is_what_its_words_say() -> None:
    day, long, place = slot(date, name="day"), slot(timedelta), slot(str, name="destination")
    today = NOW.date()
    assert one_value("5 January", day, today=today, language="") == "2027-01-05"
    assert one_value("10 days", long, today=today, language="") == "P10D"
    assert one_value("Rome", place, today=today, language="") == "Rome"
    for nothing in ("", "  ", "!!", "x" * 200):
        assert one_value(nothing, place, today=today, language="") is None
    assert one_value("soon", day, today=today, language="") is None
    assert one_value("5 or 6 January, or 8 January", day, today=today, language="") is None
    a_name = slot(str, name="colour", question="Which colour?")
    assert one_value("sky blue", a_name, today=today, language="") == "sky blue"
    assert one_value("x" * 80, place, today=today, language="") == "x" * 80
    assert one_value("x" * 81, place, today=today, language="") is None
    assert one_value("a few", slot(int, name="guests"), today=today, language="") is None


def _offered(
    words: str, *spoken: Spoken, asked: tuple[str, ...] = ()
) -> dict[str, list[JsonValue]]:
    grand = Offered(slot="hotel", value="Grand Hotel", words="Grand Hotel")
    inn = Offered(slot="hotel", value="Inn", words="the Inn")
    state = RequirementState(offers=(grand, inn), asked=asked)
    choices = {"board": ["none", "half"], "hotel": []}
    return offered_before(words, state, spoken, choices, "")


def test_a_message_may_take_up_what_the_agents_last_words_end_on() -> None:
    grand = Spoken(message_id="t", text="Or the Inn. How about the Grand Hotel?")
    assert _offered("yes", grand) == {"hotel": ["Grand Hotel"]}
    both = Spoken(message_id="t", text="How about the Inn or the Grand Hotel?")
    assert _offered("yes", COFFEE, both) == {"hotel": ["Grand Hotel", "Inn"]}
    assert _offered("yes", grand, COFFEE) == {}
    assert _offered("yes", grand, CARD) == {}
    assert _offered("yes") == {}


def test_a_short_message_may_point_at_a_choice_of_what_was_just_asked() -> None:
    assert _offered("the second one", asked=("board", "hotel")) == {"board": ["none", "half"]}
    assert _offered("not the second one", asked=("board",)) == {}
    assert _offered("the second one") == {}
