"""The gate's form, in process: what a filled-in, half filled-in or dismissed one leads to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from sayso import App, ToolContext
from sayso.core.cards import FormCard
from sayso.core.interactions import Interaction
from sayso.core.segments import Completed
from sayso.gate import Ask, Requirements
from sayso.gate.gated_program import GatedProgram
from sayso.testing.contract.case import crashed
from tests.unit.gate.test_hostile import Conversation
from tests.unit.reading.readers import NOW


class Ride(Requirements):
    goal: Annotated[str, Ask("Where to?")]
    bags: Annotated[int, Ask("How many bags?")]
    seats: Annotated[int, Ask("How many seats?")]


class Desk:
    """An application with one action, and what it has done."""

    def __init__(self, trigger: str = "confirm") -> None:
        self.done: list[str] = []
        app = App(name="desk")

        @app.action("ride", requires=Ride, verb="book the ride", trigger=trigger)
        async def book_ride(req: Ride, ctx: ToolContext) -> str:
            self.done.append(f"{req.goal} {req.bags} {req.seats}")
            return f"Booked to {req.goal}."

        program = app.programs()["desk"]
        assert isinstance(program, GatedProgram)
        self.program = program

    async def at_the_form(self, first: str = "book the ride", *vain: str) -> Conversation:
        """A chat in which two questions were asked twice in vain."""
        chat = Conversation(self.program, "c")
        for words in (first, *(vain or ("hm, well", "hello"))):
            await chat.say(words)
        assert list(form_of(chat)[1].response_schema["properties"]) == ["goal", "bags", "seats"]  # type: ignore[arg-type]
        return chat

    async def fill_in(self, chat: Conversation, **values: object) -> None:
        it, _ = form_of(chat)
        chat.run.answer(it, {"approved": True, "response_data": {"values": values}})
        await chat.run.go(self.program)


def form_of(chat: Conversation) -> tuple[Interaction, FormCard]:
    [it] = chat.run.pending
    assert isinstance(it.card, FormCard)
    return it, it.card


def told(chat: Conversation) -> dict[str, Any]:
    """What messages and cards carry as the segment ends."""
    return dict(chat.recorder.metadata)


def missing(chat: Conversation) -> Sequence[str]:
    status: Sequence[str] = told(chat)["requirements_status"]["ride"]["missing"]
    return status


ALL = {"goal": "Oslo", "bags": 2, "seats": 3}


async def test_the_card_after_a_form_says_where_the_requirements_stand_now() -> None:
    desk = Desk()
    chat = await desk.at_the_form()
    assert missing(chat) == ["goal", "bags", "seats"]
    await desk.fill_in(chat, **ALL)
    assert chat.card is not None
    assert missing(chat) == []
    assert told(chat)["requirements_detail"]["ride"]["known"] == 3
    assert told(chat)["branches_executed"] == ["RIDE"]
    assert told(chat)["model"] == "rules"
    await chat.answer({"approved": True})
    assert desk.done == ["Oslo 2 3"]
    assert told(chat)["branches_executed"] == ["RIDE"]
    # What has run is no longer asked for.
    assert told(chat)["requirements_detail"]["ride"]["requested"] is False


async def test_a_form_filled_in_partly_is_asked_on_about() -> None:
    desk = Desk()
    chat = await desk.at_the_form()
    before = chat.run.said
    await desk.fill_in(chat, goal="Oslo")
    assert isinstance(chat.run.end, Completed)
    assert chat.run.said.removeprefix(before) == (
        "Noted: Goal: Oslo.\n\nI need a few more details: How many bags? How many seats?"
    )
    assert missing(chat) == ["bags", "seats"]
    assert chat.state.asked == ("bags", "seats")
    assert told(chat)["branches_executed"] == ["TEXT"]
    # The words that follow answer what was asked, and the card comes.
    await chat.say("2 bags and 3 seats")
    assert chat.card is not None
    assert chat.card.proposal is not None
    assert chat.card.proposal.arguments == ALL


async def test_what_the_rest_is_asked_for_in_vain_comes_as_a_form_again() -> None:
    desk = Desk()
    chat = await desk.at_the_form()
    await desk.fill_in(chat, goal="Oslo", bags=2)
    await chat.say("hm, well")
    assert chat.run.pending == []
    await chat.say("hello")
    assert list(form_of(chat)[1].response_schema["properties"]) == ["seats"]  # type: ignore[arg-type]


async def test_an_empty_form_is_asked_on_about_and_a_dismissed_one_is_left() -> None:
    desk = Desk()
    chat = await desk.at_the_form()
    await desk.fill_in(chat)
    assert chat.run.said == "I need a few more details: Where to? How many bags?"
    chat = await desk.at_the_form()
    chat.run.dismiss(form_of(chat)[0])
    await chat.run.go(desk.program)
    assert chat.run.said == "All right, not now."


async def test_the_rest_is_asked_for_in_the_persons_language() -> None:
    desk = Desk()
    chat = await desk.at_the_form("book the ride", "Guten Tag", "ich weiß nicht recht")
    await desk.fill_in(chat, goal="Oslo")
    assert "Notiert: Goal: Oslo." in chat.run.said


async def test_a_full_form_of_what_nobody_asked_for_offers_it() -> None:
    desk = Desk()
    chat = await desk.at_the_form("hello")
    assert chat.state.requested == ()
    await desk.fill_in(chat, **ALL)
    assert "all the information needed to book the ride" in chat.run.said
    assert desk.done == []
    await chat.say("go ahead")
    assert chat.card is not None


async def test_a_full_form_of_what_runs_by_itself_shows_its_card() -> None:
    desk = Desk("auto")
    chat = await desk.at_the_form("hello")
    await desk.fill_in(chat, **ALL)
    assert chat.card is not None
    await chat.answer({"approved": True})
    assert desk.done == ["Oslo 2 3"]


async def test_a_segment_that_dies_takes_the_form_once() -> None:
    desk = Desk()
    chat = await desk.at_the_form()
    it, _ = form_of(chat)
    chat.run.answer(it, {"approved": True, "response_data": {"values": {"goal": "Oslo"}}})
    await crashed(chat.run, desk.program, "after requirements")
    await chat.run.go(desk.program)
    assert chat.run.said.startswith("Noted: Goal: Oslo.")
    assert chat.state.asked == ("bags", "seats")


async def test_what_is_changed_beside_the_card_is_not_set_back_by_the_form() -> None:
    desk = Desk()
    chat = await desk.at_the_form()
    await desk.fill_in(chat, **ALL)
    known = chat.recorder.known
    chat.recorder.known = desk.program.edited(known, "bags", 7, at=NOW)
    await chat.answer({"approved": True})
    assert desk.done == []  # the card showed two bags, and is shown again
    assert chat.card is not None
    await chat.answer({"approved": True})
    assert desk.done == ["Oslo 7 3"]
