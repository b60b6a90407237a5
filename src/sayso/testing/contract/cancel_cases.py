"""Cases: cancelled in the middle, after which the chat goes on with no call left dangling."""

from __future__ import annotations

import asyncio

import pytest

from sayso.core.segments import Completed
from sayso.core.tasks import UniversalMessage
from sayso.testing.contract.case import Case
from sayso.testing.contract.harness import Bench
from sayso.testing.contract.script import Turn
from sayso.testing.contract.tools import REFUND, entered, may_return
from sayso.testing.recorder import MemoryRun


class CancelCases(Case):
    async def test_cancel_in_the_middle_of_text(self, bench: Bench) -> None:
        run = MemoryRun("first")
        task = asyncio.create_task(run.go(bench.program(Turn("word " * 5000))))
        while len(run.chunks) < 3:  # noqa: ASYNC110  # the run under test has no event to wait for
            await asyncio.sleep(0)
        await cancelled(task)
        await goes_on(bench, run)

    async def test_cancel_in_the_middle_of_an_async_tool(self, bench: Bench) -> None:
        run = MemoryRun("first")
        task = asyncio.create_task(run.go(bench.program(Turn("so ", [("slow_async", {})]))))
        await asyncio.to_thread(entered.wait, 60)
        await cancelled(task)
        assert [e.state.value for e in run.recorder.effects.values()] == ["uncertain"]
        await goes_on(bench, run)

    async def test_cancel_in_the_middle_of_a_blocking_tool(self, bench: Bench) -> None:
        run, program = MemoryRun("first"), bench.program(Turn("so ", [("slow_thread", {})]))
        task = asyncio.create_task(run.go(program))
        await asyncio.to_thread(entered.wait, 60)
        await cancelled(task)
        may_return.set()
        await program.detached_threads.wait()
        assert [e.state.value for e in run.recorder.effects.values()] == ["done"]
        await goes_on(bench, run)

    async def test_cancel_while_it_waits(self, bench: Bench) -> None:
        """A waiting run that is cancelled is a row that nobody goes on with."""
        first = MemoryRun("zero")
        await first.go(bench.program(Turn("one ", [("peek", {})])))
        run = MemoryRun("first", agent_state=first.agent_state)
        await run.go(bench.program(Turn("so ", [REFUND])))
        await goes_on(bench, run)
        assert "refund 1001 42.0" not in bench.done


async def goes_on(bench: Bench, run: MemoryRun) -> MemoryRun:
    """After this run the chat takes the next message, with no call left dangling."""
    before = [
        *run.history,
        UniversalMessage(role="user", content=run.text),
        UniversalMessage(role="assistant", content=run.said),
    ]
    after = MemoryRun("second", run_id="run-2", history=before, agent_state=run.agent_state)
    end = await after.go(bench.program(Turn("on ", [("peek", {})])))
    assert isinstance(end, Completed), end
    assert after.said == 'on Results: "seen"'
    return after


async def cancelled(task: asyncio.Task[object]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
