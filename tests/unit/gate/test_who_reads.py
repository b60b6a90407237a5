"""A reader beside the rules: which of them has read a message, and what one may not do."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Annotated, Any, cast

import pytest

from sayso import App, ToolContext
from sayso.core.extraction_ops import Operation, Reading, Set
from sayso.gate import Ask, Requirements
from sayso.gate.extraction import ExtractorChain, read_by
from sayso.gate.readers import reading_of
from sayso.reading.rule_extractor import RuleExtractor
from tests.unit.gate.test_hostile import Conversation


class Ride(Requirements):
    goal: Annotated[str, Ask("Where to?")]
    bags: Annotated[int, Ask("How many bags?")]


TO_OSLO = "I'm travelling to Oslo with 2 bags"
OSLO = Set(slot="goal", value="Oslo", quote="Oslo")


def trip() -> Reading:
    return reading_of(TO_OSLO, Ride)


class Reader:
    """A reader of one's own, which does what it is given."""

    name = "mine"

    def __init__(self, reads: Callable[[], object]) -> None:
        self._reads = reads

    async def extract(self, reading: Reading) -> Sequence[Operation]:
        found = self._reads()
        return cast("Sequence[Operation]", await found if asyncio.isfuture(found) else found)


def _fail() -> object:
    raise ValueError("no such model")


def _never() -> object:
    return asyncio.get_running_loop().create_future()


FAILING: dict[str, Callable[[], object]] = {
    "it fails": _fail,
    "it takes too long": _never,
    "it gives nothing": lambda: None,
    "it gives text": lambda: "set goal to Oslo",
    "it gives other things": lambda: [OSLO, "Oslo"],
    "it gives an unknown operation": lambda: [{"op": "wire", "to": "Oslo"}],
}


@pytest.mark.parametrize("reads", FAILING.values(), ids=FAILING.keys())
async def test_where_a_reader_gives_nothing_the_rules_have_read(
    reads: Callable[[], object],
) -> None:
    rules = RuleExtractor()
    chain = ExtractorChain(rules, Reader(reads), seconds=0.05)
    read = await read_by(chain, trip())
    assert read.by == "rules"
    assert read.operations == await rules.extract(trip())


@pytest.mark.parametrize("found", [[OSLO], []], ids=["a value", "no value"])
async def test_a_reader_that_answers_has_read(found: list[Operation]) -> None:
    read = await read_by(ExtractorChain(RuleExtractor(), Reader(lambda: found)), trip())
    assert read.by == "mine"
    assert (OSLO in read.operations) is bool(found)
    assert (await read_by(Reader(lambda: found), trip())).by == "mine"


async def test_each_turn_names_who_read_it() -> None:
    answers: list[Callable[[], object]] = [lambda: [OSLO], _fail, lambda: []]
    app = App(name="desk", extractor=Reader(lambda: answers.pop(0)()))

    @app.action("ride", requires=Ride, verb="book the ride")
    async def book_ride(req: Ride, ctx: ToolContext) -> str:
        return f"Booked to {req.goal}."

    program = app.programs()["desk"]
    chat = Conversation(program, "c")
    told: list[Any] = []
    # The last is the gate's to answer: nobody is asked to read it.
    for words in ("to Oslo", "2 bags", "it is nice there", "what do you need?"):
        await chat.say(words)
        told.append(chat.recorder.metadata["model"])
    assert told == ["mine", "rules", "mine", "rules"]
    assert answers == []
