"""A reader beside the rules: which of them has read a message, and what one may not do."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from typing import Annotated, Any, cast

import pytest

from sayso import App, ToolContext
from sayso.app import reader as reader_of
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


async def test_what_breaks_the_rules_gives_no_value_and_no_leave() -> None:
    alone = await read_by(ExtractorChain(Reader(_fail)), trip())
    assert [*alone.operations] == []
    beside = await read_by(ExtractorChain(Reader(_fail), Reader(lambda: [OSLO])), trip())
    assert [*beside.operations] == [OSLO]


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


# ── readers that block ──

SEES: ContextVar[str] = ContextVar("SEES", default="")


class Blocks:
    """A plain function, as a local model has it: it holds its thread until the test lets it go."""

    name = "local"

    def __init__(self, *, is_let_go: bool = False) -> None:
        self.may_go = threading.Event()
        self.entered = threading.Semaphore(0)
        self.saw: list[tuple[str, bool]] = []
        if is_let_go:
            self.may_go.set()

    def extract(self, reading: Reading) -> Sequence[Operation]:
        self.saw.append((SEES.get(), threading.current_thread() is threading.main_thread()))
        self.entered.release()
        assert self.may_go.wait(60)
        return [OSLO]


@pytest.fixture
def blocks() -> Iterator[Blocks]:
    reader = Blocks()
    yield reader
    reader.may_go.set()


async def test_a_plain_function_reads_in_a_thread_with_the_turns_context() -> None:
    SEES.set("this turn")
    reader = Blocks(is_let_go=True)
    read = await read_by(ExtractorChain(RuleExtractor(), reader), trip())
    assert read.by == "local"
    assert OSLO in read.operations
    assert reader.saw == [("this turn", False)]


async def test_an_application_takes_a_plain_function() -> None:
    read = await read_by(reader_of(Blocks(is_let_go=True)), trip())
    assert read.by == "local"


async def test_one_that_blocks_for_too_long_is_left_to_the_rules_and_holds_up_nobody(
    blocks: Blocks,
) -> None:
    chain = ExtractorChain(RuleExtractor(), blocks, seconds=0.05)
    read = await read_by(chain, trip())
    assert read.by == "rules"
    assert read.operations == await RuleExtractor().extract(trip())


async def test_a_run_that_is_cancelled_does_not_wait_for_it(blocks: Blocks) -> None:
    chain = ExtractorChain(RuleExtractor(), blocks, seconds=60)
    reading = asyncio.create_task(read_by(chain, trip()))
    await asyncio.to_thread(blocks.entered.acquire)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading


async def test_given_up_threads_do_not_pile_up(blocks: Blocks) -> None:
    chain = ExtractorChain(RuleExtractor(), blocks, seconds=0.05, most_threads=2)
    for _ in range(4):
        assert (await read_by(chain, trip())).by == "rules"
    for _ in range(2):
        await asyncio.to_thread(blocks.entered.acquire)
    assert len(blocks.saw) == 2
    blocks.may_go.set()
    async with asyncio.timeout(60):
        while (await read_by(chain, trip())).by == "rules":  # noqa: ASYNC110  # threads let go
            await asyncio.sleep(0.01)


async def test_a_thread_that_cannot_be_started_costs_no_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chain = ExtractorChain(RuleExtractor(), Blocks(is_let_go=True), most_threads=1)

    def refused(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refused)
        asked = asyncio.create_task(chain._asked(trip()))
        assert await asked is None
    assert (await read_by(chain, trip())).by == "local"


async def test_a_plain_function_may_return_a_coroutine_of_this_loop() -> None:
    loop = asyncio.get_running_loop()

    class Wraps:
        name = "wraps"

        def extract(self, reading: Reading) -> Any:
            return self._extract(reading)

        async def _extract(self, reading: Reading) -> Sequence[Operation]:
            assert asyncio.get_running_loop() is loop
            return [OSLO]

    assert (await read_by(ExtractorChain(RuleExtractor(), Wraps()), trip())).by == "wraps"
