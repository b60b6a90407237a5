"""A text that a person edits."""

from typing import TypedDict

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt


class ReviewState(TypedDict):
    generated_text: str


def review_node(state: ReviewState) -> ReviewState:
    updated = interrupt(
        {"instruction": "Review and edit this content", "content": state["generated_text"]}
    )
    return {"generated_text": updated}


builder = StateGraph(ReviewState)
builder.add_node("review", review_node)
builder.add_edge(START, "review")
builder.add_edge("review", END)
agent = builder.compile(checkpointer=InMemorySaver())
PLAY = {
    "words": "Initial draft",
    "answers": [{"additional_notes": "Improved draft"}],
    "says": '"generated_text":"Improved draft"',
}
