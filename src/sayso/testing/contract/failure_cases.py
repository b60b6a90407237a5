"""Cases: what goes wrong in calls, and calls that are not of our tools."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from sayso.core.cards import UncertainEffectCard
from sayso.core.errors import ToolMissing
from sayso.core.json_limits import is_too_deep
from sayso.core.segments import Completed, Failed, Waiting
from sayso.core.tasks import TaskRequest, UniversalMessage
from sayso.testing.contract.case import Case, approved, crashed
from sayso.testing.contract.harness import Bench
from sayso.testing.contract.script import Turn
from sayso.testing.contract.tools import OWN_REFUND, RAISES, RAISES_UNASKED, REFUND
from sayso.testing.recorder import MemoryRun

#: What a model writes that is cut off, or is JSON and no object.
MALFORMED = ['{"order": 1001, "amount": ', '{"order": 10', "[1001]", '"1001"']


class FailureCases(Case):
    #: Whether the framework's models write arguments as text (Gemini's are objects).
    arguments_are_text = True

    async def test_a_tool_that_raises(self, bench: Bench) -> None:
        run = MemoryRun()
        script = (Turn("", [("broken", {})]), Turn("and ", [("peek", {})]))
        assert isinstance(await run.go(bench.program(*script)), Completed)
        assert "lost" in run.said
        assert run.returns[0].status.value == "uncertain"
        assert bench.done == ["peek"]

    # ── a body that was left by an exception may have acted ──

    async def test_an_acting_tool_that_raises_after_it_acted(self, bench: Bench) -> None:
        await self._is_asked_about(bench, (Turn("go ", [("charge", {"order": 7})]),), "charge")
        assert bench.done == ["charge 7"]

    async def test_its_own_acting_tool_that_raises_after_it_acted(self, bench: Bench) -> None:
        """What its framework would make of the exception is not heard before a person has said
        what is true."""
        self._own(bench)
        call = ("own_refund", {"order": RAISES, "amount": 42.0})
        await self._is_asked_about(bench, (Turn("go ", [call]),), "own_refund")
        assert bench.done == ["own_refund 1013 42.0"]

    async def _is_asked_about(self, bench: Bench, script: tuple[Turn, ...], tool: str) -> None:
        run = MemoryRun()
        await run.go(bench.program(*script))
        run.approve(tool)
        run = await bench.in_a_new_process(run, *script)
        assert isinstance(run.end, Waiting), run.end
        (card,) = run.pending
        assert isinstance(card.card, UncertainEffectCard)
        assert "connection reset" in card.card.agent_message
        assert "connection reset" not in run.said, "no model has heard of it"
        run.answer(card, {"selected_option": "mark_done", "values": {"result": "it was"}})
        run = await bench.ends_in_a_new_process(run, *script)
        assert "it was" in run.said
        assert [effect.state.value for effect in run.recorder.effects.values()] == ["done"]

    async def test_a_call_that_raised_unasked_is_asked_about_when_it_is_made_again(
        self, bench: Bench
    ) -> None:
        again = (Turn("", [("broken", {})]), Turn("and ", [("broken", {})]))
        await self._is_asked_about_again(bench, again)

    async def test_its_own_call_that_raised_unasked_is_asked_about_when_it_is_made_again(
        self, bench: Bench
    ) -> None:
        self._own(bench)
        call = ("own_refund", {"order": RAISES_UNASKED, "amount": 42.0})
        await self._is_asked_about_again(bench, (Turn("", [call]), Turn("and ", [call])))
        assert bench.done == ["own_refund 1014 42.0"]

    async def _is_asked_about_again(self, bench: Bench, script: tuple[Turn, ...]) -> None:
        run = MemoryRun()
        assert isinstance(await run.go(bench.program(*script)), Waiting), run.end
        (card,) = run.pending
        assert isinstance(card.card, UncertainEffectCard)
        assert [returned.status.value for returned in run.returns] == ["uncertain"]
        run.answer(card, {"selected_option": "mark_done", "values": {"result": "it was"}})
        run = await bench.ends_in_a_new_process(run, *script)
        assert "it was" in run.said

    async def test_bad_arguments(self, bench: Bench) -> None:
        run = MemoryRun()
        end = await run.go(bench.program(Turn("", [("act", {"n": "many"})])))
        assert isinstance(end, Completed)
        assert "do not fit" in run.said
        assert bench.done == []

    @pytest.mark.parametrize("levels", [120, 300])
    async def test_arguments_that_nest_too_deeply(self, bench: Bench, levels: int) -> None:
        """What could not be read again is not kept; the model is told, and goes on."""
        deep: JsonValue = 1
        for _ in range(levels):
            deep = [deep]
        run = MemoryRun()
        script = (Turn("", [("act", {"n": deep})]), Turn("and ", [("peek", {})]))
        end = await run.go(bench.program(*script))
        assert isinstance(end, Completed), end
        *refused, done = [returned.status.value for returned in run.returns]
        assert set(refused) <= {"failed"}
        assert done == "done"
        assert not any(is_too_deep(call.arguments) for call in run.calls)
        assert bench.done == ["peek"]

    async def test_bad_arguments_of_a_call_that_asks(self, bench: Bench) -> None:
        """Nobody is asked to approve what cannot run."""
        run = MemoryRun()
        end = await run.go(bench.program(Turn("", [("refund", {"order": "which"})])))
        assert isinstance(end, Completed)
        assert "do not fit" in run.said
        assert not run.interactions

    # ── calls that cannot be made as a model wrote them: never before a person, never run ──

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
        run = await bench.ends_in_a_new_process(run, script)
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

    async def test_an_unknown_tool(self, bench: Bench) -> None:
        run = MemoryRun()
        end = await run.go(bench.program(Turn("", [("reefund", {}), ("peek", {})])))
        assert isinstance(end, Completed)
        assert "reefund" in [call.name for call in run.calls]
        assert "reefund" in run.said
        assert bench.done == ["peek"]

    async def test_a_tool_that_is_gone_while_its_call_waits(self, bench: Bench) -> None:
        script, run = await approved(bench)
        program = bench.program(script)
        program._tools = [tool for tool in program._tools if tool.name != "refund"]
        end = await run.go(program)
        assert isinstance(end, Failed), end
        assert isinstance(end.error, ToolMissing)
        assert "refund" in end.error.detail
        assert bench.done == []

    # ── a tool of the framework's own ──

    @pytest.mark.parametrize("answer", ["approve", "reject", "edit"])
    async def test_its_own_tool_asks_by_name(self, bench: Bench, answer: str) -> None:
        script, run = self._own(bench), MemoryRun()
        assert isinstance(await run.go(bench.program(*script)), Waiting)
        assert bench.done == ["peek"]
        match answer:
            case "approve":
                run.approve("own_refund")
            case "reject":
                run.reject("own_refund", "wrong order", "take 1002")
            case _ if not self.capabilities.edits_arguments:
                pytest.skip("this framework declares that it edits no arguments")
            case _:
                run.approve("own_refund", edits={"amount": 40.0})
        run = await bench.ends_in_a_new_process(run, *script)
        match answer:
            case "approve":
                assert bench.done == ["peek", "own_refund 1001 42.0"]
                assert "refunded 42.0" in run.said
            case "reject":
                assert bench.done == ["peek"]
                assert "wrong order" in run.said
                assert "take 1002" in run.said
            case _:
                assert bench.done == ["peek", "own_refund 1001 40.0"]
                assert "refunded 40.0" in run.said
                assert "A person changed amount from 42.0 to 40.0" in run.said
                (ended,) = [r for r in run.returns if r.arguments and "order" in r.arguments]
                assert ended.arguments == {"order": 1001, "amount": 40.0}
        assert len(run.calls) == len(run.returns) == 2

    async def test_a_crash_in_its_own_tool_asks(self, bench: Bench) -> None:
        script, run = self._own(bench), MemoryRun()
        await run.go(bench.program(*script))
        run.approve("own_refund")
        await crashed(run, bench.program(*script), "before ended:own_refund")
        run = await bench.in_a_new_process(run, *script)
        assert isinstance(run.end, Waiting), run.end
        run.answer(run.pending[0], {"selected_option": "skip"})
        run = await bench.ends_in_a_new_process(run, *script)
        assert bench.done == ["peek", "own_refund 1001 42.0"]

    async def test_its_own_tool_can_be_retried_through_the_policy(self, bench: Bench) -> None:
        self._own(bench)
        tool, arguments = OWN_REFUND
        task = TaskRequest(
            task_id="again",
            task_type="tool_retry",
            messages=[UniversalMessage(role="user", content="Retry")],
            context={"tool_name": tool, "arguments": dict(arguments)},
        )
        run = MemoryRun(task=task)
        assert isinstance(await run.go(bench.program()), Waiting), run.end
        run.approve(tool)
        assert isinstance(await run.go(bench.program()), Completed), run.end
        assert bench.done == ["own_refund 1001 42.0"]
        assert run.said == "own_refund ran again and succeeded."

    async def test_its_own_tool_that_is_gone_while_its_call_waits(self, bench: Bench) -> None:
        script, run = self._own(bench), MemoryRun()
        await run.go(bench.program(*script))
        run.approve("own_refund")
        bench.builder = self.builder  # its agent has no tools of its own
        end = await run.go(bench.program(*script))
        assert isinstance(end, Failed), end
        assert isinstance(end.error, ToolMissing)
        assert bench.done == ["peek"]

    def _own(self, bench: Bench) -> tuple[Turn, ...]:
        self.use_own_tools(bench)
        return (Turn("so ", [OWN_REFUND, ("peek", {})]),)

    # ── an agent within the agent ──

    @pytest.mark.parametrize("answer", ["approve", "reject"])
    async def test_a_call_of_a_nested_agent_that_asks(self, bench: Bench, answer: str) -> None:
        if self.nested is None:
            pytest.skip("this framework has no agents within agents")
        bench.builder = self.nested
        script, run = (Turn("inner ", [REFUND]),), MemoryRun()
        end = await run.go(bench.program(*script))
        assert bench.done == []
        if not self.capabilities.nested_agents:
            # Declared: a call that cannot wait does not run, and the run says why.
            assert isinstance(end, Completed | Failed)
            return
        assert isinstance(end, Waiting), end
        if answer == "approve":
            run.approve("refund")
        else:
            run.reject("refund", "wrong order")
        run = await bench.ends_in_a_new_process(run, *script)
        assert bench.done == (["refund 1001 42.0"] if answer == "approve" else [])
        assert ("refunded" if answer == "approve" else "wrong order") in run.said
        assert len(run.calls) >= 1
