"""A clause with the card's own verb, or another word of leave, in words that no closed form has, is
leave only where the network is all but certain of it."""

from __future__ import annotations

from typing import Annotated

import pytest

from sayso import App, ToolContext
from sayso.gate import Ask, Requirements
from sayso.reading.lexicon import lexicon
from sayso.reading.network import Network, Shares
from sayso.reading.second_witness import BESIDE_QUESTION, IN_NO_FORM, WITH_DEED
from sayso.reading.what_is_ordered import is_broken_off
from tests.unit.gate.test_hostile import Conversation

ORDER = "Book the room in Rome"


class Room(Requirements):
    city: Annotated[str, Ask("Which city?")]


def _chat(booked: list[str]) -> Conversation:
    app = App(name="desk")

    @app.action("room", requires=Room, verb="book the room")
    async def room(req: Room, ctx: ToolContext) -> str:
        booked.append(req.city)
        return "Booked."

    return Conversation(app.programs()["desk"], "c")


@pytest.mark.parametrize(
    "said",
    [
        "so sick of waiting, book that room already",
        "Yes, book that thing once and for all, please",
    ],
)
async def test_the_verb_of_the_card_orders_it(said: str) -> None:
    booked: list[str] = []
    chat = _chat(booked)
    await chat.say(ORDER)
    await chat.say(said)
    assert booked == ["Rome"], chat.run.said


@pytest.mark.parametrize(
    "said",
    [
        "you book yours, I book mine",
        "my neighbour booked a room as well",
        "booking is such a sad word",
        "should I book it",
        "I'd book it if I were you",
        "they book me in the wrong room all the time",
        "don't book it yet",
        "Kofi, book yours on your own machine",
        "I can book it myself next month",
        "book, book, is that all you can say",
        "why book the room",
    ],
)
async def test_the_verb_alone_orders_nothing(said: str) -> None:
    booked: list[str] = []
    chat = _chat(booked)
    await chat.say(ORDER)
    await chat.say(said)
    assert booked == [], said


@pytest.mark.parametrize(
    "said",
    [
        "no, book it",
        "but yes, book it, and book me a yacht",
        "they book me in the wrong room every year",
        "yes, book it, and book me a yacht",
        "don't book the larger one",
        "book the yacht",
        "yes, reserve the yacht please",
        "book the",
        "yes, reserve my",
        "hey siri, yes, book it",
        "Alexa, book the room",
        "🤷‍♀️",
        "the weather is lovely in Rome",
    ],
)
async def test_the_network_alone_orders_nothing(monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    booked: list[str] = []
    chat = _chat(booked)
    await chat.say(ORDER)
    _hears(monkeypatch, given=0.999)
    await chat.say(said)
    assert booked == [], said


@pytest.mark.parametrize(
    ("said", "surely"),
    [
        ("Old Thunder is ready for it, so yes, get that done please", True),
        ("herrgott ja, mach das Ding endlich", True),
        ("Had a word with my wife and she doesn't mind, so we're set. Book the room.", True),
        ("Had I a word with my wife, I'd book the room.", None),
        ("Old Thunder is ready for it, so yes, get that done please", False),
        ("is he ready for it? so yes, get that done please", None),
        ("if he is ready for it, then get that done please", None),
    ],
)
async def test_a_word_of_leave_in_no_closed_form(
    monkeypatch: pytest.MonkeyPatch, said: str, surely: bool | None
) -> None:
    """None: however sure the network is, nothing runs."""
    booked: list[str] = []
    chat = _chat(booked)
    await chat.say(ORDER)
    _hears(monkeypatch, given=IN_NO_FORM - (0.0005 if surely is False else 0))
    await chat.say(said)
    assert booked == (["Rome"] if surely else []), said


async def test_an_unmarked_question_is_no_part_of_the_yes(monkeypatch: pytest.MonkeyPatch) -> None:
    booked: list[str] = []
    chat = _chat(booked)
    await chat.say(ORDER)
    _hears(monkeypatch, given=BESIDE_QUESTION - 0.01)
    await chat.say("sure, is Rome the city")
    assert booked == []


async def test_the_network_has_to_hear_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for given, ran in ((WITH_DEED - 0.001, []), (WITH_DEED, ["Rome"])):
        booked: list[str] = []
        chat = _chat(booked)
        await chat.say(ORDER)
        with monkeypatch.context() as patched:
            _hears(patched, given=given)
            await chat.say("Yes, book that blasted thing for her at last, please")
        assert booked == ran


def _hears(monkeypatch: pytest.MonkeyPatch, *, given: float) -> None:
    """Let the network hear leave this surely in whatever is said."""
    shares = Network.shares

    def heard(self: Network, inputs: object) -> Shares:
        found = shares(self, inputs)  # type: ignore[arg-type]  # as the product calls it
        return Shares(found.fields, 0.0, given)

    monkeypatch.setattr(Network, "shares", heard)


@pytest.mark.parametrize(
    ("language", "said", "broken_off"),
    [
        ("en", "send her the", True),
        ("en", "yes, but", True),
        ("en", "book my...", True),
        ("en", "book it for my mother", False),
        ("es", "sí, mándale las", True),
        ("es", "sí, resérvame una", False),
        ("fr", "oui réserve pour mon", True),
        ("fr", "oui, réserves-en une", False),
        ("de", "ja gut, aber", True),
        ("de", "ja, buch mir eine", False),
        ("it", "sì, mandale i", True),
        ("nl", "ja, doe maar", False),
        ("pt", "sim, manda-lhe as", True),
        ("pt", "sim, mande-as", False),
    ],
)
def test_what_breaks_off(language: str, said: str, broken_off: bool) -> None:
    assert is_broken_off(said, lexicon(language)) is broken_off
