"""Cases: calls that cannot be made as a model wrote them: never before a person, never run, always
told."""

from __future__ import annotations

import pytest

from sayso.core.segments import Completed, Waiting
from sayso.testing.contract.case import Case
from sayso.testing.contract.harness import Bench
from sayso.testing.contract.script import Turn
from sayso.testing.contract.tools import REFUND
from sayso.testing.recorder import MemoryRun

#: What a model writes that is cut off, or is JSON and no object.
MALFORMED = ['{"order": 1001, "amount": ', '{"order": 10', "[1001]", '"1001"']


class ArgumentCases(Case):
    #: Whether the framework's models write arguments as text (Gemini's are objects).
    arguments_are_text = True

    async def test_its_own_gated_call_with_arguments_that_do_not_fit(self, bench: Bench) -> None:
        self.use_own_tools(bench)
        call = ("own_refund", {"order": "which", "amount": "lots"})
        await self._is_told(bench, Turn("so ", [call]), name="own_refund")

    @pytest.mark.parametrize("written", MALFORMED)
    async def test_a_gated_call_whose_json_is_malformed(self, bench: Bench, written: str) -> None:
        self._writes_text()
        await self._is_told(bench, Turn("so ", [("refund", written)]), name="refund")

    @pytest.mark.parametrize("written", MALFORMED[:1])
    async def test_its_own_gated_call_whose_json_is_malformed(
        self, bench: Bench, written: str
    ) -> None:
        self._writes_text()
        self.use_own_tools(bench)
        await self._is_told(bench, Turn("so ", [("own_refund", written)]), name="own_refund")

    async def test_beside_a_malformed_call_another_one_waits(self, bench: Bench) -> None:
        self._writes_text()
        script, run = Turn("so ", [("refund", MALFORMED[0]), REFUND]), MemoryRun()
        assert isinstance(await run.go(bench.program(script)), Waiting), run.end
        assert len(run.pending) == 1
        run.approve("refund")
        run = await bench.in_a_new_process(run, script)
        assert isinstance(run.end, Completed), run.end
        assert bench.done == ["refund 1001 42.0"]
        assert len(run.calls) == len(run.returns) == 2

    async def _is_told(self, bench: Bench, *script: Turn, name: str) -> None:
        run = MemoryRun()
        end = await run.go(bench.program(*script))
        assert isinstance(end, Completed), end
        assert not run.interactions, "a person was asked"
        assert bench.done == []
        assert [call.name for call in run.calls] == [name]
        assert [returned.status.value for returned in run.returns] == ["failed"]
        assert "Results: " in run.said

    def _writes_text(self) -> None:
        if not self.arguments_are_text:
            pytest.skip("this framework's models give arguments as objects")
