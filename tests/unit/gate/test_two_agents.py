"""Turns that the application's agent and the gate's share, each in one run: what is said and shown,
and what runs, beside a plain list of what ran."""

from __future__ import annotations

import pytest

from sayso import AgentContext, App, ToolContext
from sayso.core.requirements import state_in
from sayso.core.segments import Completed, Program
from sayso.testing.recorder import Crash
from tests.unit.gate.test_agent_first import TO_OSLO, Ride
from tests.unit.gate.test_hostile import Conversation
from tests.unit.reading.readers import NOW


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


# ── an answer, then the card ──


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
