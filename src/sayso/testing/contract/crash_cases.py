"""Cases: deaths, takeovers, two processes that answer at once. Nothing is lost or done twice."""

from __future__ import annotations

import pytest

from sayso.core.cards import UncertainEffectCard
from sayso.core.errors import LeaseLost
from sayso.core.segments import Completed, Failed, Waiting
from sayso.testing.contract.case import Case, approved, crashed
from sayso.testing.contract.harness import Bench
from sayso.testing.contract.script import Turn
from sayso.testing.contract.tools import REFUND
from sayso.testing.recorder import MemoryRun

BOUNDARIES = (
    "text",
    "waiting",
    "before started:refund",
    "after started:refund",
    "before ended:refund",
    "after ended:refund",
    "completed",
)
ASKING = (Turn("Let me see. ", [REFUND]),)


class CrashCases(Case):
    @pytest.mark.parametrize("boundary", BOUNDARIES)
    async def test_kill_9_at_each_boundary(self, bench: Bench, boundary: str) -> None:
        """A real SIGKILL of a real process, over a real store; another process finds what is
        left."""
        await bench.killed(bench.life(ASKING, posts=True, answers="approve", dies_at=boundary))
        (heir,) = await bench.live(bench.life(ASKING, answers="approve", name="heir"))
        assert heir.ended == "completed", heir.problems
        assert bench.done == ["refund 1001 42.0"]
        assert "Results: " in heir.said

    async def test_kill_9_right_after_a_call_that_wrote_to_the_session(self, bench: Bench) -> None:
        """What the call left there counts as much as its result: it does not run again."""
        if self.own_state is None:
            pytest.skip("the tools of this framework share nothing beside the messages")
        bench.builder = self.own_state
        script = (Turn("", [("note", {})]), Turn("", [("recall", {})]))
        await bench.killed(bench.life(script, posts=True, dies_at="after ended:note"))
        (heir,) = await bench.live(bench.life(script, name="heir"))
        assert heir.ended == "completed", heir.problems
        assert bench.done == ["note", "recall once"]

    @pytest.mark.parametrize("other", ["approve", "reject"])
    async def test_two_processes_answer_at_once(self, bench: Bench, other: str) -> None:
        (first,) = await bench.live(bench.life(ASKING, posts=True))
        assert first.ended == "waiting"
        one, two = await bench.live(
            bench.life(ASKING, answers="approve", together=2, name="one"),
            bench.life(ASKING, answers=other, together=2, name="two"),
        )
        assert one.ended == two.ended == "completed"
        outcomes = sorted(one.outcomes + two.outcomes)
        assert outcomes.count("settled") == 1, outcomes
        approved = "settled" in one.outcomes or other == "approve"
        assert bench.done == (["refund 1001 42.0"] if approved else [])
        assert one.said == two.said

    async def test_the_same_answer_twice_runs_once(self, bench: Bench) -> None:
        script, run = await approved(bench)
        await run.go(bench.program(script))
        run = await bench.in_a_new_process(run, script)
        assert bench.done == ["refund 1001 42.0"]

    async def test_a_takeover_at_a_started_effect_asks(self, bench: Bench) -> None:
        script, run = Turn("go ", [("act", {"n": 1})]), MemoryRun()
        await crashed(run, bench.program(script), "before ended:act")
        run = await bench.in_a_new_process(run, script)
        if not self.capabilities.checkpoints_calls:
            assert isinstance(run.end, Waiting | Failed), run.end
            assert bench.done == ["act 1"]
            return
        assert isinstance(run.end, Waiting), run.end
        (card,) = run.pending
        assert isinstance(card.card, UncertainEffectCard)
        run.answer(card, {"selected_option": "mark_done", "values": {"result": "it was"}})
        run = await bench.ends_in_a_new_process(run, script)
        assert bench.done == ["act 1"]
        assert "it was" in run.said
        assert len(run.calls) == 1

    async def test_a_takeover_at_a_done_effect_does_not_run_it_again(self, bench: Bench) -> None:
        script, run = Turn("go ", [("act", {"n": 1}), ("act", {"n": 2})]), MemoryRun()
        await crashed(run, bench.program(script), "after ended:act")
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
        script, run = await approved(bench)
        await crashed(run, bench.program(script), f"{boundary}:refund")
        run = await bench.in_a_new_process(run, script)
        if isinstance(run.end, Waiting):
            happened = bool(bench.done)
            choice = "mark_done" if happened else "run_again"
            run.answer(run.pending[0], {"selected_option": choice, "values": {"result": "ok"}})
            run = await bench.ends_in_a_new_process(run, script)
        assert bench.done == ["refund 1001 42.0"]

    async def test_a_lost_lease_ends_the_segment(self, bench: Bench) -> None:
        run = MemoryRun()
        run.recorder.lost = True
        with pytest.raises(LeaseLost):
            await run.go(bench.program(Turn("", [("act", {"n": 1})])))
        assert bench.done == []
