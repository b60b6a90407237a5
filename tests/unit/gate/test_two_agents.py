"""Turns that the application's agent shares with the gate's: which they are, and what each does."""

from __future__ import annotations

import asyncio
from typing import Annotated

import pytest

from sayso import AgentContext, App, ToolContext
from sayso.core.extraction_ops import Operation, Suggest, Unclear
from sayso.core.requirements import Pending, RequirementState, TurnTaken, state_in
from sayso.core.segments import Completed, Program, Spoken
from sayso.gate.actions import Actions
from sayso.gate.extraction import ExtractorChain
from sayso.gate.fields import Ask, Requirements
from sayso.gate.messages import guidance
from sayso.gate.person_message import PersonMessage
from sayso.gate.turn import take_turn
from sayso.gate.yes_scope import YesScope, yes_scope_of
from sayso.reading.rule_extractor import RuleExtractor
from sayso.testing.recorder import Crash
from tests.unit.gate.test_hostile import Conversation
from tests.unit.reading.readers import NOW


class Ride(Requirements):
    goal: Annotated[str, Ask("Where to?")]
    bags: Annotated[int, Ask("How many bags?")]


ROME = Suggest(slot="goal", value="Rome", quote="Rome")
TO_OSLO = "A ride to Oslo with 2 bags"
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
    assert turn.says == _turn(words, agent=False).says


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
        (ASKS_OUTRIGHT, True, YesScope.GRANTS),
        # The gate's own words before its card.
        ("That sounds like a yes. Do you want me to start?", False, YesScope.GRANTS),
    ],
)
def test_a_yes_to_a_question_of_the_agents_is_no_leave(
    said: str, agent_first: bool, scope: YesScope
) -> None:
    state = _after(TO_OSLO, "book it", "Who is the driver?")
    assert state.turn is not None
    says = ({"text": ASKS_OUTRIGHT},)
    turn = state.turn.model_copy(update={"agent_first": agent_first, "says": says})
    state = state.model_copy(update={"turn": turn})
    spoken = [
        Spoken(message_id="t", text=said),
        Spoken(message_id="c", text="Book the ride?", card="requirements", was_open=True),
    ]
    found = yes_scope_of(state, spoken, _rides().specs, words="yes", language="", agent_speaks=True)
    assert found is scope


# ── both in one run ──


class Desk:
    """An application with an agent, and what it has done."""

    def __init__(self, *, has_agent: bool = True) -> None:
        self.done: list[str] = []
        #: The chat as the agent was told it last.
        self.told: list[tuple[str, str]] = []
        #: What it then knew of the leave that was given.
        self.leave: list[str] = []
        #: Happens while the agent answers.
        self.meanwhile = lambda: None
        app = App({"desk": self._agent}) if has_agent else App(name="desk")

        @app.action("ride", requires=Ride, verb="book the ride", phrases=["book it"])
        async def ride(req: Ride, ctx: ToolContext) -> str:
            if req.goal == "Rome":
                await ctx.choose("By which road?", ["coast", "hills"])
            self.done.append(f"{req.goal} {req.bags}")
            return f"Booked to {req.goal}."

        self.program: Program = app.programs()["desk"]

    async def _agent(self, ctx: AgentContext) -> None:
        self.told = [(one.role, one.content) for one in ctx.history]
        self.leave = [grant.status for grant in state_in(ctx.requirements).grants]
        match ctx.message.removeprefix("Yes. "):
            case "Is there a seat for a child?":
                age = await ctx.choose("How old?", ["two", "nine"])
                await ctx.say(f"For one of {age.id}, yes.")
            case "Then ask me":
                result = await ctx.call("request_action", action="ride")
                assert isinstance(result, dict)
                await ctx.say(f"It is {result['status']}.")
            case "3 bags please. Silence?":
                return
            case "I break?":
                raise RuntimeError("broken")
            case _:
                self.meanwhile()
                await ctx.say("Ana drives.")

    async def at_the_card(self, first: str = TO_OSLO) -> Conversation:
        chat = Conversation(self.program, "c")
        await chat.say(first)
        await chat.say("book it")
        assert _shows_card(chat)
        return chat


def _shows_card(chat: Conversation) -> bool:
    return chat.card is not None


async def test_the_answer_and_the_card_are_one_run() -> None:
    desk = Desk()
    chat = await desk.at_the_card()
    await chat.say("Who is the driver?")
    assert chat.run.said == "Ana drives."
    assert _shows_card(chat)
    await chat.answer({"approved": True})
    assert isinstance(chat.run.end, Completed)
    assert desk.done == ["Oslo 2"]
    assert chat.run.said == "Ana drives.Booked to Oslo."


async def test_what_the_gate_took_beside_stands_between_the_answer_and_the_card() -> None:
    desk = Desk()
    chat = await desk.at_the_card()
    await chat.say("3 bags please. Who is the driver?")
    assert chat.run.said == "Ana drives.Noted: Bags: 3."
    await chat.answer({"approved": True})
    assert desk.done == ["Oslo 3"]


async def test_where_the_agent_says_nothing_the_gate_begins() -> None:
    chat = await Desk().at_the_card()
    await chat.say("3 bags please. Silence?")
    assert chat.run.said == "Noted: Bags: 3."


async def test_the_agents_own_question_goes_first() -> None:
    desk = Desk()
    chat = await desk.at_the_card()
    await chat.say("Is there a seat for a child?")
    assert not _shows_card(chat)
    chat.run.answer("How old?", {"approved": True, "response_data": {"selected_option": "two"}})
    await chat.run.go(desk.program)
    assert chat.run.said == "For one of two, yes."
    assert _shows_card(chat)
    await chat.answer({"approved": True})
    assert desk.done == ["Oslo 2"]


async def test_what_was_cleared_meanwhile_gets_no_card() -> None:
    desk = Desk()
    chat = await desk.at_the_card()
    await chat.say("Is there a seat for a child?")
    kept = chat.recorder.known
    chat.recorder.known = desk.program.edited(kept, "bags", None, at=NOW)  # type: ignore[attr-defined]
    chat.run.answer("How old?", {"approved": True, "response_data": {"selected_option": "two"}})
    await chat.run.go(desk.program)
    assert isinstance(chat.run.end, Completed)
    assert desk.done == []


async def test_what_was_changed_meanwhile_stands_on_the_card() -> None:
    desk = Desk()
    chat = await desk.at_the_card()

    def one_more() -> None:
        known = chat.recorder.known
        chat.recorder.known = desk.program.edited(known, "bags", 3, at=NOW)  # type: ignore[attr-defined]

    desk.meanwhile = one_more
    await chat.say("Who is the driver?")
    card = chat.card
    assert card is not None
    assert card.proposal is not None
    assert card.proposal.arguments == {"goal": "Oslo", "bags": 3}
    # It was told before it opened, and is not written a second time.
    assert chat.recorder.known is not None
    await chat.answer({"approved": True})
    assert desk.done == ["Oslo 3"]


async def test_an_agent_that_has_asked_for_it_is_enough() -> None:
    desk = Desk()
    chat = await desk.at_the_card()
    await chat.say("Then ask me")
    await chat.answer({"approved": True})
    assert isinstance(chat.run.end, Completed)
    assert chat.run.said == "It is done."
    assert desk.done == ["Oslo 2"]


async def test_an_agent_that_fails_shows_no_card() -> None:
    desk = Desk()
    chat = await desk.at_the_card()
    await chat.say("I break?")
    assert not _shows_card(chat)
    assert desk.done == []


# ── a yes, and a question beside ──


def test_without_an_agent_the_question_is_noted() -> None:
    turn = _turn("Yes. Who is the driver?", agent=False)
    assert [one["text"] for one in turn.says] == ["Your question is noted: Who is the driver?"]
    assert _turn("Yes. Who is the driver?").says == ()


async def test_what_was_agreed_to_runs_and_the_agent_answers_what_was_asked_beside() -> None:
    desk = Desk()
    chat = await desk.at_the_card()
    await chat.say("Yes. Who is the driver?")
    assert isinstance(chat.run.end, Completed)
    assert desk.done == ["Oslo 2"]
    assert chat.run.said == "Booked to Oslo.Ana drives."
    assert desk.told[:-1] == [(one.role, one.content) for one in chat.history[:-2]]
    role, told = desk.told[-1]
    assert role == "system"
    assert "they were told: Booked to Oslo." in told
    assert "they asked: Who is the driver?" in told
    assert desk.leave == ["used"]


async def test_the_agent_may_ask_before_it_answers() -> None:
    desk = Desk()
    chat = await desk.at_the_card()
    await chat.say("Yes. Is there a seat for a child?")
    assert desk.done == ["Oslo 2"]
    chat.run.answer("How old?", {"approved": True, "response_data": {"selected_option": "two"}})
    await chat.run.go(desk.program)
    assert isinstance(chat.run.end, Completed)
    assert chat.run.said == "Booked to Oslo.For one of two, yes."
    assert desk.told == [(one.role, one.content) for one in chat.history[:-2]]
    assert desk.done == ["Oslo 2"]


async def test_the_agent_knows_the_chat_also_where_the_action_had_to_ask() -> None:
    desk = Desk()
    chat = await desk.at_the_card("A ride to Rome with 2 bags")
    await chat.say("Yes. Who is the driver?")
    assert (desk.done, chat.run.said) == ([], "")
    road = {"approved": True, "response_data": {"selected_option": "coast"}}
    chat.run.answer("By which road?", road)
    await chat.run.go(desk.program)
    assert desk.done == ["Rome 2"]
    assert chat.run.said == "Booked to Rome.Ana drives."
    assert desk.told[:-1] == [(one.role, one.content) for one in chat.history[:-2]]


async def test_a_death_between_the_two_runs_nothing_twice() -> None:
    desk = Desk()
    chat = await desk.at_the_card()

    def die() -> None:
        desk.meanwhile = lambda: None
        raise Crash("in the answer")

    desk.meanwhile = die
    with pytest.raises(Crash):
        await chat.say("Yes. Who is the driver?")
    assert desk.done == ["Oslo 2"]
    await chat.run.go(desk.program)
    assert isinstance(chat.run.end, Completed)
    assert desk.done == ["Oslo 2"]
    assert chat.run.said.endswith("Ana drives.")


async def test_a_yes_alone_is_not_the_agents() -> None:
    desk = Desk()
    chat = await desk.at_the_card()
    await chat.say("yes")
    assert chat.run.said == "Booked to Oslo."


async def test_a_run_that_began_without_an_agent_ends_without_one() -> None:
    """As one of an older version does."""
    before, now = Desk(has_agent=False), Desk()
    chat = await before.at_the_card("A ride to Rome with 2 bags")
    await chat.say("Yes. Who is the driver?")
    road = {"approved": True, "response_data": {"selected_option": "coast"}}
    chat.run.answer("By which road?", road)
    await chat.run.go(now.program)
    assert isinstance(chat.run.end, Completed)
    assert (before.done, now.done) == ([], ["Rome 2"])
    assert chat.run.said == "Your question is noted: Who is the driver?\n\nBooked to Rome."
