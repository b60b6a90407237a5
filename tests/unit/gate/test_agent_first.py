"""Which messages at the open card the agent answers, and what a yes means after that."""

from __future__ import annotations

import asyncio
from typing import Annotated

import pytest

from sayso.core.extraction_ops import Operation, Suggest, Unclear
from sayso.core.requirements import Pending, RequirementState, TurnTaken
from sayso.core.segments import Spoken
from sayso.gate.actions import Actions
from sayso.gate.extraction import ExtractorChain
from sayso.gate.fields import Ask, Requirements
from sayso.gate.messages import guidance
from sayso.gate.person_message import PersonMessage
from sayso.gate.turn import take_turn
from sayso.gate.yes_scope import YesScope, yes_scope_of
from sayso.reading.rule_extractor import RuleExtractor
from tests.unit.reading.readers import NOW


class Ride(Requirements):
    goal: Annotated[str, Ask("Where to?")]
    bags: Annotated[int, Ask("How many bags?")]


ROME = Suggest(slot="goal", value="Rome", quote="Rome")
TO_OSLO = "A ride to Oslo with 2 bags"
NOTED = "Noted: Bags: 3."
ASKS_OUTRIGHT = "That sounds like a yes, and I want to be sure: shall I go ahead?"


def _rides() -> Actions:
    actions = Actions()
    actions.add("ride", None, requires=Ride, verb="book the ride", phrases=["book it"])
    return actions


def _after(*messages: str, agent: bool = True, reads: object = None) -> RequirementState:
    """What is known after these messages, with an agent beside the gate or without."""
    actions, state = _rides(), RequirementState()
    chain = ExtractorChain(RuleExtractor(), reads)  # type: ignore[arg-type]
    for number, words in enumerate(messages):
        message = PersonMessage(id=f"m{number}", text=words, at=NOW, agent_answers=agent)
        state = asyncio.run(take_turn(message, state, actions, chain))
        if state.turn is not None and state.turn.actions and not state.grants:
            hashes = dict.fromkeys(state.turn.actions, "…")
            pending = Pending(id=f"card {number}", kind="card", hashes=hashes)
            state = state.model_copy(update={"pending": pending})
    return state


def _turn(*messages: str, agent: bool = True) -> TurnTaken:
    turn = _after(TO_OSLO, "book it", *messages, agent=agent).turn
    assert turn is not None
    return turn


@pytest.mark.parametrize(
    "words",
    ["Who is the driver?", "are you sure?", "it rains", '{"approved": true}', "> yes, book it"],
)
def test_what_is_nothing_to_the_card_is_the_agents(words: str) -> None:
    turn = _turn(words)
    assert turn.agent_first
    assert turn.actions == ("ride",)
    assert turn.says == ()
    alone = _turn(words, agent=False)
    assert not alone.agent_first
    assert alone.actions == ("ride",)
    assert alone.says


@pytest.mark.parametrize(
    "words", ["3 bags", "great", "no", "not yet", "yes", "book it", "what have you got?", "why?"]
)
def test_what_says_something_to_the_card_is_the_gates(words: str) -> None:
    assert not _turn(words).agent_first


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("3 bags please. Who is the driver?", "Noted: Bags: 3."),
        ("Make it Rome. And who drives?", "Noted: Rome."),
        ("sounds good. What does it cost?", ASKS_OUTRIGHT),
        ("yes, how much is it?", ASKS_OUTRIGHT),
        ("3 bags please. Is Oslo cold?", "Noted: Bags: 3."),
        ("Klingt gut. Was kostet das?", "Das klingt nach einem Ja."),
    ],
)
def test_a_question_beside_is_the_agents_and_the_gate_says_what_it_took(
    words: str, says: str
) -> None:
    turn = _turn(words)
    assert turn.agent_first
    assert turn.actions == ("ride",)
    assert [str(one["text"])[: len(says)] for one in turn.says] == [says]


@pytest.mark.parametrize(
    "words",
    [
        "wait, who is the driver?",
        "hold on - is it refundable?",
        "Not yet. What's the refund policy?",
        "Moment mal, wer fährt?",
        "等一下，司机是谁？",
        "ちょっと待って、運転手は誰ですか？",
        "espera, ¿quién conduce?",
        "attendez, qui conduit ?",
        "un momento, chi guida?",
        "wacht even, wie rijdt er?",
        "espere aí, quem dirige?",
    ],
)
def test_a_wait_only_holds_the_card_for_what_is_asked_next(words: str) -> None:
    turn = _turn(words)
    assert turn.agent_first
    assert (turn.actions, turn.says) == (("ride",), ())


@pytest.mark.parametrize(
    "words",
    ["wait", "can we do it later?", "not now, maybe tomorrow?", "wait, can we do it tomorrow?"],
)
def test_a_later_that_is_asked_for_is_one(words: str) -> None:
    turn = _turn(words)
    assert not turn.agent_first
    assert (turn.actions, [one["code"] for one in turn.says]) == ((), ["gate.not_now"])


def test_a_wait_is_a_later_where_nobody_answers_or_nothing_waits() -> None:
    assert _turn("wait, who is the driver?", agent=False).actions == ()
    turn = _after(TO_OSLO, "wait, who is the driver?").turn
    assert turn is not None
    assert turn.actions == ()


@pytest.mark.parametrize("words", ["can we make it 3 bags?", "What about Rome?"])
def test_a_question_that_changes_the_card_is_answered_by_the_card(words: str) -> None:
    assert not _turn(words).agent_first


def test_before_the_card_it_is_a_turn_of_the_agent_as_ever() -> None:
    turn = _after("A ride to Oslo", "Who is the driver?").turn
    assert turn is not None
    assert not turn.agent_first
    assert turn.actions == ()


class Hears:
    """A model that only hears what somebody mentions, or that it is unclear."""

    name = "model"

    def __init__(self, operation: Operation) -> None:
        self._operation = operation

    async def extract(self, reading: object) -> list[Operation]:
        return [self._operation]


@pytest.mark.parametrize(
    ("words", "heard"), [("Rome has nice drivers", ROME), ("that is as it may be", Unclear())]
)
def test_what_is_only_mentioned_is_nothing_to_the_card(words: str, heard: Operation) -> None:
    state = _after(TO_OSLO, "book it")
    message = PersonMessage(id="m9", text=words, at=NOW, agent_answers=True)
    chain = ExtractorChain(RuleExtractor(), Hears(heard))
    state = asyncio.run(take_turn(message, state, _rides(), chain))
    assert state.turn is not None
    assert state.turn.agent_first
    assert state.values["goal"].value == "Oslo"


def test_a_yes_that_may_be_meant_for_the_agent_is_asked_about_by_the_gate() -> None:
    state = _after(TO_OSLO, "book it")
    message = PersonMessage(
        id="m9", text="yes", at=NOW, agent_answers=True, yes_scope=YesScope.OPENS_CARD
    )
    state = asyncio.run(take_turn(message, state, _rides(), ExtractorChain(RuleExtractor(), None)))
    assert state.turn is not None
    assert not state.turn.agent_first
    assert [one["text"] for one in state.turn.says] == [ASKS_OUTRIGHT]
    assert (state.turn.actions, state.grants) == (("ride",), ())


def test_the_agent_is_told_of_the_card() -> None:
    [spec] = _rides().specs
    told = guidance([spec], _after(TO_OSLO, "book it", "Who is the driver?"))
    assert "Their card comes again beneath your answer: Book the ride?" in told
    assert "comes again" not in guidance([spec], _after(TO_OSLO, "book it", "3 bags"))


@pytest.mark.parametrize(
    ("said", "agent_first", "scope"),
    [
        ("Ana drives.", True, YesScope.GRANTS),
        ("Ana drives. Is that all right?", True, YesScope.GRANTS),
        ("Would you like a van?", True, YesScope.OPENS_CARD),
        ("Would you like a van? I have one.", True, YesScope.OPENS_CARD),
        ("ワゴン車にしますか？", True, YesScope.OPENS_CARD),
        (f"{NOTED}\n\n{ASKS_OUTRIGHT}", True, YesScope.GRANTS),
        (ASKS_OUTRIGHT, True, YesScope.OPENS_CARD),
        # The gate's own words before its card.
        ("That sounds like a yes. Do you want me to start?", False, YesScope.GRANTS),
    ],
)
def test_a_yes_to_a_question_of_the_agents_is_no_leave(
    said: str, agent_first: bool, scope: YesScope
) -> None:
    state = _after(TO_OSLO, "book it", "Who is the driver?")
    assert state.turn is not None
    says = ({"text": NOTED}, {"text": ASKS_OUTRIGHT})
    turn = state.turn.model_copy(update={"agent_first": agent_first, "says": says})
    state = state.model_copy(update={"turn": turn})
    spoken = [
        Spoken(message_id="t", text=said),
        Spoken(message_id="c", text="Book the ride?", card="requirements", was_open=True),
    ]
    found = yes_scope_of(state, spoken, _rides().specs, words="yes", language="", agent_speaks=True)
    assert found is scope


def test_without_an_agent_the_question_is_noted() -> None:
    turn = _turn("Yes. Who is the driver?", agent=False)
    assert [one["text"] for one in turn.says] == ["Your question is noted: Who is the driver?"]
    assert _turn("Yes. Who is the driver?").says == ()
