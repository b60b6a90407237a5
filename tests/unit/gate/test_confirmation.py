"""The gate's card and the leave that it gives, in process: what is shown, what a click grants, and
what runs, beside a plain list of what ran."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Annotated

import pytest
from pydantic import AfterValidator

from sayso import AgentContext, App, ToolContext
from sayso.core.cards import RequirementsCard
from sayso.core.interactions import Interaction, InteractionType
from sayso.core.requirements import Given, Grant, RequirementState, Source
from sayso.gate import Ask, Requirements
from sayso.gate.gated_program import GatedProgram
from sayso.gate.messages import known_values
from sayso.testing.contract.case import crashed
from tests.unit.gate.test_hostile import Conversation
from tests.unit.reading.readers import NOW


def _exists(goal: str) -> str:
    """What the schema of an edit cannot say."""
    if goal == "Nowhere":
        raise ValueError("there is no such place")
    return goal


class Ride(Requirements):
    goal: Annotated[str, AfterValidator(_exists), Ask("Where to?")]
    bags: Annotated[int, Ask("How many bags?")]
    quiet: bool = False


class Lunch(Requirements):
    guests: Annotated[int, Ask("For how many people?")]


TO_OSLO = "A ride to Oslo with 2 bags"
OSLO = {"goal": "Oslo"}
YES: dict[str, object] = {"approved": True}
NO: dict[str, object] = {"approved": False, "response_data": {"additional_notes": "no"}}


class Desk:
    """An application with two actions and a tool that is guarded, and what it has done."""

    def __init__(self) -> None:
        self.done: list[str] = []
        app = App(name="desk")

        @app.action("ride", requires=Ride, verb="book the ride", phrases=["book it"])
        async def book_ride(req: Ride, ctx: ToolContext) -> str:
            self.done.append(f"ride {req.goal} {req.bags}")
            return f"Booked to {req.goal}."

        @app.action("lunch", requires=Lunch, verb="order the lunch", phrases=["order it"])
        async def order_lunch(req: Lunch, ctx: ToolContext) -> None:
            self.done.append(f"lunch {req.guests}")

        app.guard("wire", requires=Lunch, verb="wire the money", phrases=["pay for it"])
        program = app.programs()["desk"]
        assert isinstance(program, GatedProgram)
        self.program = program

    async def chat(self, *messages: str) -> Conversation:
        chat = Conversation(self.program, "c")
        for words in messages:
            await chat.say(words)
        return chat

    def set_beside(self, chat: Conversation, field: str, value: object) -> None:
        """Change a value as the panel does."""
        known = chat.recorder.known
        chat.recorder.known = self.program.edited(known, field, value, at=NOW)  # type: ignore[arg-type]


def card_of(chat: Conversation) -> tuple[Interaction, RequirementsCard]:
    it = chat.card
    assert it is not None
    assert isinstance(it.card, RequirementsCard)
    return it, it.card


def grants_of(chat: Conversation) -> list[tuple[str, str, str]]:
    return [(one.action, one.given_by, one.status) for one in chat.state.grants]


async def test_what_the_card_shows() -> None:
    chat = await Desk().chat(TO_OSLO, "book it")
    it, card = card_of(chat)
    assert it.type is InteractionType.CONFIRMATION
    assert (card.title, card.message) == (
        "Book the ride?",
        "Check the values. Every one can be changed.",
    )
    assert card.agent_message == "Goal: Oslo; Bags: 2. Book the ride?"
    assert card.says is not None
    assert card.tool_name == "book_ride"
    assert card.tool_params == card.entity_details == {**OSLO, "bags": 2}
    assert (card.entity_type, card.action, card.entity_summary) == (
        "action",
        "run",
        "Book the ride?",
    )
    assert card.approval_options == ["book the ride", "not yet"]
    assert card.requires_reason is False
    assert [(one.field, one.text, one.quote) for one in card.known] == [
        ("goal", "Oslo", "Oslo"),
        ("bags", "2", "2"),
    ]
    assert card.edit_schema is not None
    fields = card.edit_schema["properties"]
    assert isinstance(fields, dict)
    assert {name: one["title"] for name, one in fields.items() if isinstance(one, dict)} == {
        "goal": "Goal",
        "bags": "Bags",
        "quiet": "Quiet",
    }
    assert it.proposal is not None
    assert it.proposal.arguments == it.proposal.details == {**OSLO, "bags": 2}
    assert (it.proposal.summary, it.proposal.revision) == ("Book the ride?", 1)
    pending = chat.state.pending
    assert pending is not None
    assert (pending.kind, list(pending.hashes)) == ("card", ["ride"])


async def test_the_card_speaks_the_persons_language() -> None:
    chat = await Desk().chat("Ich möchte eine Fahrt nach Oslo mit 2 Taschen", "book it")
    _, card = card_of(chat)
    assert card.approval_options == ["book the ride", "noch nicht"]


async def test_a_click_grants_what_the_card_showed_and_no_more() -> None:
    desk = Desk()
    chat = await desk.chat(TO_OSLO, "book it")
    it, _ = card_of(chat)
    pending = chat.state.pending
    assert pending is not None
    await chat.answer(YES)
    assert desk.done == ["ride Oslo 2"]
    assert chat.run.said == "Booked to Oslo."
    [grant] = chat.state.grants
    assert grant == Grant(
        id=grant.id,
        action="ride",
        value_hash=pending.hashes["ride"],
        values={**OSLO, "bags": 2},
        pending_id=pending.id,
        given_by=it.id,
        interaction_id=it.id,
        status="used",
    )


async def test_a_no_runs_nothing_and_forgets_the_wish() -> None:
    desk = Desk()
    chat = await desk.chat(TO_OSLO, "book it")
    await chat.answer(NO)
    assert desk.done == []
    assert chat.run.said == "All right, not done: book the ride."
    assert (chat.state.requested, chat.state.pending) == ((), None)
    assert grants_of(chat) == []
    # What is known stays, and an order opens the card anew.
    assert chat.state.values["goal"].value == "Oslo"
    await chat.say("book it")
    await chat.answer(YES)
    assert desk.done == ["ride Oslo 2"]


async def test_a_card_that_is_passed_over_runs_nothing_either() -> None:
    desk = Desk()
    chat = await desk.chat(TO_OSLO, "book it")
    await chat.answer(None)
    assert desk.done == []
    assert chat.state.requested == ()


async def test_an_edit_on_the_card_is_shown_again_before_it_runs() -> None:
    desk = Desk()
    chat = await desk.chat(TO_OSLO, "book it")
    first, _ = card_of(chat)
    await chat.answer({**YES, "response_data": {"edits": {"bags": 3, "goal": "Oslo"}}})
    assert desk.done == []
    again, card = card_of(chat)
    assert again.id != first.id
    assert card.tool_params == {**OSLO, "bags": 3}
    assert again.proposal is not None
    assert again.proposal.revision == 2
    # Only what was changed is of the form; the other is still what they said.
    bags, goal = chat.state.values["bags"], chat.state.values["goal"]
    assert (bags.source, bags.message_id, bags.at) == (Source.FORM, first.id, bags.at)
    assert bags.at is not None
    assert (goal.source, goal.quote) == (Source.SAID, "Oslo")
    assert chat.state.grants == ()
    await chat.answer(YES)
    assert desk.done == ["ride Oslo 3"]
    assert grants_of(chat) == [("ride", again.id, "used")]


async def test_what_was_only_assumed_can_be_edited() -> None:
    chat = await Desk().chat(TO_OSLO, "book it")
    await chat.answer({**YES, "response_data": {"edits": {"quiet": True}}})
    _, card = card_of(chat)
    assert card.tool_params == {**OSLO, "bags": 2, "quiet": True}
    assert chat.state.values["quiet"].source is Source.FORM


async def test_an_edit_to_what_stands_already_changes_nothing() -> None:
    desk = Desk()
    chat = await desk.chat(TO_OSLO, "book it")
    await chat.answer({**YES, "response_data": {"edits": {"bags": 2}}})
    assert chat.state.values["bags"].source is Source.SAID
    assert desk.done == ["ride Oslo 2"]


async def test_an_edit_that_cannot_be_is_not_taken() -> None:
    desk = Desk()
    chat = await desk.chat(TO_OSLO, "book it")
    await chat.answer({**YES, "response_data": {"edits": {"goal": "Nowhere", "bags": 4}}})
    assert desk.done == []
    _, card = card_of(chat)
    assert card.tool_params == {**OSLO, "bags": 4}


async def test_what_changed_beside_the_open_card_is_shown_before_it_runs() -> None:
    desk = Desk()
    chat = await desk.chat(TO_OSLO, "book it")
    desk.set_beside(chat, "bags", 5)
    await chat.answer(YES)
    assert desk.done == []
    it, card = card_of(chat)
    assert card.tool_params == {**OSLO, "bags": 5}
    assert it.proposal is not None
    assert it.proposal.revision == 2
    await chat.answer(YES)
    assert desk.done == ["ride Oslo 5"]


async def test_one_click_runs_both_that_the_card_lists_once() -> None:
    desk = Desk()
    chat = await desk.chat("A ride to Oslo with 2 bags, and lunch for 4 people")
    await chat.say("book it and order it")
    it, card = card_of(chat)
    assert card.tool_params == {**OSLO, "bags": 2, "guests": 4}
    await chat.answer(YES)
    assert desk.done == ["ride Oslo 2", "lunch 4"]
    # The card that stood there was of the lunch alone: it does not come back as it was.
    assert chat.run.said == "Booked to Oslo.\n\nDone: order the lunch."
    assert grants_of(chat) == [("ride", it.id, "used"), ("lunch", it.id, "used")]


async def test_leave_that_was_used_opens_no_later_card() -> None:
    """The grant of another turn is none for this one, whatever it was for."""
    desk = Desk()
    chat = await desk.chat(TO_OSLO, "book it")
    await chat.answer(YES)
    await chat.say("3 bags")
    await chat.say("book it")
    assert desk.done == ["ride Oslo 2"]
    _, card = card_of(chat)
    assert card.tool_params == {**OSLO, "bags": 3}
    await chat.answer(YES)
    assert desk.done == ["ride Oslo 2", "ride Oslo 3"]


async def test_the_same_again_asks_again() -> None:
    desk = Desk()
    chat = await desk.chat(TO_OSLO, "book it")
    await chat.answer(YES)
    await chat.say("book it")
    assert desk.done == ["ride Oslo 2"]
    await chat.answer(YES)
    assert desk.done == ["ride Oslo 2"] * 2


async def test_a_guarded_tool_is_granted_and_is_the_agents_to_run() -> None:
    desk = Desk()
    chat = await desk.chat("We are 4 people", "pay for it")
    it, _ = card_of(chat)
    await chat.answer(YES)
    assert desk.done == []
    assert grants_of(chat) == [("wire", it.id, "valid")]
    assert "wire the money" in chat.run.said


async def died_with_leave(desk: Desk) -> tuple[Conversation, Interaction]:
    """A chat whose process died once the grant of its card was written."""
    chat = await desk.chat(TO_OSLO, "book it")
    card, _ = card_of(chat)
    chat.run.answer(card, YES)
    await crashed(chat.run, desk.program, "after requirements")
    return chat, card


async def test_leave_that_is_given_again_after_a_death_is_the_same_leave() -> None:
    desk = Desk()
    chat, card = await died_with_leave(desk)
    version = chat.state.version
    assert grants_of(chat) == [("ride", card.id, "valid")]
    await chat.run.go(desk.program)
    assert desk.done == ["ride Oslo 2"]
    assert grants_of(chat) == [("ride", card.id, "used")]
    assert chat.state.version == version + 1, "only its use was written"


async def test_leave_that_a_change_made_void_runs_nothing() -> None:
    desk = Desk()
    chat, card = await died_with_leave(desk)
    desk.set_beside(chat, "bags", 6)
    await chat.run.go(desk.program)
    assert desk.done == []
    again, shown = card_of(chat)
    assert shown.tool_params == {**OSLO, "bags": 6}
    await chat.answer(YES)
    assert desk.done == ["ride Oslo 6"]
    assert grants_of(chat) == [("ride", card.id, "void"), ("ride", again.id, "used")]


async def test_an_agent_that_asks_for_a_guarded_tool_hears_what_was_agreed_to() -> None:
    heard: list[object] = []

    async def agent(ctx: AgentContext) -> None:
        if ctx.message == "Ask me":
            heard.append(await ctx.call("request_action", action="wire"))

    app = App({"agent": agent})
    app.guard("wire", requires=Lunch, verb="wire the money")
    chat = Conversation(app.programs()["agent"], "c")
    await chat.say("We are 4 people")
    await chat.say("Ask me")
    await chat.answer(YES)
    assert heard == [
        {
            "status": "granted",
            "action": "wire",
            "message": "Approved: wire the money.",
            "result": {"guests": 4},
        }
    ]


async def test_words_grant_on_the_card_that_they_answer() -> None:
    desk = Desk()
    chat = await desk.chat(TO_OSLO, "book it")
    it, _ = card_of(chat)
    pending = chat.state.pending
    assert pending is not None
    await chat.say("yes")
    assert desk.done == ["ride Oslo 2"]
    [grant] = chat.state.grants
    assert (grant.interaction_id, grant.pending_id) == (it.id, pending.id)
    assert grant.given_by == chat.run.run_id


class Stay(Requirements):
    ort: Annotated[str, Ask("Wohin geht es?")]
    dauer: Annotated[timedelta, Ask("Wie lange?")]
    anreise: Annotated[date | None, Ask("Wann reisen Sie an?")]
    raucher: Annotated[bool, Ask("Rauchen Sie?")]
    haustiere: list[str] = []  # noqa: RUF012  # pydantic copies it
    pause: Annotated[timedelta, Ask("Wie lange ist die Pause?")] = timedelta(hours=1)


class Nap(Requirements):
    length: Annotated[timedelta, Ask("How long?")]


@pytest.mark.parametrize("trigger", ["confirm", "explicit"])
async def test_the_values_stand_on_the_card_in_the_persons_language(trigger: str) -> None:
    app = App(name="desk")

    @app.action("stay", requires=Stay, verb="das Zimmer buchen", trigger=trigger)
    async def book(req: Stay, ctx: ToolContext) -> None:
        return None

    program = app.programs()["desk"]
    assert isinstance(program, GatedProgram)
    chat = Conversation(program, "c")
    await chat.say("Ich möchte das Zimmer buchen, nach Rom")
    await chat.say("Das wird fünf Tage dauern, und wir reisen am 24. Dezember an")
    await chat.say("nein, wir rauchen nicht")
    said = card_of(chat)[1].agent_message if chat.card is not None else chat.run.said
    values = "Ort: Rom; Dauer: 5 Tage; Anreise: 24.12.2026; Raucher: nein"
    assert f"{values}; Pause: 1 Stunde (angenommen)" in said
    assert "Haustiere" not in said
    if trigger == "confirm":
        rows = {row.label: (row.text, row.code) for row in card_of(chat)[1].known}
        assert rows["Dauer"] == ("5 Tage", None)
        assert rows["Anreise"] == ("24.12.2026", None)


def test_the_console_says_in_its_own_language_what_was_said_in_english() -> None:
    app = App(name="desk")

    @app.action("nap", requires=Nap, verb="take a nap")
    async def nap(req: Nap, ctx: ToolContext) -> None:
        return None

    known = {"length": Given(value="PT20M", source=Source.FORM)}
    state = RequirementState(values=known)
    [row] = known_values(app.actions.specs[0], state, "en")
    assert (row.text, row.code, row.params) == ("20 minutes", "value.minutes", {"n": 20})


async def test_a_form_that_comes_again_is_put_in_other_words() -> None:
    chat = await Desk().chat("book the ride to Oslo")
    put = []
    for _ in range(5):
        await chat.say("what is the weather like there?")
        put += [it.card.agent_message for it in chat.run.pending]
    assert len(put) > 2
    assert len({*put[:3]}) == 3
