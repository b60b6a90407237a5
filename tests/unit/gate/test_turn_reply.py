"""What the gate says in a turn: never the same twice, in the person's words and language."""

from __future__ import annotations

from datetime import UTC, date, datetime
from itertools import pairwise
from typing import Annotated, Any

import pytest
from pydantic import Field

from sayso.core.requirements import Pending, RequirementState, value_hash, values_for
from sayso.gate.actions import Actions
from sayso.gate.fields import Ask, Requirements
from sayso.gate.person_message import PersonMessage
from sayso.gate.turn import take_turn
from sayso.reading.asides import Aside, aside_in
from sayso.reading.rule_extractor import RuleExtractor


class Trip(Requirements):
    destination: Annotated[
        str,
        Ask("Where are you going?", why="to look up the weather", texts={"de": "Wohin geht es?"}),
    ]
    departure: Annotated[date, Ask("When do you leave?")]
    pace: Annotated[str, Ask("Calm or brisk?", choices=["calm", "brisk"])]


class Report(Requirements):
    topic: Annotated[str, Ask("What about?")]
    pages: Annotated[int, Field(ge=1), Ask("How many pages?")]


@pytest.fixture
def actions() -> Actions:
    made = Actions()
    made.add("trip", None, requires=Trip, verb="book the trip", phrases=["book the trip"])
    return made


class Talk:
    def __init__(self, actions: Actions) -> None:
        self.actions, self.state, self.said = actions, RequirementState(), 0

    async def say(self, words: str) -> str:
        self.said += 1
        message = PersonMessage(
            id=f"m{self.said}", text=words, at=datetime(2026, 11, 23, 9, tzinfo=UTC)
        )
        self.state = await take_turn(message, self.state, self.actions, RuleExtractor())
        assert self.state.turn is not None
        return "\n".join(str(one["text"]) for one in self.state.turn.says)

    def opens_its_card(self) -> None:
        """As the server does once a turn leads to a card."""
        specs = {spec.name: spec for spec in self.actions.specs}
        hashes = {
            name: value_hash(name, values_for(specs[name], self.state)) for name in self.chosen
        }
        pending = Pending(id="card", kind="card", hashes=hashes)
        self.state = self.state.model_copy(update={"pending": pending})

    @property
    def chosen(self) -> list[str]:
        assert self.state.turn is not None
        return [*self.state.turn.actions]

    @property
    def form(self) -> tuple[str, ...]:
        assert self.state.turn is not None
        return self.state.turn.form


async def test_each_turn_says_what_it_took_in_the_persons_words(actions: Actions) -> None:
    talk = Talk(actions)
    said = await talk.say("book the trip to Oslo, leaving on December 18")
    assert said.startswith("Noted: ")
    assert "Oslo" in said
    assert "(Dec 18, 2026)" in said
    assert said.endswith("Calm or brisk?")


async def test_nothing_is_said_twice_and_what_is_asked_in_vain_becomes_a_form(
    actions: Actions,
) -> None:
    talk = Talk(actions)
    replies = [await talk.say("book the trip to Oslo")]
    asked = 0
    while not talk.form:
        asked += 1
        assert asked < 4
        replies.append(await talk.say("what is the weather like there?"))
    assert asked == 2
    assert set(talk.form) == {"departure", "pace"}
    said = [set(filter(None, reply.splitlines())) for reply in replies]
    assert all(not one & other for one, other in pairwise(said))


async def test_it_says_why_an_answer_was_not_taken(actions: Actions) -> None:
    talk = Talk(actions)
    await talk.say("book the trip to Oslo, calm please")
    assert "I found no date" in await talk.say("what is the weather like there?")


async def test_it_answers_what_it_is_asked(actions: Actions) -> None:
    talk = Talk(actions)
    await talk.say("book the trip")
    assert await talk.say("why do you need that?") == "Destination: to look up the weather"
    assert talk.state.asked == ("destination", "departure")
    assert await talk.say("what have you got?") == (
        "Nothing yet.\nStill needed: Destination, Departure, Pace."
    )
    await talk.say("To Oslo")
    assert await talk.say("what do you need?") == "Still needed: Departure, Pace."
    await talk.say("start over")
    assert talk.state.values == {}
    assert talk.state.requested == ()


async def test_it_speaks_the_persons_language_and_the_questions_as_they_are_given(
    actions: Actions,
) -> None:
    talk = Talk(actions)
    said = await talk.say("Ich will das bitte machen: book the trip")
    assert said.endswith("Wohin geht es? When do you leave?")
    assert await talk.say("wozu?") == "Destination: to look up the weather"
    assert (await talk.say("Nach Oslo")).startswith("Notiert: ")
    assert await talk.say("von vorne bitte") == (
        "Gut, wir fangen neu an.\nDabei kann ich helfen. Was genau brauchen Sie?"
    )


async def test_after_a_no_nothing_is_pushed(actions: Actions) -> None:
    talk = Talk(actions)
    await talk.say("book the trip to Oslo on December 18, calm")
    assert talk.chosen == ["trip"]
    talk.opens_its_card()
    assert await talk.say("no, don't") == "All right, not done: book the trip."
    assert talk.state.asked == ()


async def test_a_card_that_comes_back_as_it_was_says_so(actions: Actions) -> None:
    talk = Talk(actions)
    await talk.say("book the trip to Oslo on December 18, calm")
    said = []
    for _ in range(3):
        talk.opens_its_card()
        said.append(await talk.say("the weather is nice there I hear"))
    assert talk.chosen == ["trip"]
    assert said == [
        "I took no change from that; it stands as it was.",
        "Every value can be changed on the card itself.",
        "",
    ]


async def test_one_card_waits_for_what_another_action_lacks(actions: Actions) -> None:
    actions.add("report", None, requires=Report, verb="write the report")
    talk = Talk(actions)
    await talk.say("book the trip and write the report")
    await talk.say("Oslo, December 18, calm")
    assert talk.chosen == []
    await talk.say("book the trip")
    assert talk.chosen == ["trip"]
    assert "report" in talk.state.requested


@pytest.mark.parametrize(
    ("words", "aside"),
    [
        ("why do you need to know if I'm alone?", Aside.WHY),
        ("why not", None),
        ("what do you need?", Aside.NEEDS),
        ("what have you got so far", Aside.KNOWN),
        ("ok, let's start over please", Aside.START_OVER),
        ("don't start over", None),
        ("we start over in Rome", None),
        ("what do you have on friday", None),
        ("wozu?", Aside.WHY),
        ("von vorne bitte", Aside.START_OVER),
        ("pourquoi vous demandez ça ?", Aside.WHY),
        ("¿por qué?", Aside.WHY),
        ("ricominciamo da capo", Aside.START_OVER),
        ("waarom?", Aside.WHY),
        ("o que falta?", Aside.NEEDS),
        ("重新开始", Aside.START_OVER),
        ("なぜですか", Aside.WHY),
        ("> start over", None),
        ("Rome", None),
    ],
)
def test_what_a_message_asks_of_the_gate(words: str, aside: Any) -> None:
    assert aside_in(words, "") is aside
