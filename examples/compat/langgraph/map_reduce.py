"""Work that fans out, and asks in each branch."""

import operator
from typing import Annotated, TypedDict

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send, interrupt


class OverallState(TypedDict):
    subjects: str
    jokes: Annotated[list[str], operator.add]


def fan_out(state: OverallState) -> list[Send]:
    return [Send("generate_joke", {"subject": s}) for s in state["subjects"].split(" and ")]


def generate_joke(state: dict) -> dict:
    approved = interrupt({"question": f"A joke about {state['subject']}?"})
    return {"jokes": [f"{state['subject']}: {approved}"]}


builder = StateGraph(OverallState)
builder.add_node("generate_joke", generate_joke)
builder.add_conditional_edges(START, fan_out, ["generate_joke"])
builder.add_edge("generate_joke", END)
agent = builder.compile(checkpointer=InMemorySaver())
PLAY = {
    "words": "cats and dogs",
    "answers": [{"additional_notes": "yes"}, {"additional_notes": "no"}],
    "says": "cats: ",
}
