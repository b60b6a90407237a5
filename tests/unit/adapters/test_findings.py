"""What the adapters find in an agent before any run."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("langgraph")
pytest.importorskip("langchain")

from langchain.agents import create_agent
from langchain_core.tools import tool as lc_tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from pydantic_ai import Agent, WebSearchTool
from pydantic_ai.capabilities import HandleDeferredToolCalls, NativeTool
from pydantic_ai.models.test import TestModel

from sayso import App, tool
from sayso.adapters.findings import FindingKind
from tests.contract.langgraph_builder import ScriptedModel


@tool
def send_letter(to: str) -> str:
    """Send a letter."""
    return to


def by_itself(state: MessagesState) -> MessagesState:
    return state


def plain_graph() -> Any:
    builder = StateGraph(MessagesState)
    builder.add_node("answer", by_itself)
    builder.add_edge(START, "answer")
    return builder.compile(name="graph")


def hosted_by_a_subagent() -> Any:
    helper = create_agent(ScriptedModel(script=()), tools=[{"type": "web_search"}])

    @lc_tool
    def look() -> str:
        """Look."""
        return str(helper.invoke({"messages": []}))

    return create_agent(ScriptedModel(script=()), tools=[look], name="outer")


CASES: dict[str, tuple[App, FindingKind, str]] = {
    "a model's provider runs a tool (Pydantic AI)": (
        App(Agent(TestModel(), name="a", capabilities=[NativeTool(WebSearchTool())])),
        FindingKind.CAVEAT,
        "'WebSearchTool' runs at the model's provider",
    ),
    "a model's provider runs a tool of an agent within (LangGraph)": (
        App(hosted_by_a_subagent()),
        FindingKind.CAVEAT,
        "'web_search' runs at the model's provider",
    ),
    "its own handler decides": (
        App(
            Agent(
                TestModel(),
                name="a",
                capabilities=[HandleDeferredToolCalls(handler=lambda ctx, requests: None)],
            )
        ),
        FindingKind.CAVEAT,
        "Its HandleDeferredToolCalls is not asked",
    ),
    "a graph that binds its tools itself": (
        App(plain_graph(), tools=[send_letter]),
        FindingKind.CAVEAT,
        "none of the application's: send_letter",
    ),
    "a saver in memory": (
        App(create_agent(ScriptedModel(script=()), checkpointer=InMemorySaver(), name="a")),
        FindingKind.WORKS,
        "in memory only",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_finding(case: str) -> None:
    app, kind, words = CASES[case]
    assert [one.kind for one in app.findings() if words in one.text] == [kind]
    assert app.programs(), "it is served all the same"
