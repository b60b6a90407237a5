"""A question that is asked until the answer fits."""

from typing import TypedDict

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt


class FormState(TypedDict):
    age: int | None


def get_age_node(state: FormState) -> FormState:
    prompt = "What is your age?"
    while True:
        answer = interrupt(prompt)
        if isinstance(answer, int) and answer > 0:
            return {"age": answer}
        prompt = f"'{answer}' is not a valid age. Please enter a positive number."


builder = StateGraph(FormState)
builder.add_node("collect_age", get_age_node)
builder.add_edge(START, "collect_age")
builder.add_edge("collect_age", END)
agent = builder.compile(checkpointer=InMemorySaver())
PLAY = {
    "answers": [{"additional_notes": "thirty"}, {"additional_notes": "30"}],
    "says": '"age":30',
}
