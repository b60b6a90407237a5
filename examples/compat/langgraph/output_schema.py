"""A graph whose input and output are parts of its state."""

from typing import TypedDict

from langgraph.graph import END, START, StateGraph


class Question(TypedDict):
    question: str


class Answer(TypedDict):
    answer: str


class Whole(Question, Answer):
    source: str


def look_up(state: Question) -> dict:
    return {"source": "the archive"}


def answer(state: Whole) -> Answer:
    return {"answer": f"{state['question']} {state['source']} says yes"}


builder = StateGraph(Whole, input_schema=Question, output_schema=Answer)
builder.add_node("look_up", look_up)
builder.add_node("say", answer)
builder.add_edge(START, "look_up")
builder.add_edge("look_up", "say")
builder.add_edge("say", END)
agent = builder.compile()
PLAY = {"words": "Paid?", "says": '{"answer":"Paid? the archive says yes"}'}
