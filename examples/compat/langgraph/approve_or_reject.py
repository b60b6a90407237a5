"""A node that asks whether to go on."""

from typing import Literal, TypedDict

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt


class ApprovalState(TypedDict):
    action_details: str
    status: str


def approval_node(state: ApprovalState) -> Command[Literal["proceed", "cancel"]]:
    decision = interrupt({"question": "Approve this action?", "details": state["action_details"]})
    return Command(goto="proceed" if decision else "cancel")


builder = StateGraph(ApprovalState)
builder.add_node("approval", approval_node)
builder.add_node("proceed", lambda state: {"status": "approved"})
builder.add_node("cancel", lambda state: {"status": "rejected"})
builder.add_edge(START, "approval")
builder.add_edge("proceed", END)
builder.add_edge("cancel", END)
agent = builder.compile(checkpointer=InMemorySaver())
PLAY = {
    "words": "Transfer 500",
    "answers": [{"decision": "reject", "reason": "too much"}],
    "says": '"status":"rejected"',
}
