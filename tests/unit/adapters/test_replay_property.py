"""Whatever a function agent does and wherever it pauses: its replay equals its uninterrupted
run."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from sayso.adapters.program import AgentProgram
from sayso.core.segments import Completed, Waiting
from sayso.testing.recorder import Crash, MemoryRun
from sayso.tools.context import AgentContext
from sayso.tools.suspension import StepFailed
from sayso.tools.tool import tool


@dataclass(frozen=True)
class Do:
    """One step of a generated agent; `parts` are the branches of a gather."""

    kind: str
    n: int = 0
    parts: tuple[tuple[Do, ...], ...] = ()


_leaf = st.builds(
    Do,
    st.sampled_from(
        ["say", "ask", "call", "read", "gated", "fail", "once", "uuid", "random", "note"]
    ),
    st.integers(0, 2),
)
_steps = st.recursive(
    st.lists(_leaf, max_size=4).map(tuple),
    lambda inner: st.lists(
        _leaf
        | st.builds(Do, st.just("gather"), st.just(0), st.lists(inner, max_size=3).map(tuple)),
        max_size=4,
    ).map(tuple),
    max_leaves=12,
)


class Recorded:
    """An agent that plays steps, and counts what really ran."""

    def __init__(self, steps: Sequence[Do]) -> None:
        self.steps = steps
        self.ran: list[str] = []
        ran = self.ran

        @tool
        async def call(n: int) -> str:
            ran.append(f"call {n}")
            return f"called {n}"

        @tool(read_only=True)
        async def read(n: int) -> str:
            ran.append(f"read {n}")
            return f"read {n}"

        @tool(approval=True)
        async def gated(n: int) -> str:
            ran.append(f"gated {n}")
            return f"gated {n}"

        @tool
        async def fail(n: int) -> None:
            ran.append(f"fail {n}")
            raise ValueError(str(n))

        self.program = AgentProgram(self.agent, tools=[call, read, gated, fail])

    async def agent(self, ctx: AgentContext) -> None:
        said = await self.play(ctx, self.steps)
        await ctx.say(f"\n{said}")

    async def play(self, ctx: AgentContext, steps: Sequence[Do]) -> list[Any]:
        return [await self.one(ctx, step) for step in steps]

    async def one(self, ctx: AgentContext, step: Do) -> object:
        match step.kind:
            case "say":
                await ctx.say(f"<{step.n}>" * (step.n + 1))
                return None
            case "ask":
                return await ctx.ask(f"Q{step.n}?")
            case "once":
                return await self._once(ctx, step.n)
            case "uuid":
                return ctx.uuid()
            case "random":
                return ctx.random()
            case "note":
                await ctx.progress(note=f"at {step.n}")
                return None
            case "gather":
                return await ctx.gather(*(self.play(ctx, part) for part in step.parts))
            case name:
                try:
                    return await ctx.call(name, n=step.n)
                except StepFailed as exc:
                    return [exc.error_type, exc.message]

    async def _once(self, ctx: AgentContext, n: int) -> object:
        try:
            return await ctx.once(f"k{n}", lambda: self._note(f"once {n}"))
        except StepFailed as exc:
            return exc.error_type

    def _note(self, what: str) -> str:
        self.ran.append(what)
        return what


def answer(run: MemoryRun, which: int) -> None:
    it = run.pending[which % len(run.pending)]
    if it.proposal is not None:
        run.approve(it)
    elif it.ui_tool_id == "uncertain_effect":
        run.answer(it, {"selected_option": "skip"})
    else:
        run.answer(it, {"additional_notes": f"answer to {it.title}"})


def _failures(steps: Sequence[Do]) -> set[int]:
    inner = [_failures(part) for step in steps for part in step.parts]
    return {step.n for step in steps if step.kind == "fail"}.union(*inner)


def _are_told_apart(steps: Sequence[Do]) -> bool:
    """Whether no two branches of a gather make the same call that fails. After one of them a person
    is asked about the other, and which one comes first may differ from run to run."""
    for step in steps:
        failures = [_failures(part) for part in step.parts]
        if sum(map(len, failures)) > len(set().union(*failures)):
            return False
    return all(_are_told_apart(part) for step in steps for part in step.parts)


@settings(max_examples=150)
@given(_steps.filter(_are_told_apart), st.lists(st.integers(0, 5), min_size=1))
def test_replay_equals_the_uninterrupted_run(steps: tuple[Do, ...], order: list[int]) -> None:
    async def go() -> None:
        paused = Recorded(steps)
        run, turn = MemoryRun(), 0
        while isinstance(await run.go(paused.program), Waiting):
            answer(run, order[turn % len(order)])
            run = pickle.loads(pickle.dumps(run))
            turn += 1
        assert isinstance(run.end, Completed), run.end

        # The same run again, with all answers at hand and nothing else: it goes through in one
        # segment.
        whole = Recorded(steps)
        at_once = MemoryRun(interactions=run.interactions)
        assert isinstance(await at_once.go(whole.program), Completed)
        assert sorted(paused.ran) == sorted(whole.ran)
        assert _without_chance(run.said) == _without_chance(at_once.said)
        assert [type(e) for e in run.recorder.events if e.type == "chat.progress"] == [
            type(e) for e in at_once.recorder.events if e.type == "chat.progress"
        ]
        assert len(run.calls) == len(at_once.calls)

    asyncio.run(go())


def _without_chance(text: str) -> list[str]:
    """Text of parallel branches may interleave otherwise; ids and random numbers differ by run."""
    import re

    said = re.sub(r"'[0-9a-f]{8}-[0-9a-f-]{27}'|\b0\.\d+(e-\d+)?\b|\d\.\d+e-\d+", "?", text)
    head, _, tail = said.partition("\n")
    return [*sorted(head), tail]


@settings(max_examples=100)
@given(_steps, st.integers(0, 8), st.lists(st.integers(0, 5), min_size=1))
def test_a_crash_anywhere_runs_nothing_twice(
    steps: tuple[Do, ...], fatal: int, order: list[int]
) -> None:
    async def go() -> None:
        it = Recorded(steps)
        run, turn, boundary = MemoryRun(), 0, 0

        def crash(at: str) -> None:
            nonlocal boundary
            boundary += 1
            if boundary == fatal:
                raise Crash(at)

        for _ in range(200):
            run.recorder.crash_at = crash
            try:
                end = await run.go(it.program)
            except Crash:
                continue
            if isinstance(end, Completed):
                break
            assert isinstance(end, Waiting), end
            answer(run, order[turn % len(order)])
            turn += 1
        else:
            raise AssertionError("the run never ended")
        started = [(s.key, s.attempt) for s in run.recorder.attempts]
        assert len(started) == len(set(started))
        acted = [what for what in it.ran if not what.startswith("read")]
        assert len(acted) <= len({key for key, _ in started})

    asyncio.run(go())


def test_the_values_of_json_are_kept() -> None:
    value: JsonValue = {"a": [1, None, "ü"], "b": 1.5}

    async def agent(ctx: AgentContext) -> None:
        kept.append(await ctx.once("v", lambda: value))
        await ctx.ask("Go?")

    kept: list[JsonValue] = []

    async def go() -> None:
        run, it = MemoryRun(), AgentProgram(agent)
        await run.go(it)
        run.answer("Go?", {"additional_notes": "y"})
        await run.go(it)

    asyncio.run(go())
    assert kept == [value, value]
