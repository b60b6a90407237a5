"""A graph behind the engine on a real file: one answer, one execution, however often it comes."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from typing_extensions import TypedDict

pytest.importorskip("langgraph")

from langgraph.graph import START, StateGraph
from langgraph.types import interrupt

from sayso import App
from sayso.core.errors import AlreadySettled
from sayso.core.inbox import InteractionFilter
from sayso.core.interactions import Interaction
from sayso.engine.engine import Engine
from tests.integration.test_engine import ask, running, until


class Order(TypedDict, total=False):
    request: str
    done: str


def ordering(ran: list[str]) -> Any:
    """A graph by hand, whose node acts by itself after its question: LangGraph alone would let two
    answers at once run it twice."""

    def place(state: Order) -> Order:
        where = interrupt("Where to?")
        ran.append(where)
        return {"done": f"sent to {where}"}

    builder = StateGraph(Order)
    builder.add_node("place", place)
    builder.add_edge(START, "place")
    return builder.compile(name="ordering")


async def the_question(engine: Engine, chat: str) -> Interaction:
    (it,) = await engine.store.interactions("default", InteractionFilter(chat_id=chat))
    return it


async def test_two_answers_at_once_run_the_graph_once(tmp_path: Path):
    ran: list[str] = []
    async with running(App(ordering(ran)), tmp_path) as engine:
        chat = await ask(engine)
        await until(engine, chat, "waiting")
        it = await the_question(engine, chat)
        outcomes = await asyncio.gather(
            *(
                engine.answer("default", it.id, {"additional_notes": place}, key=place, by=place)
                for place in ("Oslo", "Rome")
            ),
            return_exceptions=True,
        )
        await until(engine, chat, "completed")
    assert sum(isinstance(outcome, AlreadySettled) for outcome in outcomes) == 1
    assert len(ran) == 1


async def test_an_answer_after_the_end_changes_nothing(tmp_path: Path):
    ran: list[str] = []
    async with running(App(ordering(ran)), tmp_path) as engine:
        chat = await ask(engine)
        await until(engine, chat, "waiting")
        it = await the_question(engine, chat)
        body = {"additional_notes": "Oslo"}
        await engine.answer("default", it.id, body, key="k", by="ada")
        view = await until(engine, chat, "completed")
        assert "sent to Oslo" in view.messages[-1].content
        again = await engine.answer("default", it.id, body, key="k", by="ada")
        assert again.repeated
        with pytest.raises(AlreadySettled):
            await engine.answer(
                "default", it.id, {"additional_notes": "Rome"}, key="other", by="bob"
            )
    assert ran == ["Oslo"]
