"""A second agent in the same run (gate/two_agents.py), behind an agent of every framework: it
begins when the first has ended, its calls are its own, and the first one's memory is kept."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from pathlib import Path

import pytest

from sayso.adapters.function import SecondAgentAdapter
from sayso.adapters.program import AgentProgram
from sayso.core.cards import CardKind
from sayso.core.segments import Completed, Recorder, SegmentEnd, SegmentStart, Waiting
from sayso.core.tasks import TaskStreamChunk, UniversalMessage
from sayso.gate.actions import Actions
from sayso.gate.two_agents import act_then_answer, answer_then_card
from sayso.testing.adapter_contract import TOOLS, Script, Turn
from sayso.testing.contract.case import crashed
from sayso.testing.contract.tools import REFUND, deeds, use_ledger
from sayso.testing.recorder import MemoryRun
from sayso.tools.context import AgentContext
from tests.contract import (
    adk_builder,
    ag2_builder,
    agent_framework_builder,
    autogen_builder,
    builders,
    langgraph_builder,
    openai_agents_builder,
    pydantic_ai_builder,
    strands_builder,
)

Build = Callable[[Script], AgentProgram]


def one_by_one(script: Script) -> AgentProgram:
    """A function whose calls have the keys that those of the second agent would have."""

    async def agent(ctx: AgentContext) -> None:
        found = []
        for turn in script:
            await ctx.say(turn.say)
            found += [await ctx.call(name, **args) for name, args in turn.whole_calls]
        await ctx.say(builders.results(found))

    return AgentProgram(agent, tools=TOOLS)


FIRST = (
    one_by_one,
    builders.function,
    pydantic_ai_builder.pydantic_ai,
    adk_builder.adk,
    ag2_builder.ag2,
    autogen_builder.autogen,
    langgraph_builder.langgraph,
    agent_framework_builder.agent_framework,
    openai_agents_builder.openai_agents,
    strands_builder.strands,
)
SCRIPT = [Turn("so ", [REFUND])]
REFUNDED = "refund 1001 42.0"


class Both(AgentProgram):
    """A framework's agent; then one that makes the very same call."""

    def __init__(self, build: Build) -> None:
        super().__init__(_once_more, tools=TOOLS, adapter=SecondAgentAdapter())
        self._build = build

    async def run_segment(
        self, start: SegmentStart, recorder: Recorder
    ) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
        second = AgentProgram(_once_more, tools=TOOLS, adapter=SecondAgentAdapter())
        items = answer_then_card(self._build(SCRIPT), second, Actions(), start, recorder)
        async with aclosing(items):
            async for item in items:
                yield item


async def _once_more(ctx: AgentContext) -> None:
    name, arguments = REFUND
    await ctx.call(name, **arguments)
    await ctx.say(" And once more.")


@pytest.fixture(params=FIRST, ids=lambda build: build.__name__)
def build(request: pytest.FixtureRequest, tmp_path: Path) -> Build:
    use_ledger(tmp_path / "ledger")
    found: Build = request.param
    return found


async def test_both_make_their_own_call(build: Build) -> None:
    run = MemoryRun("first")
    assert isinstance(await run.go(Both(build)), Waiting)
    assert deeds() == []
    run.approve("refund")
    assert isinstance(await run.go(Both(build)), Waiting)
    assert deeds() == [REFUNDED]
    assert run.said.startswith("so Results:")
    assert run.recorder.saved is not None
    assert isinstance(run.recorder.saved.blob, bytes), "a column takes no None"
    run.approve("refund")
    assert isinstance(await run.go(Both(build)), Completed)
    assert deeds() == [REFUNDED] * 2
    assert run.said.count("Results:") == 1
    assert run.said.endswith(" And once more.")


async def test_the_first_remembers_after_the_second_has_ended(build: Build) -> None:
    alone, run = MemoryRun("first"), MemoryRun("first")
    await alone.go(build(SCRIPT))
    alone.approve("refund")
    await alone.go(build(SCRIPT))
    for _ in range(2):
        await run.go(Both(build))
        run.approve("refund")
    await run.go(Both(build))
    assert (run.agent_state is None) == (alone.agent_state is None)
    await _goes_on(run, build)


async def _goes_on(run: MemoryRun, build: Build) -> None:
    """The chat takes the next message, which is the framework's agent's alone."""
    chat = [
        *run.history,
        UniversalMessage(role="user", content=run.text),
        UniversalMessage(role="assistant", content=run.said),
    ]
    after = MemoryRun("second", run_id="run-2", history=chat, agent_state=run.agent_state)
    end = await after.go(build([Turn("on ", [("peek", {})])]))
    assert isinstance(end, Completed), end
    assert after.said == 'on Results: "seen"'


async def test_a_death_in_the_second_leaves_the_first_as_it_was(build: Build) -> None:
    """It dies once the second has begun to act: a person is asked about that call alone."""
    run = MemoryRun("first")
    for _ in range(2):
        await run.go(Both(build))
        run.approve("refund")

    await crashed(run, Both(build), "after started:refund")
    assert isinstance(await run.go(Both(build)), Waiting)
    assert [it.card.card for it in run.pending] == [CardKind.UNCERTAIN_EFFECT]
    assert deeds() == [REFUNDED]
    run.answer(run.pending[0], {"selected_option": "run_again"})
    end = await run.go(Both(build))
    assert isinstance(end, Completed)
    assert deeds() == [REFUNDED] * 2
    assert run.said.count("Results:") == 1
    if run.agent_state is not None:
        assert end.memory == run.agent_state.blob


# ── the other way round: what was agreed to, then an answer ──


class ThenAnswers(Both):
    """The second one's call first; then the framework's agent, as one that answers."""

    async def run_segment(
        self, start: SegmentStart, recorder: Recorder
    ) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
        gate = AgentProgram(_once_more, tools=TOOLS, adapter=SecondAgentAdapter())
        items = act_then_answer(self._build(SCRIPT), gate, "Why?", start, recorder)
        async with aclosing(items):
            async for item in items:
                yield item


async def test_an_agent_answers_after_what_was_agreed_to(build: Build) -> None:
    before = [
        UniversalMessage(role="user", content="earlier"),
        UniversalMessage(role="assistant", content="yes"),
    ]
    run = MemoryRun("first", history=before)
    assert isinstance(await run.go(ThenAnswers(build)), Waiting)
    run.approve("refund")
    assert isinstance(await run.go(ThenAnswers(build)), Waiting)
    assert deeds() == [REFUNDED]
    assert run.said == " And once more.so "
    run.approve("refund")
    end = await run.go(ThenAnswers(build))
    assert isinstance(end, Completed), end
    assert deeds() == [REFUNDED] * 2
    assert run.said.startswith(" And once more.so Results:")
    await _goes_on(run, build)
