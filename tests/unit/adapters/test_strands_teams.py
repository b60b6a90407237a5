"""A Graph and a Swarm of Strands: their agents wait as any other, and none of them speaks twice."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("strands", reason="strands-agents is not installed")

from strands.hooks import BeforeNodeCallEvent, HookProvider, HookRegistry

from sayso.adapters.program import AgentProgram
from sayso.core.segments import Completed, Failed, Waiting
from sayso.testing.adapter_contract import Script
from sayso.testing.contract.cancel_cases import cancelled
from sayso.testing.contract.script import Turn
from sayso.testing.contract.tools import (
    OWN_REFUND,
    REFUND,
    deeds,
    entered,
    may_return,
    use_ledger,
)
from sayso.testing.recorder import MemoryRun
from tests.contract import strands_builder

Build = Callable[[Script], AgentProgram]


@pytest.fixture(autouse=True)
def ledger(tmp_path: Path) -> None:
    use_ledger(tmp_path / "ledger")
    entered.clear()
    may_return.clear()


@pytest.mark.parametrize("build", [strands_builder.graph, strands_builder.swarm])
@pytest.mark.parametrize(
    ("call", "tool", "done"),
    [
        (OWN_REFUND, "own_refund", "own_refund 1001 42.0"),
        (REFUND, "refund", "refund 1001 42.0"),
    ],
    ids=["its own", "the application's"],
)
async def test_a_call_of_a_member_waits_and_goes_on_once(
    build: Build, call: tuple[str, dict[str, object]], tool: str, done: str
) -> None:
    script = [Turn("I see to it. ", [call])]  # type: ignore[list-item]
    run = MemoryRun()
    assert isinstance(await run.go(build(script)), Waiting), run.end
    [asked] = run.pending
    assert asked.agent_name == "clerk"
    assert deeds() == []
    run = pickle.loads(pickle.dumps(run))
    run.approve(tool)
    assert isinstance(await run.go(build(script)), Completed), run.end
    assert deeds() == [done]
    assert run.said.count("I see to it. ") == 1
    spoken = [c.metadata.get("agent_name") for c in run.chunks if "see" in str(c.content)]
    assert spoken == ["clerk"]


async def test_the_agents_of_a_graph_come_after_each_other() -> None:
    script = [Turn("I see to it. ", [OWN_REFUND])]
    run = MemoryRun()
    await run.go(strands_builder.graph(script))
    assert "It is written" not in run.said, "the writer waits for the clerk"
    run.reject("own_refund", "wrong order")
    assert isinstance(await run.go(strands_builder.graph(script)), Completed), run.end
    assert "wrong order" in run.said
    assert run.said.count("It is written. ") == 1
    assert deeds() == []


class Approval(HookProvider):
    """Asks before the clerk runs."""

    def register_hooks(self, registry: HookRegistry, **more: object) -> None:
        registry.add_callback(BeforeNodeCallEvent, self.approve)

    def approve(self, event: BeforeNodeCallEvent) -> None:
        if event.node_id != "clerk":
            return
        approval = event.interrupt("clerk-approval", reason={"question": "Let the clerk in?"})
        if approval.lower() != "y":
            event.cancel_node = "The clerk stays out"


@pytest.mark.parametrize("build", [strands_builder.graph, strands_builder.swarm])
@pytest.mark.parametrize("is_let_in", [True, False])
async def test_a_hook_of_the_team_asks_before_an_agent_runs(build: Build, is_let_in: bool) -> None:
    script = [Turn("", [OWN_REFUND])]

    def program() -> AgentProgram:
        return build(script, hooks=[Approval()])  # type: ignore[call-arg]

    run = MemoryRun()
    assert isinstance(await run.go(program()), Waiting), run.end
    [asked] = run.pending
    assert asked.title == "Let the clerk in?"
    run = pickle.loads(pickle.dumps(run))
    run.answer(asked.title, {"decision": "approve" if is_let_in else "reject"})
    if not is_let_in:
        end = await run.go(program())
        assert isinstance(end, Failed)
        assert "The clerk stays out" in end.error.detail
        assert deeds() == []
        return
    assert isinstance(await run.go(program()), Waiting), run.end
    run.approve("own_refund")
    assert isinstance(await run.go(program()), Completed), run.end
    assert deeds() == ["own_refund 1001 42.0"]


async def test_a_swarm_that_is_asked_again() -> None:
    script = [Turn("I see to it. ", [("peek", {})])]
    run = MemoryRun()
    assert isinstance(await run.go(strands_builder.swarm(script)), Completed), run.end
    again = MemoryRun("on", run_id="run-2", agent_state=run.agent_state)
    assert isinstance(await again.go(strands_builder.swarm(script)), Completed), again.end
    assert deeds() == ["peek", "peek"]


async def test_a_graph_is_cancelled_while_its_agent_speaks() -> None:
    """On Python 3.11 its own loop may lose that."""
    program = strands_builder.graph_of_one([Turn("so ", [("slow_thread", {})])])
    run = MemoryRun()
    task = asyncio.create_task(run.go(program))
    await asyncio.to_thread(entered.wait, 60)
    await cancelled(task)
    may_return.set()
    await program.detached_threads.wait()
    assert [e.state.value for e in run.recorder.effects.values()] == ["done"]
