"""What a function agent does with asyncio by itself: its own gathers and timeouts, tasks that it
begins and leaves, and handlers that keep what was meant for Sayso."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace

import orjson
import pytest

from sayso.adapters.program import AgentProgram
from sayso.core.segments import Completed, SegmentEnd, Waiting
from sayso.testing.recorder import MemoryRun
from sayso.tools.context import AgentContext
from sayso.tools.tool import tool

paid: list[str] = []
begun: list[str] = []


@pytest.fixture(autouse=True)
def nothing_paid() -> None:
    paid.clear()
    begun.clear()


@tool(approval=True)
def pay(to: str) -> str:
    """Pay somebody."""
    paid.append(to)
    return f"paid {to}"


async def settled(agent: Callable[[AgentContext], Awaitable[object]]) -> MemoryRun:
    """Approve all that is asked, one card at a time and each in a program of its own."""
    run = MemoryRun()
    end: SegmentEnd = await run.go(AgentProgram(agent, tools=[pay]))
    while isinstance(end, Waiting):
        run.approve(run.pending[0])
        end = await run.go(AgentProgram(agent, tools=[pay]))
    assert isinstance(end, Completed), end
    return run


async def with_gather(ctx: AgentContext) -> str:
    return str(await asyncio.gather(ctx.call(pay, to="a"), ctx.call(pay, to="b")))


async def with_all_errors(ctx: AgentContext) -> str:
    calls = [ctx.call(pay, to=to) for to in "ab"]
    return str(await asyncio.gather(*calls, return_exceptions=True))


async def with_group(ctx: AgentContext) -> str:
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(ctx.call(pay, to=to)) for to in "ab"]
    return str([task.result() for task in tasks])


async def with_wait(ctx: AgentContext) -> str:
    done, _ = await asyncio.wait([asyncio.ensure_future(ctx.call(pay, to=to)) for to in "ab"])
    return str(sorted(str(task.result()) for task in done))


async def with_order_reversed(ctx: AgentContext) -> str:
    """As `asyncio.as_completed` may: which task is first is not the same each time."""
    begun.append("")
    order = "ab" if len(begun) % 2 else "ba"
    done = await asyncio.gather(*(ctx.call(pay, to=to) for to in order))
    return str(sorted(map(str, done)))


@pytest.mark.parametrize(
    "agent", [with_gather, with_all_errors, with_group, with_wait, with_order_reversed]
)
async def test_calls_side_by_side_are_all_asked_about_and_each_runs_once(
    agent: Callable[[AgentContext], Awaitable[object]], caplog: pytest.LogCaptureFixture
) -> None:
    run = MemoryRun()
    await run.go(AgentProgram(agent, tools=[pay]))
    gc.collect()
    assert "never retrieved" not in caplog.text, "asyncio tells of no pause"
    assert len(run.pending) == 2
    begun.clear()
    run = await settled(agent)
    assert run.said == "['paid a', 'paid b']"
    assert sorted(paid) == ["a", "b"]
    assert len(run.interactions) == 2, "no question whether it ran"


async def test_a_sibling_of_a_question_is_not_stopped_in_the_middle_of_its_call() -> None:
    @tool(destructive=True)
    async def wipe() -> str:
        """Takes a while."""
        await asyncio.sleep(0.01)
        paid.append("wiped")
        return "wiped"

    async def agent(ctx: AgentContext) -> str:
        return str(await asyncio.gather(ctx.confirm("Sure?"), ctx.call(wipe)))

    run = MemoryRun()
    await run.go(AgentProgram(agent, tools=[wipe]))
    assert [it.title for it in run.pending] == ["Sure?"]
    assert [effect.state.value for effect in run.recorder.effects.values()] == ["done"]
    run.approve("Sure?")
    await run.go(AgentProgram(agent, tools=[wipe]))
    assert run.said == "[True, 'wiped']"
    assert paid == ["wiped"]


async def test_what_keeps_a_pause_gets_nothing_done_before_the_answer() -> None:
    async def agent(ctx: AgentContext) -> str:
        try:
            await ctx.call(pay, to="a")
        except BaseException:
            await ctx.say("It went wrong. ")
            await ctx.call(pay, to="somebody else")
        return "done"

    run = MemoryRun()
    assert isinstance(await run.go(AgentProgram(agent, tools=[pay])), Waiting)
    assert [it.title for it in run.pending] == ["Pay"]
    assert run.said == ""
    run.reject("pay", "no")
    await run.go(AgentProgram(agent, tools=[pay]))
    assert (run.said, paid) == ("done", [])


async def test_a_question_that_is_kept_quiet_is_asked_all_the_same() -> None:
    async def agent(ctx: AgentContext) -> None:
        with suppress(BaseException):
            await ctx.call(pay, to="a")

    await settled(agent)
    assert paid == ["a"]


async def test_what_stands_in_finally_runs_after_the_call_and_not_at_its_pause() -> None:
    async def agent(ctx: AgentContext) -> None:
        try:
            await ctx.call(pay, to="first")
        finally:
            await ctx.call(pay, to="last")

    await settled(agent)
    assert paid == ["first", "last"]


async def test_a_call_that_nobody_awaits_is_not_lost() -> None:
    left: list[object] = []

    async def agent(ctx: AgentContext) -> None:
        left.append(asyncio.create_task(ctx.call(pay, to="a")))

    await settled(agent)
    assert paid == ["a"]


async def test_work_that_is_done_once_asks_nobody_in_the_middle() -> None:
    """It ended in `replay_diverged` when the answer came: the work could not be taken up again."""

    async def agent(ctx: AgentContext) -> None:
        async def charge() -> bool:
            return await ctx.confirm("Sure?")

        await ctx.once("charge", charge)

    run = MemoryRun()
    await run.go(AgentProgram(agent))
    assert [it.card.card for it in run.pending] == ["uncertain_effect"]
    assert "`ctx.once` must not ask: ask before it" in run.pending[0].card.agent_message


# ── calls that it gives up ──


def endless(*, approval: bool) -> object:
    @tool(approval=approval, name="slow")
    async def never() -> str:
        """Never comes back by itself."""
        begun.append("slow")
        await asyncio.Event().wait()
        return "never"

    return never


async def impatient(ctx: AgentContext) -> str:
    """As a timeout does, once the body has begun."""
    work = asyncio.ensure_future(ctx.call("slow"))
    while not begun and not work.done():  # noqa: ASYNC110
        await asyncio.sleep(0)
    work.cancel()
    try:
        first: object = await work
    except asyncio.CancelledError:
        first = "too late"
    return f"{first}, {await ctx.call(pay, to='a')}"


async def test_whoever_gives_up_an_approved_call_hears_what_became_of_it() -> None:
    run, program = MemoryRun(), AgentProgram(impatient, tools=[endless(approval=True), pay])
    await run.go(program)
    run.approve("slow")
    await run.go(program)
    (it,) = run.pending
    assert it.card.card == "uncertain_effect"
    run.answer(it, {"selected_option": "mark_done", "values": {"result": "it was done"}})
    begun.clear()  # as in another process
    await run.go(program)
    run.approve("pay")
    await run.go(program)
    assert run.said == "it was done, paid a"
    assert begun == []


async def test_a_call_that_was_given_up_is_given_up_again_on_replay() -> None:
    run, program = MemoryRun(), AgentProgram(impatient, tools=[endless(approval=False), pay])
    await run.go(program)
    run.approve("pay")
    await run.go(program)
    assert run.said == "too late, paid a"
    assert begun == ["slow"]


async def test_a_thread_comes_to_its_end_whatever_times_out() -> None:
    goes_on = asyncio.Event()
    loop = asyncio.get_running_loop()

    @tool
    def thorough() -> str:
        """Cannot be stopped."""
        asyncio.run_coroutine_threadsafe(goes_on.wait(), loop).result()
        paid.append("done")
        return "done"

    async def agent(ctx: AgentContext) -> str:
        work = asyncio.ensure_future(ctx.call(thorough))
        while not run.recorder.effects:  # noqa: ASYNC110
            await asyncio.sleep(0)
        work.cancel()
        await asyncio.sleep(0)
        goes_on.set()
        return str(await work)

    run = MemoryRun()
    await run.go(AgentProgram(agent, tools=[thorough]))
    assert (run.said, paid) == ("done", ["done"])


# ── a run that an older version began ──


async def test_a_journal_of_an_older_version_is_read_as_it_was_written() -> None:
    """There the first task to reach a step was the body itself, and names had no arguments."""
    run, program = MemoryRun(), AgentProgram(with_gather, tools=[pay])
    await run.go(program)
    saved = run.recorder.saved
    assert saved is not None
    journal = orjson.loads(saved.journal)
    assert journal.pop("naming") == 2
    assert all("~call.pay." in path for path in journal["paths"])
    journal["paths"] = {}
    run.recorder.saved = replace(saved, journal=orjson.dumps(journal))
    run.interactions.clear()
    await run.go(program)
    assert run.recorder.saved is not None
    again = orjson.loads(run.recorder.saved.journal)
    assert set(again["paths"]) == {"", "~call.pay.0/"}
