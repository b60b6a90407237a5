"""The contract of an adapter as a test suite: one class of tests, run against every framework.

An adapter's tests subclass `AdapterContract` and give `builder`: a function, named
"path/to/file.py:function", that makes an AgentProgram of that framework from a script. The scripted
model of a builder must be a function of the history alone, so that any process can go on with it.
Other processes are really started: they load the same builder.
"""

from __future__ import annotations

import asyncio
import importlib.util
import itertools
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from pydantic import BaseModel, JsonValue

from sayso.adapters.base import AgentProgram
from sayso.core.cards import OptionsCard, UncertainEffectCard
from sayso.core.digest import JsonObject
from sayso.core.errors import StateUnreadable
from sayso.core.events import ProgressMade
from sayso.core.segments import Completed, Failed, Waiting
from sayso.core.tasks import UniversalMessage
from sayso.testing.recorder import Crash, MemoryRun
from sayso.tools.context import ToolContext
from sayso.tools.tool import tool


@dataclass(frozen=True, slots=True)
class Turn:
    """One reply of the scripted model: words, then calls, all at once."""

    say: str = ""
    calls: Sequence[tuple[str, Mapping[str, JsonValue]]] = ()


#: After its turns the model says "Results: " and every result it was given, in order.
Script = Sequence[Turn]
Builder = Callable[[Script], AgentProgram]

# ── the tools of the suite; what they do is written down where every process can see it ──

_ledger: Path | None = None
entered, leave = threading.Event(), threading.Event()


def did(what: str) -> None:
    assert _ledger is not None
    with _ledger.open("a") as file:
        file.write(what + "\n")


@tool(approval=True)
async def refund(order: int, amount: float = 42.0) -> JsonObject:
    """Refund an order."""
    did(f"refund {order} {amount}")
    return {"refunded": amount, "order": order}


@tool(read_only=True)
def peek() -> str:
    """Look at something."""
    did("peek")
    return "seen"


@tool
async def act(n: int) -> str:
    """Do something that counts."""
    did(f"act {n}")
    return f"acted {n}"


@tool(read_only=True)
async def where(ctx: ToolContext) -> str:
    """Ask where."""
    return await ctx.ask("Which region?")


class Address(BaseModel):
    street: str
    number: int


@tool(read_only=True)
async def deliver(ctx: ToolContext) -> str:
    """Ask for the address."""
    address = await ctx.form(Address, title="Your address")
    return f"{address.street} {address.number}"


@tool(read_only=True)
async def work(ctx: ToolContext) -> str:
    """Work in stages."""
    await ctx.progress(["read", "write"], current="read", fraction=0.5)
    return "worked"


@tool
async def slow_async() -> str:
    """Take long, awaiting."""
    entered.set()
    await asyncio.sleep(60)
    return "too late"


@tool
def slow_thread() -> str:
    """Take long, blocking."""
    entered.set()
    leave.wait(10)
    did("slow_thread")
    return "late"


@tool
def broken() -> None:
    """Raise."""
    raise KeyError("lost")


TOOLS = (refund, peek, act, where, deliver, work, slow_async, slow_thread, broken)
REFUND = ("refund", {"order": 1001})


def load_builder(place: str) -> Builder:
    path, _, name = place.rpartition(":")
    spec = importlib.util.spec_from_file_location("adapter_builders", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["adapter_builders"] = module
    spec.loader.exec_module(module)
    builder: Builder = getattr(module, name)
    return builder


@dataclass
class _Parcel:
    """What goes to another process and comes back."""

    builder: str
    script: Script
    run: MemoryRun
    ledger: Path


def go_on(parcel_path: str) -> None:
    """The other process: run one segment of the run that lies in the file."""
    global _ledger  # noqa: PLW0603  # tools are module level; the ledger is their test's
    path = Path(parcel_path)
    parcel: _Parcel = pickle.loads(path.read_bytes())
    _ledger = parcel.ledger
    asyncio.run(parcel.run.go(load_builder(parcel.builder)(parcel.script)))
    path.write_bytes(pickle.dumps(parcel))


@dataclass
class Bench:
    """One test's bench: a directory, a ledger, and a way to go on in a new process."""

    directory: Path
    builder: str
    processes: int = field(default=0)

    def program(self, *script: Turn) -> AgentProgram:
        return load_builder(self.builder)(script)

    @property
    def done(self) -> list[str]:
        assert _ledger is not None
        return _ledger.read_text().splitlines() if _ledger.exists() else []

    async def in_a_new_process(self, run: MemoryRun, *script: Turn) -> MemoryRun:
        assert _ledger is not None
        self.processes += 1
        path = self.directory / f"parcel{self.processes}"
        run.recorder.crash_at = None
        path.write_bytes(pickle.dumps(_Parcel(self.builder, script, run, _ledger)))
        line = f"from sayso.testing.adapter_contract import go_on; go_on({str(path)!r})"
        await asyncio.to_thread(
            subprocess.run, [sys.executable, "-c", line], check=True, timeout=120
        )
        parcel: _Parcel = pickle.loads(path.read_bytes())
        return parcel.run


class AdapterContract:
    """Subclass it, give `builder`, and pytest runs all of it."""

    builder: str

    @pytest.fixture
    def bench(self, tmp_path: Path) -> Bench:
        global _ledger  # noqa: PLW0603
        _ledger = tmp_path / "ledger"
        entered.clear()
        leave.clear()
        return Bench(tmp_path, self.builder)

    async def test_text_streams_and_is_not_doubled(self, bench: Bench) -> None:
        run = MemoryRun()
        end = await run.go(bench.program(Turn("one two three ")))
        assert isinstance(end, Completed)
        assert run.said == "one two three Results: "
        assert len(run.chunks) > 2

    @pytest.mark.parametrize("answer", ["approve", "reject", "edit"])
    async def test_a_gated_call_goes_on_in_a_new_process(self, bench: Bench, answer: str) -> None:
        script = (Turn("Let me see. ", [REFUND]),)
        run = MemoryRun()
        assert isinstance(await run.go(bench.program(*script)), Waiting)
        assert bench.done == []
        match answer:
            case "approve":
                run.approve("refund")
            case "reject":
                run.reject("refund", "wrong order", "take 1002")
            case _:
                run.approve("refund", edits={"amount": 40.0})
        run = await bench.in_a_new_process(run, *script)
        assert isinstance(run.end, Completed), run.end
        assert run.said.count("Let me see. ") == 1
        match answer:
            case "approve":
                assert bench.done == ["refund 1001 42.0"]
            case "reject":
                assert bench.done == []
                assert "wrong order" in run.said
                assert "take 1002" in run.said
            case _:
                assert bench.done == ["refund 1001 40.0"]
                assert run.returns[0].arguments == {"order": 1001, "amount": 40.0}
                if self._tells_notes:
                    assert "A person changed amount from 42.0 to 40.0" in run.said
        assert len(run.calls) == len(run.returns) == 1

    #: A function agent gets a tool's own result, without the notes for a model.
    _tells_notes = True

    @pytest.mark.parametrize("order", list(itertools.permutations((1, 2, 3))), ids=str)
    async def test_parallel_cards_in_any_order_and_a_free_sibling(
        self, bench: Bench, order: tuple[int, ...]
    ) -> None:
        calls = [*(("refund", {"order": n}) for n in (1, 2, 3)), ("peek", {}), ("act", {"n": 7})]
        script, run = Turn("", calls), MemoryRun()
        await run.go(bench.program(script))
        assert len(run.pending) == 3
        for n in order:
            (card,) = [p for p in run.pending if p.card.tool_params["order"] == n]  # type: ignore[union-attr]
            run.approve(card)
            if bench.program(script).capabilities.resume == "each" or not run.pending:
                await run.go(bench.program(script))
        assert isinstance(run.end, Completed)
        assert sorted(bench.done) == ["act 7", "peek", *(f"refund {n} 42.0" for n in (1, 2, 3))]
        assert len(run.calls) == len(run.returns) == 5

    async def test_a_free_question(self, bench: Bench) -> None:
        script, run = Turn("", [("where", {})]), MemoryRun()
        await run.go(bench.program(script))
        (card,) = run.pending
        assert isinstance(card.card, OptionsCard)
        run.answer(card, {"additional_notes": "Europe"})
        run = await bench.in_a_new_process(run, script)
        assert "Europe" in run.said

    async def test_the_builtin_question(self, bench: Bench) -> None:
        asks: JsonObject = {"question": "Which?", "options": [{"id": "mass", "label": "Mass"}]}
        script, run = Turn("", [("request_user_input", asks)]), MemoryRun()
        await run.go(bench.program(script))
        run.answer("Which?", {"selected_option": "mass"})
        await run.go(bench.program(script))
        assert "tool_response" in run.said
        assert "mass" in run.said

    async def test_a_form(self, bench: Bench) -> None:
        script, run = Turn("", [("deliver", {})]), MemoryRun()
        await run.go(bench.program(script))
        run.answer("Your address", {"street": "Main", "number": 7})
        await run.go(bench.program(script))
        assert "Main 7" in run.said

    async def test_progress(self, bench: Bench) -> None:
        run = MemoryRun()
        await run.go(bench.program(Turn("", [("work", {})])))
        (made,) = [event for event in run.recorder.events if isinstance(event, ProgressMade)]
        assert made.fraction == 0.5
        assert "worked" in run.said

    async def test_a_second_question_after_the_first(self, bench: Bench) -> None:
        script, run = (Turn("a ", [REFUND]), Turn("b ", [("refund", {"order": 2})])), MemoryRun()
        for _ in script:
            await run.go(bench.program(*script))
            run.approve("refund")
        await run.go(bench.program(*script))
        assert isinstance(run.end, Completed)
        assert bench.done == ["refund 1001 42.0", "refund 2 42.0"]
        assert run.said.startswith("a b Results: ")

    async def test_cancel_in_the_middle_of_text(self, bench: Bench) -> None:
        run = MemoryRun("first")
        task = asyncio.create_task(run.go(bench.program(Turn("word " * 5000))))
        while len(run.chunks) < 3:  # noqa: ASYNC110  # the run under test has no event to wait for
            await asyncio.sleep(0)
        await _cancelled(task)
        await self._goes_on(bench, run)

    async def test_cancel_in_the_middle_of_an_async_tool(self, bench: Bench) -> None:
        run = MemoryRun("first")
        task = asyncio.create_task(run.go(bench.program(Turn("so ", [("slow_async", {})]))))
        await asyncio.to_thread(entered.wait, 10)
        await _cancelled(task)
        assert [e.state.value for e in run.recorder.effects.values()] == ["uncertain"]
        await self._goes_on(bench, run)

    async def test_cancel_in_the_middle_of_a_blocking_tool(self, bench: Bench) -> None:
        run, program = MemoryRun("first"), bench.program(Turn("so ", [("slow_thread", {})]))
        task = asyncio.create_task(run.go(program))
        await asyncio.to_thread(entered.wait, 10)
        await _cancelled(task)
        leave.set()
        await program.stragglers.wait()
        assert [e.state.value for e in run.recorder.effects.values()] == ["done"]
        await self._goes_on(bench, run)

    async def _goes_on(self, bench: Bench, run: MemoryRun) -> None:
        """After a cancelled run the chat takes the next message, with no call left dangling."""
        before = [
            UniversalMessage(role="user", content=run.text),
            UniversalMessage(role="assistant", content=run.said),
        ]
        after = MemoryRun("second", run_id="run-2", history=before, agent_state=run.agent_state)
        end = await after.go(bench.program(Turn("on ", [("peek", {})])))
        assert isinstance(end, Completed), end
        assert after.said == 'on Results: "seen"'

    async def test_the_next_run_of_the_chat(self, bench: Bench) -> None:
        run = MemoryRun("first")
        await run.go(bench.program(Turn("one ", [("peek", {})])))
        await self._goes_on(bench, run)

    async def test_a_tool_that_raises(self, bench: Bench) -> None:
        run = MemoryRun()
        assert isinstance(await run.go(bench.program(Turn("", [("broken", {})]))), Completed)
        assert "lost" in run.said
        assert run.returns[0].status.value == "failed"

    async def test_bad_arguments(self, bench: Bench) -> None:
        run = MemoryRun()
        end = await run.go(bench.program(Turn("", [("act", {"n": "many"})])))
        assert isinstance(end, Completed)
        assert "do not fit" in run.said
        assert bench.done == []

    async def test_an_unknown_tool(self, bench: Bench) -> None:
        run = MemoryRun()
        end = await run.go(bench.program(Turn("", [("reefund", {})])))
        assert isinstance(end, Completed)
        assert "reefund" in run.said

    async def test_a_takeover_at_a_started_effect_asks(self, bench: Bench) -> None:
        script, run = Turn("go ", [("act", {"n": 1})]), MemoryRun()
        await _crashed(run, bench.program(script), "before ended:act")
        run = await bench.in_a_new_process(run, script)
        assert isinstance(run.end, Waiting), run.end
        (card,) = run.pending
        assert isinstance(card.card, UncertainEffectCard)
        run.answer(card, {"selected_option": "mark_done", "values": {"result": "it was"}})
        run = await bench.in_a_new_process(run, script)
        assert isinstance(run.end, Completed), run.end
        assert bench.done == ["act 1"]
        assert "it was" in run.said
        assert len(run.calls) == 1

    async def test_a_takeover_at_a_done_effect_does_not_run_it_again(self, bench: Bench) -> None:
        script, run = Turn("go ", [("act", {"n": 1}), ("act", {"n": 2})]), MemoryRun()
        await _crashed(run, bench.program(script), "after ended:act")
        first = list(bench.done)
        run = await bench.in_a_new_process(run, script)
        while isinstance(run.end, Waiting):  # the sibling that had started and was not recorded
            run.answer(run.pending[0], {"selected_option": "skip"})
            await run.go(bench.program(script))
        assert isinstance(run.end, Completed), run.end
        assert sorted(bench.done) == sorted(set(bench.done))
        assert set(first) <= set(bench.done)

    @pytest.mark.parametrize("boundary", ["before started", "after started", "before ended"])
    async def test_a_crash_after_an_approval(self, bench: Bench, boundary: str) -> None:
        script, run = Turn("go ", [REFUND]), MemoryRun()
        await run.go(bench.program(script))
        run.approve("refund")
        await _crashed(run, bench.program(script), f"{boundary}:refund")
        run = await bench.in_a_new_process(run, script)
        if isinstance(run.end, Waiting):
            happened = bool(bench.done)
            choice = "mark_done" if happened else "run_again"
            run.answer(run.pending[0], {"selected_option": choice, "values": {"result": "ok"}})
            run = await bench.in_a_new_process(run, script)
        assert isinstance(run.end, Completed), run.end
        assert bench.done == ["refund 1001 42.0"]

    async def test_a_segment_made_twice_runs_nothing_twice(self, bench: Bench) -> None:
        script, run = Turn("go ", [REFUND]), MemoryRun()
        await run.go(bench.program(script))
        run.approve("refund")
        await run.go(bench.program(script))
        await run.go(bench.program(script))
        assert bench.done == ["refund 1001 42.0"]

    async def test_a_dismissal(self, bench: Bench) -> None:
        script, run = Turn("go ", [REFUND]), MemoryRun()
        await run.go(bench.program(script))
        run.dismiss("refund")
        await run.go(bench.program(script))
        assert isinstance(run.end, Completed)
        assert "dismissed" in run.said
        assert bench.done == []

    @pytest.mark.parametrize("part", ["adapter", "blob", "journal"])
    async def test_an_unreadable_state(self, bench: Bench, part: str) -> None:
        script, run = Turn("go ", [REFUND]), MemoryRun()
        await run.go(bench.program(script))
        run.approve("refund")
        assert run.recorder.saved is not None
        if part == "adapter":
            run.recorder.saved = replace(run.recorder.saved, adapter="other")
        elif part == "journal":
            run.recorder.saved = replace(run.recorder.saved, journal=b'{"version": 99}')
        else:
            run.recorder.saved = replace(run.recorder.saved, blob=b"{", version="99")
        end = await run.go(bench.program(script))
        assert isinstance(end, Failed)
        assert isinstance(end.error, StateUnreadable)
        assert bench.done == []

    async def test_a_lost_lease_ends_the_segment(self, bench: Bench) -> None:
        from sayso.core.errors import LeaseLost

        run = MemoryRun()
        run.recorder.lost = True
        with pytest.raises(LeaseLost):
            await run.go(bench.program(Turn("", [("act", {"n": 1})])))
        assert bench.done == []


async def _cancelled(task: asyncio.Task[object]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def _crashed(run: MemoryRun, program: AgentProgram, boundary: str) -> None:
    def crash(at: str) -> None:
        if at == boundary:
            raise Crash(at)

    run.recorder.crash_at = crash
    with pytest.raises(Crash):
        await run.go(program)
    run.recorder.crash_at = None
