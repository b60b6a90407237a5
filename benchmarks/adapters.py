"""What Sayso adds to a framework: processor time for a streamed token and for a tool call, beside
the bare framework with the same scripted model, in turn within one run.

"Segment" is the adapter and the toolbox with nothing kept; "engine" is a whole session over a store
in memory, read as a stream of chunks. One adapter by name: `python -m benchmarks.adapters adk`.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import structlog

from benchmarks.work import pin_client, table
from sayso import (
    App,
    InteractiveExecutionEngine,
    TaskChunkType,
    TaskRequest,
    UniversalMessage,
    tool,
)
from sayso.adapters.program import AgentProgram
from sayso.core.segments import Completed
from sayso.testing.contract.script import Script, Turn
from sayso.testing.recorder import MemoryRun

TOKENS, CALLS, REPETITIONS = 1000, 20, 5


async def peek() -> str:
    """Look at something."""
    return "seen"


PEEK = tool(read_only=True)(peek)
TALK: Script = [Turn("word " * TOKENS)]
CALL: Script = [Turn("", [("peek", {})]) for _ in range(CALLS)]

Bare = Callable[[Any], Awaitable[None]]
#: A chat of an agent, bare, with the framework's own memory: each call is one turn more.
Chat = Callable[[Any], Callable[[], Awaitable[None]]]


@dataclass(frozen=True, slots=True)
class Framework:
    """How an agent that plays a script is made, with the tool as its own or without, and how it is
    run bare."""

    agent: Callable[[Script, bool], Any]
    bare: Bare
    chat: Chat


def _adk() -> Framework:
    from google.adk.agents.run_config import RunConfig, StreamingMode
    from google.adk.runners import InMemoryRunner
    from google.genai import types

    from tests.contract.adk_builder import scripted_agent

    async def bare(agent: Any) -> None:
        runner = InMemoryRunner(agent=agent, app_name="bench")
        session = await runner.session_service.create_session(app_name="bench", user_id="u")
        async for _ in runner.run_async(
            user_id="u",
            session_id=session.id,
            new_message=types.Content(role="user", parts=[types.Part(text="go")]),
            run_config=RunConfig(streaming_mode=StreamingMode.SSE),
        ):
            pass

    def chat(agent: Any) -> Callable[[], Awaitable[None]]:
        runner, known = InMemoryRunner(agent=agent, app_name="bench"), list[Any]()

        async def turn() -> None:
            service = runner.session_service
            if not known:
                known.append(await service.create_session(app_name="bench", user_id="u"))
            async for _ in runner.run_async(
                user_id="u",
                session_id=known[0].id,
                new_message=types.Content(role="user", parts=[types.Part(text="go")]),
                run_config=RunConfig(streaming_mode=StreamingMode.SSE),
            ):
                pass

        return turn

    def make(script: Script, own: bool) -> Any:
        return scripted_agent(script, tools=[peek] if own else [])

    return Framework(make, bare, chat)


def _ag2() -> Framework:
    from ag2 import Agent
    from ag2 import tool as own_tool

    from tests.contract.ag2_builder import ScriptedClient, ScriptedConfig

    async def bare(agent: Any) -> None:
        await agent.ask("go")

    def make(script: Script, own: bool) -> Any:
        config = ScriptedConfig(ScriptedClient(script))
        return Agent("agent", config=config, tools=[own_tool(peek)] if own else [])

    def chat(agent: Any) -> Callable[[], Awaitable[None]]:
        replies: list[Any] = []

        async def turn() -> None:
            replies[:] = [await (replies[0] if replies else agent).ask("go")]

        return turn

    return Framework(make, bare, chat)


def _autogen() -> Framework:
    from autogen_agentchat.agents import AssistantAgent

    from tests.contract.autogen_builder import ScriptedClient

    async def bare(agent: Any) -> None:
        async for _ in agent.run_stream(task="go"):
            pass

    def make(script: Script, own: bool) -> Any:
        return AssistantAgent(
            "agent",
            ScriptedClient(script),
            tools=[peek] if own else [],
            model_client_stream=True,
            max_tool_iterations=CALLS + 1,
        )

    return Framework(make, bare, lambda agent: lambda: bare(agent))


def _langgraph() -> Framework:
    from langchain.agents import create_agent
    from langchain_core.tools import StructuredTool
    from langgraph.checkpoint.memory import InMemorySaver

    from tests.contract.langgraph_builder import ScriptedModel

    async def bare(graph: Any) -> None:
        said = {"messages": [("user", "go")]}
        config = {"recursion_limit": 10 * CALLS}
        async for _ in graph.astream(said, config, stream_mode="messages"):
            pass

    def make(script: Script, own: bool) -> Any:
        tools = [StructuredTool.from_function(coroutine=peek)] if own else []
        return create_agent(ScriptedModel(script=script), tools=tools, name="agent")

    def chat(graph: Any) -> Callable[[], Awaitable[None]]:
        kept = graph.copy({"checkpointer": InMemorySaver()})

        async def turn() -> None:
            said = {"messages": [("user", "go")]}
            config = {"configurable": {"thread_id": "t"}}
            async for _ in kept.astream(said, config, stream_mode="messages"):
                pass

        return turn

    return Framework(make, bare, chat)


def _pydantic_ai() -> Framework:
    from pydantic_ai import AgentRunResultEvent

    from tests.contract.pydantic_ai_builder import scripted_agent

    async def bare(agent: Any) -> None:
        async with agent.run_stream_events("go") as events:
            async for _ in events:
                pass

    def make(script: Script, own: bool) -> Any:
        agent = scripted_agent(script)
        if own:
            agent.tool_plain(peek)
        return agent

    def chat(agent: Any) -> Callable[[], Awaitable[None]]:
        history: list[Any] = []

        async def turn() -> None:
            async with agent.run_stream_events("go", message_history=history) as events:
                async for event in events:
                    if isinstance(event, AgentRunResultEvent):
                        history[:] = event.result.all_messages()

        return turn

    return Framework(make, bare, chat)


def _openai_agents() -> Framework:
    from agents import RunConfig, Runner, function_tool

    from tests.contract.openai_agents_builder import scripted

    quiet = RunConfig(tracing_disabled=True)

    async def run(agent: Any, given: Any) -> list[Any]:
        result = Runner.run_streamed(agent, given, run_config=quiet, max_turns=CALLS + 2)
        async for _ in result.stream_events():
            pass
        return list(result.to_input_list())

    async def bare(agent: Any) -> None:
        await run(agent, "go")

    def chat(agent: Any) -> Callable[[], Awaitable[None]]:
        items: list[Any] = []

        async def turn() -> None:
            items[:] = await run(agent, [*items, {"role": "user", "content": "go"}])

        return turn

    def make(script: Script, own: bool) -> Any:
        return scripted("agent", script, *([function_tool(peek)] if own else []))

    return Framework(make, bare, chat)


def _agent_framework() -> Framework:
    from agent_framework import FunctionTool

    from tests.contract import agent_framework_builder
    from tests.contract.agent_framework_builder import scripted

    _allow_repeated_ids(agent_framework_builder)

    async def bare(agent: Any) -> None:
        async for _ in agent.run("go", stream=True):
            pass

    def chat(agent: Any) -> Callable[[], Awaitable[None]]:
        session = agent.create_session()

        async def turn() -> None:
            async for _ in agent.run("go", stream=True, session=session):
                pass

        return turn

    def make(script: Script, own: bool) -> Any:
        tools = [FunctionTool(name="peek", func=peek)] if own else []
        return scripted("agent", script, *tools)

    return Framework(make, bare, chat)


def _strands() -> Framework:
    from strands import tool as own_tool

    from tests.contract import strands_builder
    from tests.contract.strands_builder import scripted

    _allow_repeated_ids(strands_builder)

    async def bare(agent: Any) -> None:
        async for _ in agent.stream_async("go"):
            pass

    def make(script: Script, own: bool) -> Any:
        return scripted("agent", script, *([own_tool(peek)] if own else []))

    return Framework(make, bare, lambda agent: lambda: bare(agent))


def _allow_repeated_ids(builder: Any) -> None:
    """The scripted models give the same ids in each reply, which a bare framework keeps."""
    builder._no_call_dangles = lambda messages: None


FRAMEWORKS: dict[str, Callable[[], Framework]] = {
    "adk": _adk,
    "ag2": _ag2,
    "agent_framework": _agent_framework,
    "autogen": _autogen,
    "langgraph": _langgraph,
    "openai_agents": _openai_agents,
    "pydantic_ai": _pydantic_ai,
    "strands": _strands,
}


def main() -> None:
    wanted = [name for name in sys.argv[1:] if name in FRAMEWORKS] or list(FRAMEWORKS)
    logging.disable(logging.WARNING)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    pin_client()
    for name in wanted:
        asyncio.run(_measure(name))


async def _measure(name: str) -> None:
    framework = FRAMEWORKS[name]()
    rows: list[tuple[str, str]] = []
    for what, script, count in (("token", TALK, TOKENS), ("tool call", CALL, CALLS)):
        ways = _ways(framework, script)
        took: dict[str, list[float]] = {way: [] for way in ways}
        for repetition in range(REPETITIONS + 1):
            for way, run in ways.items():
                gc.collect()
                before = time.process_time()
                await run()
                if repetition:  # the first one warms up
                    took[way].append((time.process_time() - before) / count * 1e6)
        bare = statistics.median(took["bare"])
        for way, values in took.items():
            ratio = statistics.median(values) / bare
            rows.append(
                (f"{way}, us per {what}", f"{statistics.median(values):8.0f}   {ratio:5.2f} x bare")
            )
    table(f"{name}, median of {REPETITIONS}", rows)


def _ways(framework: Framework, script: Script) -> dict[str, Callable[[], Awaitable[None]]]:
    async def bare() -> None:
        await framework.bare(framework.agent(script, True))

    async def segment() -> None:
        program = AgentProgram(framework.agent(script, False), tools=[PEEK])
        end = await MemoryRun().go(program)
        assert isinstance(end, Completed), end

    async def engine() -> None:
        app = App(framework.agent(script, False), tools=[PEEK])
        task = TaskRequest(task_id="t", messages=[UniversalMessage(role="user", content="go")])
        async with InteractiveExecutionEngine(app, store=":memory:") as live:
            stream, _ = await live.start_interactive_session(task)
            chunks = [chunk async for chunk in stream]
            assert chunks[-1].chunk_type is TaskChunkType.COMPLETE, chunks[-1]

    return {"bare": bare, "segment": segment, "engine": engine}


if __name__ == "__main__":
    main()
