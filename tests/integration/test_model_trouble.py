"""A model that is away: the run of a real framework, with its provider's real client, tries again
when it is due, fails after three tries, and goes on where a person says so."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from sayso import AgentContext, App, tool
from sayso.core.chat_view import ChatView
from sayso.core.errors import AlreadySettled, ModelUnavailable
from sayso.core.events import MessageStatus, ToolCalled
from sayso.engine.engine import Engine
from sayso.engine.runtime import EngineSettings
from tests.integration.model_server import Call, Fault, follows, model_server
from tests.integration.programs import GUARD_SECONDS, serving
from tests.integration.test_engine import ask, until
from tests.integration.world import World

DONE: list[str] = []


@tool
async def order_part(part: str) -> str:
    """Order a part."""
    DONE.append(part)
    return f"{part} is ordered"


def _adk(url: str) -> Any:
    from google.adk.agents import LlmAgent
    from google.adk.models.google_llm import Gemini

    model = Gemini(model="gemini-2.5-flash", base_url=url)
    return LlmAgent(name="clerk", model=model)


def _ag2(url: str) -> Any:
    from ag2 import Agent
    from ag2.config import OpenAIConfig

    config = OpenAIConfig(
        model="gpt-5-mini", api_key="none", base_url=f"{url}/v1", streaming=True, timeout=PATIENCE
    )
    return Agent("clerk", config=config)


def _agent_framework(url: str) -> Any:
    from agent_framework import Agent
    from agent_framework.openai import OpenAIChatCompletionClient
    from openai import AsyncOpenAI

    client = AsyncOpenAI(api_key="none", base_url=f"{url}/v1", timeout=PATIENCE)
    return Agent(OpenAIChatCompletionClient("gpt-5-mini", async_client=client), name="clerk")


def _autogen(url: str) -> Any:
    from autogen_agentchat.agents import AssistantAgent
    from autogen_ext.models.openai import OpenAIChatCompletionClient

    client = OpenAIChatCompletionClient(
        model="gpt-5-mini", api_key="none", base_url=f"{url}/v1", timeout=PATIENCE
    )
    return AssistantAgent("clerk", client, model_client_stream=True, max_tool_iterations=5)


def _autogen_team(url: str) -> Any:
    from autogen_agentchat.conditions import MaxMessageTermination
    from autogen_agentchat.teams import RoundRobinGroupChat

    return RoundRobinGroupChat(
        [_autogen(url)], name="clerk", termination_condition=MaxMessageTermination(2)
    )


def _langgraph(url: str) -> Any:
    from langchain.agents import create_agent
    from langchain_openai import ChatOpenAI

    make: Any = ChatOpenAI
    model = make(
        model="gpt-5-mini",
        api_key="none",
        base_url=f"{url}/v1",
        timeout=PATIENCE,
    )
    return create_agent(model, name="clerk")


def _pydantic_ai(url: str) -> Any:
    from openai import AsyncOpenAI
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    client = AsyncOpenAI(api_key="none", base_url=f"{url}/v1", timeout=PATIENCE)
    model = OpenAIChatModel("gpt-5-mini", provider=OpenAIProvider(openai_client=client))
    return Agent(model, name="clerk")


def _openai_agents(url: str) -> Any:
    from agents import Agent, OpenAIChatCompletionsModel
    from openai import AsyncOpenAI

    client = AsyncOpenAI(api_key="none", base_url=f"{url}/v1", timeout=PATIENCE)
    return Agent("clerk", model=OpenAIChatCompletionsModel("gpt-5-mini", client))


def _strands(url: str) -> Any:
    from strands import Agent
    from strands.models.openai import OpenAIModel

    given = {"api_key": "none", "base_url": f"{url}/v1", "timeout": PATIENCE}
    model = OpenAIModel(client_args=given, model_id="gpt-5-mini")
    # Its own tries at a model that is busy take two minutes.
    return Agent(model, name="clerk", retry_strategy=None, callback_handler=None)


def _function(url: str) -> Any:
    """A plain function that asks its model by itself, again from the start where it goes on."""
    from openai import AsyncOpenAI

    client = AsyncOpenAI(api_key="none", base_url=f"{url}/v1", timeout=PATIENCE)
    schema = {"type": "object", "properties": {"part": {"type": "string"}}}
    offered: Any = [{"type": "function", "function": {"name": "order_part", "parameters": schema}}]

    async def clerk(ctx: AgentContext, message: str) -> None:
        messages: list[Any] = [{"role": "user", "content": message}]
        while call := await reply(ctx, messages):
            messages.append({"role": "assistant", "tool_calls": [call]})
            given = await ctx.call("order_part", **json.loads(call["function"]["arguments"]))
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": given})

    async def reply(ctx: AgentContext, messages: list[Any]) -> dict[str, Any] | None:
        call = None
        stream: Any = await client.chat.completions.create(
            model="gpt-5-mini", messages=messages, tools=offered, stream=True
        )
        async for chunk in stream:
            delta = chunk.choices[0].delta
            await ctx.say(delta.content or "")
            if delta.tool_calls:
                call = delta.tool_calls[0].model_dump(exclude={"index"})
        return call

    return clerk


#: How long the clients of OpenAI wait for an answer.
PATIENCE = 1.0
CLERKS: dict[str, Callable[[str], Any]] = {
    "adk": _adk,
    "ag2": _ag2,
    "agent_framework": _agent_framework,
    "function": _function,
    "autogen": _autogen,
    "autogen team": _autogen_team,
    "langgraph": _langgraph,
    "openai_agents": _openai_agents,
    "pydantic_ai": _pydantic_ai,
    "strands": _strands,
}
NEEDS = {
    "adk": "google.adk",
    "autogen": "autogen_agentchat",
    "autogen team": "autogen_agentchat",
    "langgraph": "langchain_openai",
    "function": "openai",
    "openai_agents": "agents",
}
#: Each client of OpenAI asks three times by itself; ADK's asks once.
ASKS = {name: 1 if name == "adk" else 3 for name in CLERKS}
LIMITED = Fault(429, retry_after=0.01)


@pytest.fixture(params=CLERKS)
def clerk(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    DONE.clear()
    monkeypatch.setenv("GOOGLE_API_KEY", "none")
    name: str = request.param
    pytest.importorskip(NEEDS.get(name, name))
    return name


@asynccontextmanager
async def at_work(clerk: str, url: str, place: Path) -> AsyncIterator[Engine]:
    engine = App(CLERKS[clerk](url), tools=[order_part]).engine(place, EngineSettings())
    await engine.start()
    try:
        yield engine
    finally:
        await engine.stop()


def ordering(fault: Fault, times: int, *, after: int) -> tuple[Any, list[Fault | None]]:
    """A mind that orders a chain, and is away `times` times after so many good replies."""
    return follows(Call("order_part", {"part": "chain"})), [*[None] * after, *[fault] * times]


@pytest.mark.parametrize(
    ("fault", "after"),
    [(LIMITED, 0), (LIMITED, 1), (Fault(500, retry_after=0.01), 1)],
    ids=["429 at its first word", "429 after a call", "500"],
)
async def test_it_goes_on_where_the_model_is_back(
    clerk: str, fault: Fault, after: int, tmp_path: Path
):
    mind, faults = ordering(fault, ASKS[clerk] * 2, after=after)
    with model_server(mind, faults) as model:
        async with at_work(clerk, model.url, tmp_path) as engine:
            view = await until(engine, await ask(engine), "completed", "failed")
    assert view.run is not None
    assert view.run.status == "completed", view.run
    assert DONE == ["chain"]
    assert said_in(view).count("I see to it") == 1
    assert said_in(view).count("I was told") == 1
    assert len(view.tool_calls) == 1


@pytest.mark.parametrize("after", [0, 1], ids=["at its first word", "after a call"])
async def test_it_fails_after_three_tries_and_goes_on_where_a_person_says_so(
    clerk: str, after: int, tmp_path: Path
):
    if clerk == "function" and after:
        pytest.skip("it asks its model anew, which would answer")
    mind, faults = ordering(LIMITED, ASKS[clerk] * 4, after=after)
    with model_server(mind, faults) as model:
        async with at_work(clerk, model.url, tmp_path) as engine:
            chat = await ask(engine)
            view = await until(engine, chat, "completed", "failed")
            assert view.run is not None
            assert (view.run.error or {}).get("code") == "model_unavailable", view.run
            assert len(model.asked) == after + 4 * ASKS[clerk]
            payload = view.messages[-1].ui_tool["payload"]
            assert isinstance(payload, dict)
            assert payload["retry_run"] == view.run.run_id
            await engine.retry_run("default", view.run.run_id, by="ada")
            run_id = view.run.run_id
            view = await until(engine, chat, "completed")
            with pytest.raises(AlreadySettled):
                await engine.retry_run("default", run_id, by="ada")
    assert DONE == ["chain"]
    assert said_in(view).count("I see to it") == 1
    assert said_in(view).count("I was told") == 1
    tried = [message for message in view.messages if message.ui_tool]
    assert [each.ui_tool["ui_tool_status"] for each in tried] == ["superseded"]


async def test_a_time_out_is_such_trouble(clerk: str, tmp_path: Path):
    if clerk == "adk":
        pytest.skip("its client of Gemini waits for as long as it takes")
    mind, faults = ordering(Fault(0), ASKS[clerk], after=1)
    with model_server(mind, faults) as model:
        async with at_work(clerk, model.url, tmp_path) as engine:
            view = await until(engine, await ask(engine), "completed", "failed")
    assert view.run is not None
    assert view.run.status == "completed", view.run
    assert DONE == ["chain"]


async def test_a_reply_that_is_cut_off_is_marked_and_said_again(clerk: str, tmp_path: Path):
    mind, faults = ordering(Fault(200, pieces=2), 1, after=1)
    with model_server(mind, faults) as model:
        async with at_work(clerk, model.url, tmp_path) as engine:
            view = await until(engine, await ask(engine), "completed", "failed")
    assert view.run is not None
    assert view.run.status == "completed", view.run
    assert DONE == ["chain"]
    (broken,) = [m for m in view.messages if m.status is MessageStatus.INTERRUPTED]
    assert broken.content.startswith("I was")
    assert said_in(view).count("I was told: ") == 1


async def test_a_reply_that_ends_without_its_end_is_cut_off_as_well(clerk: str, tmp_path: Path):
    """The connection is closed in good order, and half a sentence is not the answer."""
    if clerk == "function":
        pytest.skip("it has no model of its own")
    mind, faults = ordering(Fault(200, pieces=2, in_good_order=True), 1, after=1)
    with model_server(mind, faults) as model:
        async with at_work(clerk, model.url, tmp_path) as engine:
            view = await until(engine, await ask(engine), "completed", "failed")
    assert view.run is not None
    assert view.run.status == "completed", view.run
    assert DONE == ["chain"]
    assert said_in(view).count("I was told: ") == 1


async def test_an_error_that_does_not_pass_fails_at_once(clerk: str, tmp_path: Path):
    mind, faults = ordering(Fault(400), 9, after=0)
    with model_server(mind, faults) as model:
        async with at_work(clerk, model.url, tmp_path) as engine:
            view = await until(engine, await ask(engine), "completed", "failed")
    assert view.run is not None
    assert (view.run.error or {}).get("code") == "agent_failed", view.run
    assert len(model.asked) == 1


async def test_it_is_cancelled_while_it_waits_for_its_model(tmp_path: Path):
    mind, faults = ordering(Fault(429, retry_after=200, at_once=True), 1, after=0)
    with model_server(mind, faults) as model:
        async with at_work("function", model.url, tmp_path) as engine:
            chat = await ask(engine)
            run = (await until(engine, chat, "ready", "failed")).run
            assert run is not None
            assert run.code == "run.trying_again"
            async with asyncio.timeout(GUARD_SECONDS):
                while engine.health["segments"]:  # noqa: ASYNC110  # nothing is held for it
                    await asyncio.sleep(0.005)
            await engine.cancel("default", reason="enough", by="ada", chat_id=chat)
        async with at_work("function", model.url, tmp_path) as engine:
            await until(engine, chat, "cancelled")
    assert len(model.asked) == 1


def test_a_kill_while_it_waits_for_its_model_loses_nothing(tmp_path: Path):
    """Another process goes on when the provider has had the time it wanted, and not before."""
    pytest.importorskip("pydantic_ai.models.openai")
    patience = 3.0
    target, data = "examples.pydantic_ai_agent:app", tmp_path / "data"
    mind = follows(Call("ask_decorator", {"task": "the words"}))
    with model_server(mind, [Fault(429, retry_after=patience, at_once=True)]) as model:
        settings = {
            "SAYSO_MODEL": "openai-chat:gpt-5-mini",
            "OPENAI_API_KEY": "none",
            "OPENAI_BASE_URL": f"{model.url}/v1",
        }
        with serving(data, target=target, settings=settings) as first:
            chat = first.post("/api/chats")["id"]
            first.post(f"/api/chats/{chat}/messages", {"content": "go", "client_message_id": "1"})
            view = first.until(chat, "ready", "failed")
            assert view["run"]["code"] == "run.trying_again"
            first.stop(signal.SIGKILL)
        with serving(data, target=target, settings=settings) as second:
            second.until(chat, "waiting")
        failed, *later = model.times
    assert later[0] - failed >= patience


def said_in(view: ChatView) -> str:
    """All that the agent said, each message on a line."""
    return "\n".join(m.content for m in view.messages if m.role == "assistant")


async def test_a_run_that_only_repeats_itself_gives_up(world: World):
    """What it shows before its model fails, from the same state as before, is no way forward."""
    chat_id = await world.chat()
    hold = await world.start(chat_id)
    for _ in range(4):
        called = ToolCalled(tool_call_id="t1", name="look", arguments={}, run_id=hold.run.id)
        await hold.show(called)
        fence = hold.run.fence
        await hold.fail(ModelUnavailable("away", retry_after=0))
        if fence < 4:
            hold = await world.puppet.hold(hold.run.id, fence)
    view = await world.until_run(chat_id, "failed")
    assert view["run"]["error"]["code"] == "model_unavailable"
