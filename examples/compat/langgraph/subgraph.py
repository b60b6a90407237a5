"""A graph within a graph, which asks."""

from typing import TypedDict

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt


class State(TypedDict):
    foo: str


def subgraph_node(state: State) -> State:
    value = interrupt("Provide value:")
    return {"foo": state["foo"] + value}


subgraph_builder = StateGraph(State)
subgraph_builder.add_node("subgraph_node", subgraph_node)
subgraph_builder.add_edge(START, "subgraph_node")
builder = StateGraph(State)
builder.add_node("node", subgraph_builder.compile())
builder.add_edge(START, "node")
agent = builder.compile(checkpointer=InMemorySaver())
PLAY = {"words": "hi ", "answers": [{"additional_notes": "bar"}], "says": '"foo":"hi bar"'}
