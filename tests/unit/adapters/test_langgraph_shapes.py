"""What a graph's code wants back from an `interrupt()`, read from the code."""

from __future__ import annotations

from typing import Any, TypedDict

import pytest

pytest.importorskip("langgraph")

from langgraph.graph import START, StateGraph
from langgraph.types import interrupt

from sayso.adapters.langgraph.interrupt_shapes import Shape, ShapeKind, shape_for
from sayso.adapters.program import AgentProgram
from sayso.core.cards import FormCard
from sayso.core.segments import Completed, Failed, Waiting
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


def by_kind(state: State) -> Any:
    if state:
        response = interrupt({"action": "query", "args": {}})
        if response["type"] == "accept":
            return {"words": "run"}
        if response["type"] == "edit":
            return {"words": response["args"]["args"]}
    return {}


def flagged(state: State) -> Any:
    decision = interrupt({"draft": state["words"], "action": "Review it"})
    if decision.get("approved"):
        return {"words": decision.get("edited", "as it was")}
    return {"words": "left"}


@pytest.mark.parametrize(
    ("node", "value", "shape"),
    [
        (
            by_kind,
            {"action": "query", "args": {}},
            Shape(ShapeKind.OBJECT, {"type": ("accept", "edit"), "args": ()}, ("type",)),
        ),
        (
            flagged,
            {"draft": "x", "action": "Review it"},
            Shape(ShapeKind.OBJECT, {"approved": (), "edited": ()}, (), ("approved",)),
        ),
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


@pytest.mark.parametrize(
    ("answer", "words"),
    [({"decision": "approve"}, "as it was"), ({"values": {"approved": False}}, "left")],
)
async def test_a_plain_yes_is_what_the_field_for_it_says(answer: Any, words: str) -> None:
    builder = StateGraph(State)
    builder.add_node("ask", flagged)
    builder.add_node("begin", lambda _: {"words": "a draft"})
    builder.add_edge(START, "begin")
    builder.add_edge("begin", "ask")
    run, program = MemoryRun(), AgentProgram(builder.compile(name="desk"))
    assert isinstance(await run.go(program), Waiting), run.end
    [asked] = run.pending
    assert isinstance(asked.card, FormCard)
    assert asked.title == "Review it"
    assert asked.card.response_schema["properties"]["approved"] == {"type": "boolean"}  # type: ignore[index,call-overload]
    run.answer(asked, answer)
    end = await run.go(program)
    assert isinstance(end, Completed), end
    assert words in str(end.output)


@pytest.mark.parametrize(
    ("written", "got"),
    [
        ("size 42", "size 42"),
        ('{"city": "Oslo"}', {"city": "Oslo"}),
        ("{no object", "{no object"),
        ("[1]", "[1]"),
    ],
)
async def test_a_field_of_unknown_type_takes_an_object_as_json(written: str, got: Any) -> None:
    heard = list[object]()

    def ask(state: State) -> Any:
        answer = interrupt({"query": state["words"]})
        heard.append(answer["data"])
        return {}

    builder = StateGraph(State)
    builder.add_node("ask", ask)
    builder.add_edge(START, "ask")
    run, program = MemoryRun("Which?"), AgentProgram(builder.compile(name="desk"))
    assert isinstance(await run.go(program), Waiting), run.end
    run.answer(run.pending[0], {"values": {"data": written}})
    assert isinstance(await run.go(program), Completed), run.end
    assert heard == [got]


async def test_a_graph_that_needs_an_answer_is_not_given_a_dismissal() -> None:
    builder = StateGraph(State)
    builder.add_node("ask", named)
    builder.add_edge(START, "ask")
    run, program = MemoryRun("Which?"), AgentProgram(builder.compile(name="desk"))
    assert isinstance(await run.go(program), Waiting), run.end
    run.dismiss(run.pending[0])
    end = await run.go(program)
    assert isinstance(end, Failed), end
    assert "cannot go on without an answer" in str(end.error)
