"""What ADK, AutoGen and AG2 agents are told before any run of theirs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ag2")
pytest.importorskip("autogen_agentchat")
pytest.importorskip("google.adk")

from ag2.tools.builtin.web_search import WebSearchTool
from ag2.tools.subagents import background_agent_tool
from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.teams import RoundRobinGroupChat
from google.adk.agents import LlmAgent
from google.adk.code_executors import UnsafeLocalCodeExecutor
from google.adk.runners import InMemoryRunner
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.google_search_tool import google_search
from google.adk.tools.load_memory_tool import load_memory_tool as load_memory
from pydantic import BaseModel

from sayso.adapters.ag2.agent_copy import COPIED, KEPT_BY_TOOLS
from sayso.adapters.autogen.agent_copy import READ
from sayso.adapters.findings import FindingKind
from sayso.adapters.program import AgentProgram
from sayso.core.errors import NotSupportedError
from sayso.tools.tool import tool
from tests.contract import ag2_builder, autogen_builder


@tool
def send(to: str) -> str:
    """Send."""
    return "sent"


@tool
def note(anything: dict[str, Any]) -> str:
    """Note whatever it is."""
    return "noted"


class Shape(BaseModel):
    ok: bool


def gemini(name: str, **options: Any) -> LlmAgent:
    return LlmAgent(name=name, model="gemini-2.5-flash", **options)


def own_send(to: str) -> str:
    """Send."""
    return "sent"


own_send.__name__ = "send"


class Cannot(autogen_builder.FreeClient):
    @property
    def model_info(self) -> Any:
        return {**super().model_info, "function_calling": False}

    create = create_stream = None  # type: ignore[assignment]


def adk_code() -> Any:
    inner = gemini("coder", code_executor=UnsafeLocalCodeExecutor())
    return gemini("root", sub_agents=[gemini("a", tools=[AgentTool(agent=inner)])])


def adk_search() -> Any:
    return gemini("seeker", tools=[google_search])


def adk_memory() -> Any:
    return gemini("rememberer", tools=[load_memory])


def adk_runs_one() -> Any:
    inner = InMemoryRunner(agent=gemini("inner"), app_name="x")

    async def ask(question: str) -> str:
        """Ask."""
        return str(inner)

    return gemini("root", tools=[ask])


def adk_two() -> Any:
    return gemini("root", tools=[own_send])


def autogen_team() -> Any:
    member = AssistantAgent("a", autogen_builder.ScriptedClient(()), tools=[own_send])
    return RoundRobinGroupChat([member])


def autogen_cannot_call() -> Any:
    return AssistantAgent("a", Cannot())


def adk_wide() -> Any:
    def count(tool_context: Any) -> None:
        """Note."""
        tool_context.state["app:count"] = 1

    return LlmAgent(name="root", model="none", instruction="For {user:name?}.", tools=[count])


def autogen_shape() -> Any:
    return AssistantAgent("a", autogen_builder.ScriptedClient(()), output_content_type=Shape)


def autogen_runs_one() -> Any:
    inner = autogen_builder.assistant((), tools=[own_send])

    async def ask(question: str) -> str:
        """Ask."""
        return str(await inner.run(task=question))

    return AssistantAgent("outer", autogen_builder.ScriptedClient(()), tools=[ask])


def ag2_background() -> Any:
    inner = ag2_builder.scripted("inner", ())
    return ag2_builder.scripted("root", (), background_agent_tool(inner, description="Later."))


def ag2_search() -> Any:
    return ag2_builder.scripted("root", (), WebSearchTool())


def ag2_runs_one() -> Any:
    inner = ag2_builder.scripted("inner", (), own_send)

    async def ask(question: str) -> str:
        """Ask."""
        return str(await inner.ask(question))

    return ag2_builder.scripted("root", (), ask)


REFUSED = [
    (adk_code, "code_executor"),
    (adk_runs_one, "by a Runner of its own"),
    (adk_two, "two tools are named 'send'"),
    (autogen_team, "two tools are named 'send'"),
    (autogen_runs_one, "runs the agent 'agent' by itself"),
    (ag2_background, "in the background"),
    (ag2_runs_one, "runs the agent 'inner' by itself"),
]
CAVEATS = [
    (adk_search, "has no tools of the application"),
    (adk_memory, "has no memory service"),
    (adk_wide, "under app:count, user:name stays with each chat"),
    (autogen_cannot_call, "Its model calls no functions"),
    (autogen_shape, "note cannot be"),
    (ag2_search, "is run by the model's provider"),
]


@pytest.mark.parametrize(("make", "why"), REFUSED)
def test_what_cannot_be_served_is_refused_before_any_run(make: Any, why: str) -> None:
    with pytest.raises(NotSupportedError, match=why):
        AgentProgram(make(), tools=[send]).checked()


@pytest.mark.parametrize(("make", "why"), CAVEATS)
def test_a_caveat_is_told(make: Any, why: str) -> None:
    found = AgentProgram(make(), tools=[send, note]).checked().findings()
    [told] = [one for one in found if one.kind is FindingKind.CAVEAT]
    assert why in told.text


def test_deps_that_a_framework_cannot_hand_on_are_told() -> None:
    with pytest.raises(NotSupportedError, match="hands no deps"):
        AgentProgram(autogen_builder.assistant(()), deps={"a": 1}).checked()
    with pytest.raises(NotSupportedError, match="by key"):
        AgentProgram(ag2_builder.scripted("a", ()), deps=object()).checked()
    found = AgentProgram(gemini("a"), deps=1).checked().findings()
    assert any("hands no deps" in one.text for one in found)


@pytest.mark.parametrize("deps", [{"a": 1}, lambda ctx: {"a": 1}])
def test_deps_by_key_are_served(deps: Any) -> None:
    AgentProgram(ag2_builder.scripted("a", ()), deps=deps).checked()


def test_the_page_of_frameworks_names_every_private_part() -> None:
    page = (Path(__file__).parents[3] / "docs" / "frameworks.md").read_text("utf-8")
    parts = {*COPIED, *(name for names in KEPT_BY_TOOLS.values() for name in names)}
    parts |= {name for names in READ.values() for name in names}
    assert not [name for name in parts if f"`{name}`" not in page]


def test_a_version_whose_tools_keep_something_else_is_refused_at_start() -> None:
    agent = autogen_builder.assistant((), tools=[own_send])
    del agent._workbench[0]._tools[0]._func  # type: ignore[attr-defined]
    with pytest.raises(NotSupportedError, match="has no '_func'"):
        AgentProgram(agent)
    other = ag2_builder.scripted("a", (), own_send)
    del other.tools[0]._middleware
    with pytest.raises(NotSupportedError, match="has no '_middleware'"):
        AgentProgram(other)
