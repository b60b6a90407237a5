"""Cases: a task goes to an agent of another framework, which asks people on its own account."""

from __future__ import annotations

import pytest

from sayso.core.children import ChildEnd
from sayso.core.segments import ResumePolicy, Waiting
from sayso.core.sessions import RunState
from sayso.testing.contract.case import Case
from sayso.testing.contract.harness import Bench
from sayso.testing.contract.script import Turn
from sayso.testing.contract.tools import REFUND
from sayso.testing.recorder import MemoryRun

HAND_OVER = ("ask_clerk", {"task": "7"})
HANDED = (Turn("Let me ask. ", [HAND_OVER]),)
BOUNDARIES = (
    "waiting",
    "clerk text",
    "clerk waiting",
    "clerk after started:refund",
    "clerk after ended:refund",
    "clerk completed",
    "completed",
)


class HandoverCases(Case):
    @pytest.mark.parametrize(
        ("end", "told"),
        [
            (ChildEnd(state=RunState.COMPLETED, output="All four."), "All four."),
            (
                ChildEnd(state=RunState.FAILED, error={"detail": "no paper"}),
                "clerk could not finish: no paper",
            ),
            (ChildEnd(state=RunState.CANCELLED, output="not that one"), "not that one"),
        ],
        ids=["completed", "failed", "cancelled"],
    )
    async def test_the_end_of_the_other_agent_is_the_result_of_the_call(
        self, bench: Bench, end: ChildEnd, told: str
    ) -> None:
        run = MemoryRun()
        assert isinstance(await run.go(bench.program(*HANDED)), Waiting)
        ((key, request),) = run.handed.items()
        assert (request.agent, request.task.words) == ("clerk", "7")
        assert not run.pending
        run.children[key] = end
        run = await bench.ends_in_a_new_process(run, *HANDED)
        assert told in run.said
        assert run.said.count("Let me ask. ") == 1
        assert len(run.calls) == len(run.returns) == 1

    async def test_a_card_of_its_own_beside_the_task_it_handed_over(self, bench: Bench) -> None:
        script, run = Turn("", [HAND_OVER, REFUND]), MemoryRun()
        await run.go(bench.program(script))
        assert len(run.handed) == len(run.pending) == 1
        run.approve("refund")
        if self.capabilities.resume is ResumePolicy.EACH:
            assert isinstance(await run.go(bench.program(script)), Waiting)
            assert bench.done == ["refund 1001 42.0"]
        (key,) = run.handed
        run.children[key] = ChildEnd(state=RunState.COMPLETED, output="All four.")
        run = await bench.ends_in_a_new_process(run, script)
        assert bench.done == ["refund 1001 42.0"]
        assert "All four." in run.said

    async def test_the_other_agent_asks_a_person_and_its_answer_comes_back(
        self, bench: Bench
    ) -> None:
        (asking,) = await bench.live(bench.life(HANDED, posts=True))
        assert asking.ended == "waiting"
        assert asking.asked == ["clerk"]
        (heir,) = await bench.live(bench.life(HANDED, answers="approve", name="heir"))
        assert heir.ended == "completed", heir.problems
        assert bench.done == ["refund 7 42.0"]
        assert "The clerk is at it. " in heir.said
        assert "The clerk says" in heir.said.rpartition("Results: ")[2]

    @pytest.mark.parametrize("boundary", BOUNDARIES)
    async def test_kill_9_while_another_agent_has_the_task(
        self, bench: Bench, boundary: str
    ) -> None:
        await bench.killed(bench.life(HANDED, posts=True, answers="approve", dies_at=boundary))
        (heir,) = await bench.live(bench.life(HANDED, answers="approve", name="heir"))
        assert heir.ended == "completed", heir.problems
        assert bench.done == ["refund 7 42.0"]
        assert "The clerk says" in heir.said.rpartition("Results: ")[2]
