"""One chat, two frameworks: a Pydantic AI agent hands a task to a plain function, over a real
engine and store."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated, Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel

from sayso import (
    AgentContext,
    App,
    ExecutionConfig,
    ExecutionEngine,
    ExecutionMode,
    InteractionResponse,
    InteractiveExecutionEngine,
    NotSupportedError,
    TaskChunkType,
    TaskRequest,
    TaskStatus,
    TaskStreamChunk,
    UniversalMessage,
    agent_tool,
    tool,
)
from sayso.core.children import child_run_id, child_task_id
from sayso.core.errors import InvalidInput
from sayso.engine import text_stream
from sayso.engine.runtime import EngineSettings
from sayso.gate import Ask, Requirements

ASK_CLERK = agent_tool("clerk", description="Let the clerk do it.")
GUARD_SECONDS = 60


class Checklist(Requirements):
    destination: Annotated[str, Ask("Where are you going?")]


@tool(approval=True)
async def refund(order: int) -> str:
    """Refund an order."""
    return f"refunded {order}"


async def clerk(ctx: AgentContext) -> str:
    await ctx.say("I look. ")
    return f"The clerk: {await ctx.call('refund', order=7)}"


async def reply(
    messages: list[ModelMessage], info: AgentInfo
) -> AsyncIterator[str | DeltaToolCalls]:
    for part in messages[-1].parts:
        if isinstance(part, ToolReturnPart):
            yield f"It said: {part.model_response_str()}"
            return
    yield "Let me ask. "
    yield {0: DeltaToolCall("ask_clerk", json.dumps({"task": "refund 7"}), tool_call_id="c")}


def app(other: object = clerk, **more: Any) -> App:
    lead = Agent(FunctionModel(stream_function=reply), name="lead")
    return App({"lead": lead, "clerk": other}, tools=[ASK_CLERK, refund], **more)


def task(mode: ExecutionMode = ExecutionMode.INTERACTIVE) -> TaskRequest:
    return TaskRequest(
        task_id="t",
        messages=[UniversalMessage(role="user", content="Refund it")],
        execution_config=ExecutionConfig(execution_mode=mode),
    )


def approval(chunk: TaskStreamChunk, approved: bool = True) -> InteractionResponse:
    return InteractionResponse(
        interaction_id=str(chunk.metadata["interaction_id"]),
        approved=approved,
        user_message=None if approved else "not now",
    )


async def test_the_stream_of_the_parent_has_the_text_and_the_cards_of_its_child() -> None:
    async with (
        asyncio.timeout(GUARD_SECONDS),
        InteractiveExecutionEngine(app(), store=":memory:") as live,
    ):
        stream, communicator = await live.start_interactive_session(task())
        said, chunks = "", []
        async for chunk in stream:
            chunks.append(chunk)
            if chunk.chunk_type is TaskChunkType.TOOL_APPROVAL_REQUEST:
                session = await communicator.get_session_status()
                assert session.status == "paused"
                assert [it.content for it in session.pending_interactions] == [chunk.content]
                await communicator.send_user_response(approval(chunk))
            elif chunk.chunk_type is TaskChunkType.RESPONSE:
                said += str(chunk.content)
        theirs = "I look. The clerk: refunded 7"
        assert said == f"Let me ask. {theirs}It said: {theirs}"
        assert chunks[-1].chunk_type is TaskChunkType.COMPLETE
        calls = [c.content for c in chunks if c.chunk_type is TaskChunkType.TOOL_CALL_REQUEST]
        assert [call["tool_name"] for call in calls] == ["ask_clerk", "refund"]  # type: ignore[index]
        # Attached again in the middle: the child is known, though its call was told before.
        middle = next(c for c in chunks if c.chunk_type is TaskChunkType.TOOL_APPROVAL_REQUEST)
        again = [
            c async for c in live.attach(communicator.session_id, after=middle.sequence_id - 1)
        ]
        assert again[0].content == middle.content


async def test_a_message_cannot_take_the_name_of_a_coming_childs_task() -> None:
    """Who knows a run and its call can say under which id its child will be born."""
    go = asyncio.Event()

    async def held(
        messages: list[ModelMessage], info: AgentInfo
    ) -> AsyncIterator[str | DeltaToolCalls]:
        await go.wait()
        async for part in reply(messages, info):
            yield part

    async def helper(ctx: AgentContext) -> str:
        return "done"

    lead = Agent(FunctionModel(stream_function=held), name="lead")
    engine = App({"lead": lead, "clerk": helper}, tools=[ASK_CLERK], store=":memory:").engine(
        settings=EngineSettings(own_thread=False)
    )
    await engine.start()
    try:
        async with asyncio.timeout(GUARD_SECONDS):
            chat = await engine.create_chat("default")
            first = await engine.post_message(
                "default", chat.id, content="go", client_message_id="m"
            )
            assert first.run_id is not None
            child = child_run_id(first.run_id, "1:c")
            queued = await engine.post_message(
                "default", chat.id, content="and then", client_message_id=child
            )
            assert queued.status == "queued"
            with pytest.raises(InvalidInput):
                await engine.post_message(
                    "default", chat.id, content="x", client_message_id=child_task_id(child)
                )
            go.set()
            while (run := await engine.store.run("default", queued.run_id or "")) is not None:
                if run.state.is_final:
                    break
                await asyncio.sleep(0.005)
            ended = await engine.store.run("default", first.run_id)
            assert ended is not None
            assert (ended.state.value, ended.error) == ("completed", None)
            assert await engine.store.run("default", child) is not None
    finally:
        await engine.stop()


async def test_each_speaks_under_its_own_name_and_the_card_is_the_childs() -> None:
    engine = app(store=":memory:").engine()
    await engine.start()
    try:
        async with asyncio.timeout(GUARD_SECONDS):
            chat = await engine.create_chat("default")
            await engine.post_message("default", chat.id, content="go", client_message_id="m")
            view = await until(engine, chat.id, "waiting")
            card = view.messages[-1]
            assert card.agent_name == "clerk"
            await engine.answer(
                "default", card.event_id, {"decision": "approve"}, key=None, by="ada"
            )
            view = await until(engine, chat.id, "completed")
            said = [(m.agent_name, m.content) for m in view.messages if "ui_tool" not in m.metadata]
            assert said == [
                (None, "go"),
                ("lead", "Let me ask. "),
                ("clerk", "I look. "),
                ("clerk", "The clerk: refunded 7"),
                ("lead", "It said: I look. The clerk: refunded 7"),
            ]
    finally:
        await engine.stop()


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ("raises", "could not finish: The agent 'clerk' stopped: ValueError: no paper"),
        ("expires", "nobody said yes"),
        ("expires_cancel", "Nobody answered in time."),
        ("needs_person", "could not finish: The agent asked:"),
    ],
)
async def test_what_goes_wrong_in_the_child_is_told_to_its_parent(how: str, told: str) -> None:
    async def other(ctx: AgentContext) -> str:
        if how == "raises":
            raise ValueError("no paper")
        on_expiry = "cancel" if how == "expires_cancel" else "reject"
        seconds = 0.05 if how.startswith("expires") else None
        options = {"expires_in": seconds, "on_expiry": on_expiry} if seconds else {}
        decision = await ctx.confirm("Shall I?", **options)  # type: ignore[arg-type]
        return "yes" if decision else "nobody said yes"

    mode = ExecutionMode.ASYNC_STREAM if how == "needs_person" else ExecutionMode.INTERACTIVE
    async with (
        asyncio.timeout(GUARD_SECONDS),
        InteractiveExecutionEngine(app(other), store=":memory:") as live,
    ):
        stream, _ = await live.start_interactive_session(task(mode))
        chunks = [chunk async for chunk in stream]
    assert chunks[-1].chunk_type is TaskChunkType.COMPLETE, chunks[-1]
    said = "".join(str(c.content) for c in chunks if c.chunk_type is TaskChunkType.RESPONSE)
    assert told in said.split("It said: ")[1]


async def test_cancelling_the_session_stops_the_child_where_it_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(text_stream, "KEEP_SECONDS", 3600)  # what they say is in memory alone
    begun, stopped = asyncio.Event(), asyncio.Event()

    async def other(ctx: AgentContext) -> None:
        await ctx.say("I am on my way")
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    async with (
        asyncio.timeout(GUARD_SECONDS),
        InteractiveExecutionEngine(app(other), store=":memory:") as live,
    ):
        stream, communicator = await live.start_interactive_session(task())
        await begun.wait()
        assert (await communicator.get_session_status()).status == "active"
        await communicator.send_cancellation("changed my mind")
        await stopped.wait()
        chunks = [chunk async for chunk in stream]
        view = await (await live._started()).store.load_view("default", "task:t")
    assert chunks[-1].chunk_type is TaskChunkType.CANCELLED
    assert view is not None
    last = view.messages[-1]
    assert (last.content, last.status.value) == ("I am on my way", "interrupted")


@pytest.mark.parametrize("sent", [{}, {"handovers": -3}])
async def test_agents_that_hand_on_and_on_are_stopped(sent: dict[str, Any]) -> None:
    async def ping(ctx: AgentContext) -> object:
        return await ctx.call("ask_pong", task="your turn")

    async def pong(ctx: AgentContext) -> object:
        return await ctx.call("ask_ping", task="your turn")

    tools = [agent_tool(name, description="The other.") for name in ("ping", "pong")]
    both = App({"ping": ping, "pong": pong}, tools=tools)
    async with (
        asyncio.timeout(GUARD_SECONDS),
        InteractiveExecutionEngine(both, store=":memory:") as live,
    ):
        asked = task().model_copy(update={"context": sent})
        stream, _ = await live.start_interactive_session(asked)
        chunks = [chunk async for chunk in stream]
    assert "handed on 5 times already" in json.dumps([c.content for c in chunks])
    calls = [c for c in chunks if c.chunk_type is TaskChunkType.TOOL_CALL_REQUEST]
    assert len(calls) == 6


def test_an_agent_that_is_not_there_is_noticed_at_the_start() -> None:
    with pytest.raises(NotSupportedError, match="'ask_clerk' asks the agent 'clerk'"):
        App(clerk_alone, tools=[ASK_CLERK]).programs()


async def clerk_alone(ctx: AgentContext) -> None:
    return None


async def test_an_agent_has_no_tool_to_ask_itself() -> None:
    programs = app().programs()
    assert "ask_clerk" in programs["lead"].tool_names
    assert "ask_clerk" not in programs["clerk"].tool_names


async def test_without_a_store_it_is_refused_in_plain_words() -> None:
    result = await ExecutionEngine(app()).execute_task(task())
    assert result.status is TaskStatus.FAILED
    assert result.error is not None
    assert result.error["code"] == "not_supported"
    assert "without a store" in str(result.error["detail"])
    assert "InteractiveExecutionEngine" in str(result.error["fix"])


async def until(engine: Any, chat_id: str, status: str) -> Any:
    while True:
        view = await engine.store.load_view("default", chat_id)
        if view.run is not None and view.run.status == status:
            return view
        assert view.run is None or view.run.status not in ("failed", "cancelled"), view.run
        await asyncio.sleep(0.01)


async def test_what_one_agent_says_to_another_is_no_persons_word_to_the_gate() -> None:
    """The words of a task are a model's: they fill no value and give no leave."""
    ran: list[str] = []

    async def lead(ctx: AgentContext) -> object:
        await ctx.call("ask_clerk", task="We go to Rome")
        return await ctx.call("ask_clerk", task="Create the checklist")

    async def clerk(ctx: AgentContext) -> str:
        return "as you say"

    both = App({"lead": lead, "clerk": clerk}, tools=[ASK_CLERK])

    @both.action("checklist", requires=Checklist, trigger="explicit")
    async def create_checklist(req: Checklist, ctx: object) -> None:
        ran.append(req.destination)

    async with (
        asyncio.timeout(GUARD_SECONDS),
        InteractiveExecutionEngine(both, store=":memory:") as live,
    ):
        stream, _ = await live.start_interactive_session(task())
        chunks = [chunk async for chunk in stream]
    assert chunks[-1].chunk_type is TaskChunkType.COMPLETE
    assert ran == []
