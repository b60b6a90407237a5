"""Agents side by side, which all ask."""

import operator
from typing import Annotated

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain.tools import tool
from langgraph.graph import START, MessagesState, StateGraph


@tool
def look_up(topic: str) -> str:
    """Look a topic up."""
    return f"all about {topic}"


class State(MessagesState):
    found: Annotated[list[str], operator.add]


asks = HumanInTheLoopMiddleware(interrupt_on={"look_up": True})
wind = create_agent("openai:gpt-5-mini", [look_up], middleware=[asks], name="wind")
sun = create_agent("openai:gpt-5-mini", [look_up], middleware=[asks], name="sun")


def ask_wind(state: State):
    return {"found": [wind.invoke({"messages": state["messages"]})["messages"][-1].content]}


def ask_sun(state: State):
    return {"found": [sun.invoke({"messages": state["messages"]})["messages"][-1].content]}


def merge(state: State):
    return {"messages": [("ai", " and ".join(state["found"]))]}


graph = StateGraph(State).add_node(ask_wind).add_node(ask_sun).add_node(merge)
graph.add_edge(START, "ask_wind").add_edge(START, "ask_sun").add_edge(
    ["ask_wind", "ask_sun"], "merge"
)
agent = graph.compile()
PLAY = {
    "calls": [("look_up", {"topic": "power"})],
    "answers": [{"decision": "approve"}, {"decision": "approve"}],
    "says": "all about power",
}
