"""Cases: text, calls that need approval, questions, and answers in every order."""

from __future__ import annotations

import itertools

import pytest

from sayso.core.cards import ApprovalCard, OptionsCard
from sayso.core.digest import JsonObject
from sayso.core.events import ProgressMade
from sayso.core.segments import Completed, ResumePolicy, Waiting
from sayso.testing.contract.case import Case
from sayso.testing.contract.harness import Bench
from sayso.testing.contract.script import Turn
from sayso.testing.contract.tools import REFUND
from sayso.testing.recorder import MemoryRun

THREE = [("refund", {"order": n}) for n in (1, 2, 3)]


class ApprovalCases(Case):
    async def test_text_streams_and_is_not_doubled(self, bench: Bench) -> None:
        run = MemoryRun()
        end = await run.go(bench.program(Turn("one two three ")))
        assert isinstance(end, Completed)
        assert run.said == "one two three Results: "
        if self.capabilities.streams_text:
            assert len(run.chunks) > 2

    async def test_an_approval_goes_on_in_a_new_process(self, bench: Bench) -> None:
        run = await self._suspended(bench)
        run.approve("refund")
        run = await self._goes_on_once(bench, run)
        assert bench.done == ["refund 1001 42.0"]
        assert '"refunded": 42.0' in run.said

    async def test_a_rejection_reaches_the_model_in_its_own_words(self, bench: Bench) -> None:
        run = await self._suspended(bench)
        run.reject("refund", "wrong order", "take 1002", "or ask Ada")
        run = await self._goes_on_once(bench, run)
        assert bench.done == []
        if self.capabilities.rejects_with_reason:
            assert "wrong order" in run.said
            assert "take 1002" in run.said
            assert "or ask Ada" in run.said

    async def test_edited_arguments_run_and_the_model_is_told(self, bench: Bench) -> None:
        run = await self._suspended(bench)
        if not self.capabilities.edits_arguments:
            pytest.skip("this framework declares that it edits no arguments")
        run.approve("refund", edits={"amount": 40.0})
        run = await self._goes_on_once(bench, run)
        assert bench.done == ["refund 1001 40.0"]
        assert run.returns[0].arguments == {"order": 1001, "amount": 40.0}
        assert '"refunded": 40.0' in run.said
        told = "A person changed amount from 42.0 to 40.0" in run.said
        assert told is self.capabilities.tells_edits

    async def _suspended(self, bench: Bench) -> MemoryRun:
        run = MemoryRun()
        assert isinstance(await run.go(bench.program(*self._asking)), Waiting)
        assert bench.done == []
        return run

    async def _goes_on_once(self, bench: Bench, run: MemoryRun) -> MemoryRun:
        run = await bench.ends_in_a_new_process(run, *self._asking)
        assert run.said.count("Let me see. ") == 1
        assert len(run.calls) == len(run.returns) == 1
        return run

    _asking = (Turn("Let me see. ", [REFUND]),)

    @pytest.mark.parametrize("order", list(itertools.permutations((1, 2, 3))), ids=str)
    async def test_parallel_cards_in_any_order_and_a_free_sibling(
        self, bench: Bench, order: tuple[int, ...]
    ) -> None:
        script, run = Turn("", [*THREE, ("peek", {}), ("act", {"n": 7})]), MemoryRun()
        each = self.capabilities.resume is ResumePolicy.EACH
        await run.go(bench.program(script))
        assert len(run.pending) == 3
        for place, n in enumerate(order, 1):
            run.approve(self._card(run, n))
            if each or not run.pending:
                end = await run.go(bench.program(script))
                assert isinstance(end, Waiting) is bool(run.pending)
            # What was answered runs now where each answer goes on, and else with the last.
            ran = {f"refund {each_n} 42.0" for each_n in order[:place]}
            if each or place == len(order):
                assert ran == {deed for deed in bench.done if deed.startswith("refund")}
        assert isinstance(run.end, Completed)
        assert sorted(bench.done) == ["act 7", "peek", *(f"refund {n} 42.0" for n in (1, 2, 3))]
        assert len(run.calls) == len(run.returns) == 5

    async def test_answers_of_one_batch_may_differ(self, bench: Bench) -> None:
        script, run = Turn("", THREE), MemoryRun()
        await run.go(bench.program(script))
        run.approve(self._card(run, 1))
        run.reject(self._card(run, 2), "not this one")
        run.dismiss(self._card(run, 3))
        run = await bench.ends_in_a_new_process(run, script)
        assert bench.done == ["refund 1 42.0"]
        assert "not this one" in run.said
        assert "dismissed" in run.said

    def _card(self, run: MemoryRun, order: int) -> str:
        (key,) = [
            it.call_key
            for it in run.pending
            if isinstance(it.card, ApprovalCard) and it.card.tool_params["order"] == order
        ]
        return key

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

    async def test_a_dismissal(self, bench: Bench) -> None:
        script, run = Turn("go ", [REFUND]), MemoryRun()
        await run.go(bench.program(script))
        run.dismiss("refund")
        await run.go(bench.program(script))
        assert isinstance(run.end, Completed)
        assert "dismissed" in run.said
        assert bench.done == []
