"""Calls of Pydantic AI's own toolsets and MCP servers, and deps, by way of the toolbox."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pydantic_ai")

from pydantic_ai import Agent, FunctionToolset, RunContext
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, CombinedToolset, ExternalToolset

from sayso.adapters.program import AgentProgram
from sayso.app import App
from sayso.core.cards import ApprovalCard, OptionsCard
from sayso.core.errors import NotSupportedError, ToolMissing
from sayso.core.policy_rules import Rule, Verdict
from sayso.core.segments import Completed, Failed, Waiting
from sayso.core.tasks import TaskRequest, UniversalMessage
from sayso.testing.recorder import MemoryRun
from sayso.tools.context import ToolContext
from tests.unit.adapters.test_pydantic_ai import an_agent

ASK = [Rule(tool="*pay", then=Verdict.ASK)]


def bank(ran: list[int]) -> FunctionToolset[Any]:
    toolset: FunctionToolset[Any] = FunctionToolset()

    @toolset.tool_plain
    def pay(amount: int) -> str:
        ran.append(amount)
        return f"paid {amount}"

    @toolset.tool_plain
    def balance() -> int:
        return 7

    return toolset


@pytest.mark.parametrize("kind", ["function", "combined", "prefixed", "filtered", "approval"])
async def test_every_toolset_is_gated_by_name(kind: str) -> None:
    ran: list[int] = []
    own: AbstractToolset[Any] = bank(ran)
    name, policy = "pay", ASK
    match kind:
        case "combined":
            own = CombinedToolset([own, FunctionToolset()])
        case "prefixed":
            own, name = own.prefixed("bank"), "bank_pay"
        case "filtered":
            own = own.filtered(lambda ctx, tool: tool.name == "pay")
        case "approval":  # the toolset itself asks, with no policy at all
            own, policy = own.approval_required(lambda ctx, tool, args: tool.name == "pay"), []
        case _:
            pass
    program = AgentProgram(an_agent([(name, {"amount": 5})], toolsets=[own]), policy=policy)
    run = MemoryRun()
    assert isinstance(await run.go(program), Waiting), run.end
    (card,) = run.pending
    assert isinstance(card.card, ApprovalCard)
    assert card.card.tool_name == name
    run.approve(card, edits={"amount": 4})
    assert isinstance(await run.go(program), Completed), run.end
    assert ran == [4]
    assert "paid 4" in run.said


async def test_a_tool_that_is_done_elsewhere_is_a_question() -> None:
    fax = ToolDefinition(name="fax", parameters_json_schema={"type": "object", "properties": {}})
    program = AgentProgram(an_agent([("fax", {})], toolsets=[ExternalToolset([fax])]))
    run = MemoryRun()
    assert isinstance(await run.go(program), Waiting)
    (card,) = run.pending
    assert isinstance(card.card, OptionsCard)
    assert card.title == "fax is done outside of the agent. What came of it?"
    run.answer(card, {"additional_notes": "It arrived."})
    assert isinstance(await run.go(program), Completed)
    assert "It arrived." in run.said


async def test_a_tool_that_left_the_toolset_while_its_call_waits() -> None:
    ran: list[int] = []
    turns = [("pay", {"amount": 5})]
    run = MemoryRun()
    await run.go(AgentProgram(an_agent(turns, toolsets=[bank(ran)]), policy=ASK))
    run.approve("pay")
    without = bank(ran).filtered(lambda ctx, tool: tool.name != "pay")
    end = await run.go(AgentProgram(an_agent(turns, toolsets=[without]), policy=ASK))
    assert isinstance(end, Failed)
    assert isinstance(end.error, ToolMissing)
    assert not ran


async def test_the_tools_of_an_mcp_server_are_gated_and_resumed_over_a_new_connection(
    tmp_path: Path,
) -> None:
    parcels = tmp_path / "parcels"

    def program() -> AgentProgram:
        agent = an_agent(
            [("send", {"to": "Oslo"}), ("price", {"to": "Oslo"})], toolsets=[post_office(parcels)]
        )
        return AgentProgram(agent, policy=[Rule(destructive=True, then=Verdict.ASK)])

    run = MemoryRun()
    assert isinstance(await run.go(program()), Waiting), run.end
    assert not parcels.exists()
    run.approve("send", edits={"grams": 250})
    assert isinstance(await run.go(program()), Completed), run.end
    assert parcels.read_text() == "Oslo 250\n"
    assert "sent to Oslo" in run.said
    assert len(run.calls) == len(run.returns) == 2


@dataclass
class Till:
    euros: int
    person: str | None


def with_deps(ran: list[str], *, deps_type: type[Any] = Till) -> Agent[Any, Any]:
    agent: Agent[Any, Any] = an_agent([("pay", {"amount": 5})], deps_type=deps_type)

    @agent.tool
    def pay(ctx: RunContext[Till], amount: int) -> str:
        ran.append(f"{ctx.deps.person} {ctx.deps.euros - amount}")
        return "paid"

    return agent


async def make_till(ctx: ToolContext) -> Till:
    return Till(9, ctx.person)


@pytest.mark.parametrize("deps", [Till(9, "ada"), make_till], ids=["object", "function"])
async def test_its_tools_get_their_deps_in_each_segment(deps: object) -> None:
    ran: list[str] = []
    app = App({"till": with_deps(ran)}, policies=ASK, deps=deps)
    run = MemoryRun()
    await run.go(app.programs()["till"])
    run.approve("pay")
    assert isinstance(await run.go(app.programs()["till"]), Completed), run.end
    assert ran == ["ada 4"]


async def test_an_agent_that_needs_deps_says_so() -> None:
    run = MemoryRun()
    end = await run.go(AgentProgram(with_deps([])))
    assert isinstance(end, Failed)
    assert isinstance(end.error, NotSupportedError)
    assert "Till" in end.error.detail
    assert "deps=" in str(end.error.fix)


@pytest.mark.parametrize("own", ["function", "mcp"])
async def test_a_retry_reaches_its_own_tools_through_the_policy(own: str, tmp_path: Path) -> None:
    ran: list[str] = []
    agent = with_deps(ran)
    name, arguments = "pay", {"amount": 5}
    if own == "mcp":
        agent = an_agent(toolsets=[post_office(tmp_path / "parcels")])
        name, arguments = "send", {"to": "Oslo"}  # type: ignore[dict-item]
    program = AgentProgram(agent, policy=[Rule(tool=name, then=Verdict.ASK)], deps=Till(9, "ada"))
    task = TaskRequest(
        task_id="again",
        task_type="tool_retry",
        messages=[UniversalMessage(role="user", content="Retry")],
        context={"tool_name": name, "arguments": dict(arguments)},
    )
    run = MemoryRun(task=task)
    assert isinstance(await run.go(program), Waiting), run.end
    run.approve(name)
    assert isinstance(await run.go(program), Completed), run.end
    assert run.said == f"{name} ran again and succeeded."
    done = ran if own == "function" else (tmp_path / "parcels").read_text().splitlines()
    assert done == (["ada 4"] if own == "function" else ["Oslo 100"])


def post_office(parcels: Path) -> MCPToolset[Any]:
    from fastmcp.client.transports import StdioTransport

    server = Path(__file__).with_name("post_office.py")
    transport = StdioTransport(sys.executable, [str(server), str(parcels)], keep_alive=False)
    # The default is 5 seconds, which a busy machine needs to import the server.
    return MCPToolset(transport, init_timeout=60)
