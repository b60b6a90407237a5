"""What nobody declared, in every framework: named before it runs, asked about or denied on wish."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sayso.adapters.program import AgentProgram
from sayso.core.policy_rules import Rule, Verdict
from sayso.core.segments import Completed, Waiting
from sayso.testing.adapter_contract import Script
from sayso.testing.contract.script import Turn
from sayso.testing.contract.tools import OWN_REFUND, deeds, use_ledger
from sayso.testing.recorder import MemoryRun
from tests.contract import (
    adk_builder,
    ag2_builder,
    agent_framework_builder,
    autogen_builder,
    langgraph_builder,
    openai_agents_builder,
    pydantic_ai_builder,
    strands_builder,
)

BUILDERS = (
    pydantic_ai_builder.own_tools,
    adk_builder.adk_own_tools,
    ag2_builder.ag2_own_tools,
    autogen_builder.autogen_own_tools,
    autogen_builder.autogen_team_own_tools,
    langgraph_builder.langgraph_own_tools,
    agent_framework_builder.own_tools,
    openai_agents_builder.own_tools,
    strands_builder.own_tools,
)
CALLS = [Turn("I do it. ", [OWN_REFUND]), Turn("Again. ", [OWN_REFUND])]


def look_up(order: int) -> str:
    """A bare function of the application."""
    return "paid"


@pytest.fixture(
    params=BUILDERS, ids=lambda build: f"{build.__module__.rpartition('.')[2]}.{build.__name__}"
)
def agent(request: pytest.FixtureRequest, tmp_path: Path) -> object:
    use_ledger(tmp_path / "ledger")
    build: Callable[[Script], AgentProgram] = request.param
    return build(CALLS)._agent


def test_what_runs_unasked_is_named(agent: object) -> None:
    assert AgentProgram(agent, tools=[look_up]).undeclared_tools == ["look_up", "own_refund"]
    spoken_of = [Rule(tool="own_*", then=Verdict.ALLOW)]
    named = AgentProgram(agent, tools=[look_up], policy=spoken_of).undeclared_tools
    assert named == ["look_up"]
    asked = AgentProgram(agent, tools=[look_up], undeclared=Verdict.ASK)
    assert asked.undeclared_tools == [], "they do not run unasked"


async def test_a_person_is_asked_and_may_allow_it_for_the_chat(agent: object) -> None:
    program, run = AgentProgram(agent, undeclared=Verdict.ASK), MemoryRun()
    assert isinstance(await run.go(program), Waiting)
    assert deeds() == []
    [it] = run.pending
    assert it.card.model_dump()["may_be_remembered"] is True
    run.approve(it)
    assert isinstance(await run.go(program), Waiting), "the second call asks again"
    assert deeds() == ["own_refund 1001 42.0"]


async def test_it_is_denied_on_wish(agent: object) -> None:
    run = MemoryRun()
    assert isinstance(await run.go(AgentProgram(agent, undeclared=Verdict.DENY)), Completed)
    assert deeds() == []
    assert "Nobody has declared when this tool may run" in run.said


async def test_it_runs_where_nothing_is_said(agent: object) -> None:
    run = MemoryRun()
    assert isinstance(await run.go(AgentProgram(agent)), Completed)
    assert deeds() == ["own_refund 1001 42.0"] * 2
