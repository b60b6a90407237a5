"""Cases: the framework's own ways: what of them can be served, to answer in a structure, to ask a
person, to keep a chat, to hand over, to block."""

from __future__ import annotations

import asyncio
import json

import pytest

from sayso.adapters.findings import FindingKind
from sayso.core.cards import OptionsCard
from sayso.core.errors import NotSupportedError
from sayso.core.segments import Completed, Waiting
from sayso.testing.contract.cancel_cases import cancelled, goes_on
from sayso.testing.contract.case import MORE, Case
from sayso.testing.contract.harness import Bench
from sayso.testing.contract.script import Idiom, Turn
from sayso.testing.contract.tools import ANSWER, OWN_REFUND, REFUND, entered, may_return
from sayso.testing.recorder import MemoryRun


class IdiomCases(Case):
    @classmethod
    def pytest_generate_tests(cls, metafunc: pytest.Metafunc) -> None:
        if "idiom" in metafunc.fixturenames:
            metafunc.parametrize("idiom", cls.idioms.values(), ids=list(cls.idioms))

    def test_nothing_is_left_out_in_silence(self) -> None:
        if self.more:
            assert set(self.more) == set(MORE), "declare what the framework lacks by None"

    def test_what_can_be_served_is_not_refused(self, bench: Bench) -> None:
        places = [self.builder, self.own_tools, self.nested, self.own_state]
        places += [place for name, place in self.more.items() if name != "refused"]
        for place in filter(None, places):
            bench.builder = place
            bench.program().checked()

    def test_what_cannot_be_served_is_refused_at_start(self, bench: Bench) -> None:
        self.use(bench, "refused")
        program = bench.program()
        found = [one for one in program.findings() if one.kind is FindingKind.REFUSED]
        assert found
        assert all(one.fix for one in found)
        with pytest.raises(NotSupportedError, match="cannot be served"):
            program.checked()

    @pytest.mark.parametrize("way", ["tool", "native", "prompted", "validated"])
    async def test_a_structured_answer(self, bench: Bench, way: str) -> None:
        self.use(bench, f"output_{way}")
        script, run = Turn("Let me see. ", [REFUND]), MemoryRun()
        assert isinstance(await run.go(bench.program(script)), Waiting), run.end
        run.approve("refund")
        run = await bench.in_a_new_process(run, script)
        assert isinstance(run.end, Completed), run.end
        assert bench.done == ["refund 1001 42.0"]
        assert json.loads(run.end.output) == ANSWER
        said = run.said.removeprefix("Let me see. ")
        if way != "validated":  # where the first answer may have been seen as it was written
            assert json.loads(said) == ANSWER, "it is said once"

    async def test_a_result_that_is_the_answer(self, bench: Bench) -> None:
        self.use(bench, "ends_on_result")
        run = MemoryRun()
        end = await run.go(bench.program(Turn("so ", [("own_final", {})])))
        assert isinstance(end, Completed), end
        assert bench.done == ["own_final"]
        assert run.said.count("That is final.") == 1
        assert "Results: " not in run.said, "no model was asked again"

    @pytest.mark.parametrize("form", ["object", "text"])
    async def test_a_result_that_asks_a_person(self, bench: Bench, form: str) -> None:
        """A tool asks by what it returns, as an object or as JSON text."""
        self.use(bench, f"asks_as_{form}")
        script, run = Turn("so ", [("own_question", {})]), MemoryRun()
        assert isinstance(await run.go(bench.program(script)), Waiting), run.end
        [asked] = run.pending
        assert isinstance(asked.card, OptionsCard)
        assert asked.title == "Which allocation?"
        run.answer(asked, {"selected_option": "mass"})
        run = await bench.ends_in_a_new_process(run, script)
        assert "mass" in run.said
        assert bench.done == ["own_question"]

    async def test_its_own_way_to_ask_a_person(self, bench: Bench, idiom: Idiom) -> None:
        bench.builder, run = idiom.builder, MemoryRun()
        assert isinstance(await run.go(bench.program(*idiom.script)), Waiting), run.end
        [asked] = run.pending
        assert idiom.title in (asked.title, getattr(asked.card, "tool_name", None))
        assert bench.done == []
        run.answer(asked, idiom.answer)
        run = await bench.ends_in_a_new_process(run, *idiom.script)
        assert idiom.said in run.said
        assert bench.done == list(idiom.done)

    async def test_its_own_memory_is_no_hindrance_in_a_new_process(self, bench: Bench) -> None:
        """What the framework keeps in memory is gone with its process; the run is not."""
        self.use(bench, "own_memory")
        script, run = Turn("so ", [REFUND]), MemoryRun("first")
        assert isinstance(await run.go(bench.program(script)), Waiting), run.end
        run.approve("refund")
        run = await bench.ends_in_a_new_process(run, script)
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
        run = await bench.ends_in_a_new_process(run, script)
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
