"""Any function agent is what it would be with plain calls and the same yes and no.

Each program runs in plain Python, and through Sayso with every pause: answers come in any order,
some to a server that was started after the question, and at any await the server ends: inside of
gathers, of tools within tools, and before and after a tool acted.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal
from hypothesis import given
from hypothesis import strategies as st

from sayso import AgentContext
from tests.oracles.client import Client
from tests.oracles.conftest import looks
from tests.oracles.desk import GUARD_SECONDS, Ledger, Story, Wire, desk
from tests.oracles.fates import Fate
from tests.oracles.lives import Yeses
from tests.oracles.programs import (
    PROGRAMS,
    READ_ONLY,
    YESES,
    Ask,
    Block,
    Call,
    Confirm,
    Failed,
    Gather,
    Loop,
    Node,
    Person,
    Plain,
    Told,
    Try,
    Unless,
    gathers,
    tell,
    tools_of,
)


class Turns:
    """What a person does between questions, drawn: which card next, and in which process."""

    def __init__(self, drawn: list[int]) -> None:
        self._drawn, self._next = drawn, 0

    def pick(self, among: int) -> int:
        self._next += 1
        return self._drawn[self._next % len(self._drawn)] % among if self._drawn else 0

    def another_process(self) -> bool:
        return bool(self._drawn) and self.pick(4) == 0


class Stage:
    """Where programs run: one folder and ledger, in as many processes' lives as it takes."""

    def __init__(self, portal: BlockingPortal, folder: Path) -> None:
        self.portal, self.folder = portal, folder
        self.ledger = Ledger(folder / "ledger")
        self.tools = tools_of(self.ledger, lambda: self.fate)
        self.stories: dict[str, Story] = {}
        self.fate = Fate(0, _dropped)

    def compare(self, program: Block, yeses: Yeses, turns: list[int], ends: list[int]) -> int:
        """Compare it with plain Python; how many awaits its last life passed."""
        plain = self.portal.call(as_plain_calls, program, yeses)
        told = self.portal.call(self._told, program, yeses, Turns(turns), ends)
        for mine, theirs in zip(plain, told, strict=True):
            assert theirs == mine, f"\nplain {plain}\ntold  {told}\n{program}\n{yeses}\n{ends}"
        return self.fate.passed

    async def _told(
        self, program: Block, yeses: Yeses, turns: Turns, ends: list[int]
    ) -> tuple[Any, Any]:
        person = Person(yeses, counts=not gathers(program))
        ended: list[Any] = []

        async def story(ctx: AgentContext) -> None:
            ended.append(await _value(program, Told(ctx, self.tools, self.fate.passes)))
            await self.fate.passes()

        chat, left, is_new = "", Counter[str](), False
        async with asyncio.timeout(GUARD_SECONDS):
            for at in [*ends, *[0] * GUARD_SECONDS]:
                self.fate = Fate(at, _dropped)
                async with self._desk() as here:
                    chat = chat or await here.start(story)
                    client = Client(here, chat, person, self.ledger)
                    has_ended = await _until_it_ends(client, self.fate, turns, is_new=is_new)
                    if has_ended:
                        asked = await client.asked_what_ran()
                        assert asked_as_often(program, asked, left), f"{left}, {asked}"
                        break
                left.update(self.fate.left)
                is_new = True
        lines = self.ledger.of(chat)
        return (ended[-1] if ended else "never ended"), lines_of(lines, program)

    def _desk(self) -> Any:
        tools = self.tools.values()
        return desk(self.folder, *tools, ledger=self.ledger, stories=self.stories)


async def _dropped(fate: Fate) -> None:
    """The engine is dropped while this waits."""
    fate.has_come.set()
    await asyncio.get_running_loop().create_future()


async def _until_it_ends(client: Client, fate: Fate, turns: Turns, *, is_new: bool) -> bool:
    """Answer what is asked. False when this process is to end before the run does."""
    while not fate.has_come.is_set():
        status = await client.status()
        if status == "completed":
            return True
        cards = await client.open_cards() if status == "waiting" else []
        # The first answer too may be given to a process that did not ask.
        if cards and not is_new and turns.another_process():
            return False
        if cards:
            is_new = False
            await client.answer(cards[turns.pick(len(cards))])
        else:
            await asyncio.sleep(0.004)  # the run is looked at by HTTP
    return False


async def as_plain_calls(program: Block, yeses: Yeses) -> tuple[Any, Any]:
    io = Plain(Person(yeses, counts=not gathers(program)))
    value = await _value(program, io)
    return value, lines_of(io.ledger, program)


async def _value(program: Node, io: Plain | Told) -> Any:
    try:
        return await tell(program, io)
    except Failed:
        return "failed"


def asked_as_often(program: Block, asked: Counter[str], left: Counter[str]) -> bool:
    """Whether there was one question for each body that was open when its process ended. Beside it
    others may have been committed as started, and not yet entered."""
    return left <= asked if gathers(program) else left == asked


def lines_of(ledger: list[Wire], program: Node) -> Any:
    """What ran, in order; beside each other there is none. What only looks may look again where a
    process ended before its next question."""
    acted = [each for each in ledger if each["tool"] not in READ_ONLY]
    texts = [json.dumps([each["tool"], each["arguments"]], sort_keys=True) for each in acted]
    return Counter(texts) if gathers(program) else texts


@pytest.fixture(scope="module")
def stage(portal: BlockingPortal, folder: Path) -> Stage:
    return Stage(portal, folder)


def _block(*steps: Node) -> Block:
    return Block(steps)


KNOWN_BAD: dict[str, Block] = {
    "a look-up and a refund of the same order": _block(Call("look_up"), Call("refund")),
    "two gated tools with the same order": _block(Call("refund"), Call("cancel_subscription")),
    "two tools without arguments": _block(Call("ping", None), Call("beat", None)),
    "a tool without arguments, then a gated one": _block(Call("ping", None), Call("wipe", None)),
    "two tools with the same order within a tool": _block(Call("both")),
    "a look-up and a refund within a tool": _block(Call("settle")),
    "tools within tools": _block(Call("end_all"), Call("settle")),
    "the same tool again and again": _block(Loop(3, Call("refund"))),
    "beside each other": _block(Gather((Call("refund"), Call("cancel_subscription")))),
    "the same beside itself": _block(Gather((Call("refund"), Call("refund")))),
    "a tool that fails, then one with its order": _block(
        Try(Call("broken"), Call("note")), Call("refund")
    ),
    "questions in between": _block(
        Call("refund"), Ask("7"), Call("cancel_subscription"), Confirm("Sure?"), Ask("7")
    ),
    "what is done after a no": _block(Unless(Call("refund"), Call("note")), Call("log")),
}
PEOPLE: dict[str, Yeses] = {
    "always yes": {},
    "never": {(name, 7): 0 for name in ("refund", "cancel_subscription", "close")}
    | {("wipe", None): 0},
}


@pytest.mark.parametrize("yeses", PEOPLE.values(), ids=PEOPLE)
@pytest.mark.parametrize("program", KNOWN_BAD.values(), ids=KNOWN_BAD)
def test_what_was_once_wrong(stage: Stage, program: Block, yeses: Yeses):
    stage.compare(program, dict.fromkeys(ALL_GATED, 9) | dict(yeses), [3, 1, 2], [])


ALL_GATED = [(name, 7) for name in ("refund", "cancel_subscription", "close")] + [("wipe", None)]


@looks(25)
@given(
    PROGRAMS,
    YESES,
    st.lists(st.integers(0, 30), max_size=12),
    st.lists(st.integers(1, 24), max_size=3),
)
def test_an_agent_is_what_it_would_be_with_plain_calls(
    stage: Stage, program: Block, yeses: Yeses, turns: list[int], ends: list[int]
):
    stage.compare(program, yeses, turns, ends)
