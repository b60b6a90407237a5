"""What a graph's code wants back from an `interrupt()`, read from the code."""

from __future__ import annotations

from typing import Any, TypedDict

import pytest

pytest.importorskip("langgraph")

from langgraph.graph import START, StateGraph
from langgraph.types import interrupt

from sayso.adapters.langgraph.interrupt_shapes import Shape, ShapeKind, shape_for
from sayso.core.cards import FormCard
from sayso.core.segments import Completed, Waiting
from sayso.testing.contract.script import Turn
from sayso.testing.recorder import MemoryRun
from tests.contract import langgraph_builder


class State(TypedDict, total=False):
    words: str


def named(state: State) -> Any:
    answer = interrupt({"query": state["words"]})
    return {"words": answer["data"]}


def compared(state: State) -> Any:
    decision = interrupt("Keep it?")
    if decision == "yes" or decision in ("y", "ok"):
        return {"words": "kept"}
    return {}


def negated(state: State) -> Any:
    if not interrupt({"question": "Go?", "details": 1}):
        return {}
    return {"words": "gone"}


def used_elsewhere(state: State) -> Any:
    answer = interrupt({"question": "Which?"})
    if answer:
        return {"words": answer}
    return {}


def twice(state: State) -> Any:
    first = interrupt({"a": 1})
    return {"words": interrupt({"b": 1})["two"] + first["one"]}


@pytest.mark.parametrize(
    ("node", "value", "shape"),
    [
        (named, {"query": "x"}, Shape(ShapeKind.OBJECT, {"data": ()}, ("data",))),
        (compared, "Keep it?", Shape(ShapeKind.CHOICE, words=("yes", "y", "ok"))),
        (compared, "Something else?", None),
        (negated, {"question": "Go?", "details": 2}, Shape(ShapeKind.YES_OR_NO)),
        (used_elsewhere, {"question": "Which?"}, None),
        (twice, {"a": 7}, Shape(ShapeKind.OBJECT, {"one": ()}, ("one",))),
        (twice, {"b": 7}, Shape(ShapeKind.OBJECT, {"two": ()}, ("two",))),
        (twice, {"c": 7}, None),
    ],
)
def test_the_shape_of_an_answer(node: Any, value: Any, shape: Shape | None) -> None:
    builder = StateGraph(State)
    builder.add_node("ask", node)
    builder.add_edge(START, "ask")
    assert shape_for(builder.compile(), value) == shape


async def test_an_action_is_a_choice_and_what_is_shown_is_proposed() -> None:
    script = [Turn("", [("send_email", {"to": "ana", "subject": "hi"})])]
    run, program = MemoryRun(), langgraph_builder.send_email(script)
    assert isinstance(await run.go(program), Waiting)
    [asked] = run.pending
    assert isinstance(asked.card, FormCard)
    properties: Any = asked.card.response_schema["properties"]
    assert properties["action"]["enum"] == ["approve", "reject"]
    assert asked.card.values == {"to": "ana"}
    run.answer(asked, {"action": "reject"})
    assert isinstance(await run.go(program), Completed)
    assert "Email cancelled by user" in run.said
