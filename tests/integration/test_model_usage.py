"""What a run's models were asked for, and what they thought: as each framework's real client tells
it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sayso import App
from sayso.core.events import ReasoningShown
from sayso.engine.engine import Engine
from sayso.engine.runtime import EngineSettings
from sayso.tools.segment_env import LONGEST_REASONING
from tests.integration.model_server import (
    INPUT_TOKENS,
    OUTPUT_TOKENS,
    Asked,
    Call,
    Mind,
    Reply,
    follows,
    model_server,
)
from tests.integration.test_engine import ask, until
from tests.integration.test_model_trouble import CLERKS, clerk, order_part

__all__ = ["clerk"]

ORDERS = follows(Call("order_part", {"part": "chain"}))
#: A plain function asks its model by itself, and nobody sees what that took. LangChain's client of
#: OpenAI has no thoughts in chat completions, nor have AG2's and Microsoft's.
UNSEEN, WITHOUT_THOUGHTS = ("function",), ("function", "langgraph", "ag2", "agent_framework")


def thinking(thought: str) -> Mind:
    def reply(asked: Asked) -> Reply:
        return replace(ORDERS(asked), thought=thought)

    return reply


async def thoughts(engine: Engine, chat_id: str) -> list[ReasoningShown]:
    frames = await engine.store.events_after("default", chat_id, 0)
    found = [getattr(frame.body, "data", None) for frame in frames]
    return [data for data in found if isinstance(data, ReasoningShown)]


async def test_usage_stands_on_the_end_of_a_run(clerk: str, tmp_path: Path):
    if clerk in UNSEEN:
        pytest.skip("a plain function asks its model by itself")
    with model_server(ORDERS) as model:
        engine = App(CLERKS[clerk](model.url), tools=[order_part]).engine(
            tmp_path, EngineSettings()
        )
        await engine.start()
        try:
            view = await until(engine, await ask(engine), "completed", "failed")
            assert view.run is not None
            run = await engine.store.run("default", view.run.run_id)
            assert await thoughts(engine, view.id) == []
        finally:
            await engine.stop()
    assert view.run.usage is not None, view.run
    assert view.run.usage.model_calls == 2
    assert view.run.usage.input_tokens == 2 * INPUT_TOKENS
    assert view.run.usage.output_tokens == 2 * OUTPUT_TOKENS
    assert run is not None
    assert [call.input_tokens for call in run.model_calls] == [INPUT_TOKENS] * 2


async def test_what_a_model_thinks_is_shown_where_the_application_wants_it(
    clerk: str,
    tmp_path: Path,
):
    if clerk in WITHOUT_THOUGHTS:
        pytest.skip("this client has no thoughts")
    with model_server(thinking("hm " * LONGEST_REASONING)) as model:
        app = App(CLERKS[clerk](model.url), tools=[order_part], shows_reasoning=True)
        engine = app.engine(tmp_path, EngineSettings())
        await engine.start()
        try:
            view = await until(engine, await ask(engine), "completed", "failed")
            shown = await thoughts(engine, view.id)
        finally:
            await engine.stop()
    assert view.run is not None
    assert view.run.status == "completed", view.run
    # AutoGen keeps no thoughts beside a call.
    assert len(shown) == (1 if clerk.startswith("autogen") else 2)
    assert {len(each.text) for each in shown} == {LONGEST_REASONING}
    assert all(each.characters > LONGEST_REASONING for each in shown)
    assert "hm hm" not in "".join(m.content for m in view.messages)
