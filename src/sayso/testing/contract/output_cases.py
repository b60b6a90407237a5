"""Cases: structured answers, in each of the framework's ways, beside calls that wait."""

from __future__ import annotations

import json

import pytest

from sayso.core.cards import OptionsCard
from sayso.core.segments import Completed, Waiting
from sayso.testing.contract.case import Case
from sayso.testing.contract.harness import Bench
from sayso.testing.contract.script import Turn
from sayso.testing.contract.tools import ANSWER, REFUND
from sayso.testing.recorder import MemoryRun


class OutputCases(Case):
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
        run = await bench.in_a_new_process(run, script)
        assert isinstance(run.end, Completed), run.end
        assert "mass" in run.said
        assert bench.done == ["own_question"]
