"""Cases: the framework's own ways: to ask a person, to keep a chat, to hand over, to block."""

from __future__ import annotations

import asyncio

import pytest

from sayso.core.segments import Completed, Waiting
from sayso.testing.contract.cancel_cases import cancelled, goes_on
from sayso.testing.contract.case import Case
from sayso.testing.contract.harness import Bench
from sayso.testing.contract.script import Idiom, Turn
from sayso.testing.contract.tools import OWN_REFUND, REFUND, entered, may_return
from sayso.testing.recorder import MemoryRun


class IdiomCases(Case):
    @classmethod
    def pytest_generate_tests(cls, metafunc: pytest.Metafunc) -> None:
        if "idiom" in metafunc.fixturenames:
            metafunc.parametrize("idiom", cls.idioms.values(), ids=list(cls.idioms))

    async def test_its_own_way_to_ask_a_person(self, bench: Bench, idiom: Idiom) -> None:
        bench.builder, run = idiom.builder, MemoryRun()
        assert isinstance(await run.go(bench.program(*idiom.script)), Waiting), run.end
        [asked] = run.pending
        assert idiom.title in (asked.title, getattr(asked.card, "tool_name", None))
        assert bench.done == []
        run.answer(asked, idiom.answer)
        run = await bench.in_a_new_process(run, *idiom.script)
        assert isinstance(run.end, Completed), run.end
        assert idiom.said in run.said
        assert bench.done == list(idiom.done)

    async def test_its_own_memory_is_no_hindrance_in_a_new_process(self, bench: Bench) -> None:
        """What the framework keeps in memory is gone with its process; the run is not."""
        self.use(bench, "own_memory")
        script, run = Turn("so ", [REFUND]), MemoryRun("first")
        assert isinstance(await run.go(bench.program(script)), Waiting), run.end
        run.approve("refund")
        run = await bench.in_a_new_process(run, script)
        assert isinstance(run.end, Completed), run.end
        assert bench.done == ["refund 1001 42.0"]
        await goes_on(bench, run)

    async def test_who_speaks_and_who_asks(self, bench: Bench) -> None:
        self.use(bench, "speakers")
        script, run = Turn("I see to it. ", [OWN_REFUND]), MemoryRun()
        assert isinstance(await run.go(bench.program(script)), Waiting), run.end
        [asked] = run.pending
        assert asked.agent_name == "clerk"
        spoken = [c.metadata.get("agent_name") for c in run.chunks if "see" in str(c.content)]
        assert spoken == ["clerk"]
        run.approve(asked)
        run = await bench.in_a_new_process(run, script)
        assert isinstance(run.end, Completed), run.end
        assert run.said.count("I see to it. ") == 1

    async def test_cancel_in_the_middle_of_its_own_blocking_tool(self, bench: Bench) -> None:
        """Nothing stops a thread: the row says how it really ended."""
        self.use(bench, "own_blocking")
        run, program = MemoryRun("first"), bench.program(Turn("so ", [("own_slow", {})]))
        task = asyncio.create_task(run.go(program))
        await asyncio.to_thread(entered.wait, 60)
        await cancelled(task)
        may_return.set()
        await program.detached_threads.wait()
        assert [e.state.value for e in run.recorder.effects.values()] == ["done"]
        assert bench.done == ["own_slow"]
        bench.builder = self.builder
        await goes_on(bench, run)
