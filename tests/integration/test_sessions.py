"""Sessions in one's own process: what came with a task is its own, and so are its questions."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pydantic import ValidationError

from sayso import (
    AgentContext,
    AIAssistant,
    ExecutionConfig,
    ExecutionContext,
    FrameworkAdapter,
    InteractionResponse,
    InteractiveCommunicator,
    InteractiveExecutionEngine,
    LiveSession,
    TaskChunkType,
    TaskRequest,
    TaskStreamChunk,
    UniversalMessage,
    tool,
)
from sayso.adapters.function import FunctionAdapter
from sayso.core.errors import MessageIdReused, NotSupportedError
from sayso.core.interactions import ResponseData
from sayso.engine import background
from sayso.engine.sessions import Communicator

Session = tuple[AsyncIterator[TaskStreamChunk], Communicator]


async def test_each_task_keeps_the_tools_that_came_with_it(tmp_path: Path):
    ran: list[str] = []

    def sender(of: str) -> object:
        @tool(approval=True)
        async def send() -> str:
            """Send it."""
            ran.append(of)
            return "sent"

        return send

    async def agent(ctx: AgentContext) -> None:
        await ctx.call("send")

    async def begin(
        live: InteractiveExecutionEngine, who: str, *tools: object, words: str = "go"
    ) -> Session:
        task = TaskRequest(
            task_id=who,
            messages=[UniversalMessage(role="user", content=words)],
            available_tools=list(tools),
        )
        return await live.start_interactive_session(task)

    async with InteractiveExecutionEngine(agent, store=tmp_path / "s.db") as live:
        ana, (bob, _), (eve, _) = (
            await begin(live, "ana", sender("ana")),
            await begin(live, "bob", sender("bob")),
            await begin(live, "eve"),
        )
        with pytest.raises(MessageIdReused):
            await begin(live, "ana", sender("mallory"), words="stop")
        async with asyncio.timeout(30):
            assert [chunk async for chunk in eve][-1].is_final
            async for chunk in bob:
                if chunk.chunk_type is TaskChunkType.TOOL_APPROVAL_REQUEST:
                    break
            async for chunk in ana[0]:
                if chunk.chunk_type is TaskChunkType.TOOL_APPROVAL_REQUEST:
                    card = str(chunk.metadata["interaction_id"])
                    yes = InteractionResponse(interaction_id=card, approved=True)
                    await ana[1].send_user_response(yes)
    assert ran == ["ana"]


async def test_a_session_is_answered_only_for_what_it_asked(tmp_path: Path):
    async def agent(ctx: AgentContext) -> None:
        await ctx.say(f"Hello {await ctx.ask('Your name?')}.")

    assistant = AIAssistant(agent, store=tmp_path / "s.db")
    words = [UniversalMessage(role="user", content="go")]
    stream, one = await assistant.start_interactive_session(
        TaskRequest(task_id="1", messages=words)
    )
    _, other = await assistant.start_interactive_session(TaskRequest(task_id="2", messages=words))
    said = ""
    async with asyncio.timeout(30):
        async for chunk in stream:
            if chunk.chunk_type is TaskChunkType.USER_INPUT_REQUEST:
                answer = InteractionResponse(
                    interaction_id=str(chunk.metadata["interaction_id"]),
                    approved=True,
                    response_data=ResponseData(additional_notes="Ana"),
                )
                take = assistant.process_interaction_response
                assert not await take("no-such-session", answer)
                assert not await take(other.session_id, answer)
                assert await take(one.session_id, answer)
            elif chunk.chunk_type is TaskChunkType.RESPONSE:
                said += str(chunk.content)
    assert said == "Hello Ana."
    await assistant.aclose()


async def test_who_joins_later_is_not_asked_what_was_answered(tmp_path: Path):
    """As the README's program does, run again once its letter was posted."""

    async def agent(ctx: AgentContext) -> None:
        await ctx.say(f"Hello {await ctx.ask('Your name?')}.")

    task = TaskRequest(task_id="t", messages=[UniversalMessage(role="user", content="hi")])
    asked: list[str] = []
    told: list[TaskStreamChunk] = []
    async with InteractiveExecutionEngine(agent, store=tmp_path / "s.db") as live:
        for _ in range(2):
            stream, communicator = await live.start_interactive_session(task)
            told = []
            async for chunk in stream:
                told.append(chunk)
                if chunk.chunk_type is TaskChunkType.USER_INPUT_REQUEST:
                    asked.append(str(chunk.metadata["interaction_id"]))
                    answer = InteractionResponse(
                        interaction_id=asked[-1],
                        approved=True,
                        response_data=ResponseData(additional_notes="Ana"),
                    )
                    await communicator.send_user_response(answer)
    assert len(asked) == 1
    assert [c.chunk_type for c in told if c.metadata.get("interaction_id") == asked[0]] == [
        TaskChunkType.PROCESSING
    ]
    assert told[-1].chunk_type is TaskChunkType.COMPLETE


async def test_a_session_is_attached_to_again_where_it_was_left(tmp_path: Path):
    async def agent(ctx: AgentContext) -> None:
        await ctx.say("Hello. ")
        name = await ctx.ask("Your name?")
        await ctx.say(f"Hello {name}.")

    task = TaskRequest(task_id="t", messages=[UniversalMessage(role="user", content="hi")])
    async with InteractiveExecutionEngine(agent, store=tmp_path / "s.db") as live:
        stream, communicator = await live.start_interactive_session(task)
        seen = []
        async for chunk in stream:
            seen.append(chunk)
            if chunk.chunk_type is TaskChunkType.USER_INPUT_REQUEST:
                break
        session = await communicator.get_session_status()
        assert session.status in ("active", "paused")
    async with InteractiveExecutionEngine(agent, store=tmp_path / "s.db") as live:
        posted = await (await live._started()).post_message(
            "default", "task:t", content="Ana", client_message_id="answer", by="ana"
        )
        assert posted.status == "answered"
        rest = [c async for c in live.attach(session.session_id, after=seen[-1].sequence_id)]
        assert "".join(str(c.content) for c in rest if c.chunk_type is TaskChunkType.RESPONSE) == (
            "Hello Ana."
        )
        assert rest[-1].chunk_type is TaskChunkType.COMPLETE
        communicator = await live.communicator(session.session_id)
        assert (await communicator.get_session_status()).status == "completed"


async def test_a_session_is_followed_to_its_end_in_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Two engines on one file, as two processes have them: neither is told what the other does."""
    monkeypatch.setattr(background, "LOOK_ELSEWHERE_SECONDS", 0.01)

    async def agent(ctx: AgentContext) -> None:
        await ctx.say(f"Hello {await ctx.ask('Your name?')}.")

    task = TaskRequest(task_id="t", messages=[UniversalMessage(role="user", content="hi")])
    async with (
        InteractiveExecutionEngine(agent, store=tmp_path / "s.db") as here,
        InteractiveExecutionEngine(agent, store=tmp_path / "s.db") as there,
    ):
        _, communicator = await here.start_interactive_session(task)
        elsewhere = there.attach(communicator.session_id)
        async for chunk in elsewhere:
            if chunk.chunk_type is TaskChunkType.USER_INPUT_REQUEST:
                said = ResponseData(additional_notes="Ana")
                asked = str(chunk.metadata["interaction_id"])
                await communicator.send_user_response(
                    InteractionResponse(interaction_id=asked, approved=True, response_data=said)
                )
        assert chunk.chunk_type is TaskChunkType.COMPLETE


async def test_the_sessions_that_have_not_ended_are_listed(tmp_path: Path):
    async def agent(ctx: AgentContext) -> None:
        await ctx.ask("Your name?")

    def task(task_id: str) -> TaskRequest:
        words = [UniversalMessage(role="user", content="go")]
        return TaskRequest(task_id=task_id, messages=words)

    async with InteractiveExecutionEngine(agent, store=tmp_path / "s.db") as live:
        assert await live.sessions() == []
        first, _ = await live.start_interactive_session(task("1"))
        await _asked(first)
        second, communicator = await live.start_interactive_session(task("2"))
        await _asked(second)
        await communicator.send_cancellation()
    async with InteractiveExecutionEngine(agent, store=tmp_path / "s.db") as elsewhere:
        (session,) = await elsewhere.sessions()
        assert (session.task_id, session.status) == ("1", "paused")
        (asked,) = session.pending_interactions
        assert isinstance(asked.content, dict)
        assert asked.content["question"] == "Your name?"
        assert await elsewhere.sessions(app_id="acme") == []


async def test_a_chat_that_the_caller_names_need_not_be_there(tmp_path: Path):
    async def agent(ctx: AgentContext) -> None:
        await ctx.say(ctx.message)

    async def chunks(live: InteractiveExecutionEngine, words: str) -> list[TaskStreamChunk]:
        said = [UniversalMessage(role="user", content=words)]
        stream, _ = await live.start_interactive_session(
            TaskRequest(task_id=words, messages=said), ExecutionContext(chat_id="mine")
        )
        async with asyncio.timeout(30):
            return [chunk async for chunk in stream]

    async with InteractiveExecutionEngine(agent, store=tmp_path / "s.db") as live:
        assert (await chunks(live, "first"))[-1].is_final
        assert (await chunks(live, "second"))[0].sequence_id > 0
        again = (await chunks(live, "second"))[0]
        assert again.chunk_type is TaskChunkType.PROCESSING
        assert isinstance(again.content, dict)
        assert again.content["joined"] is True, "the task was carried out before, and is told"


async def test_an_engine_works_in_one_event_loop_and_says_so_in_another():
    async def agent(ctx: AgentContext) -> None: ...

    async with InteractiveExecutionEngine(agent, store=":memory:") as live:
        with pytest.raises(NotSupportedError, match="another event loop"):
            await asyncio.to_thread(lambda: asyncio.run(live.sessions()))
        assert await live.sessions() == []


def test_seed_5s_values_are_made_as_the_seed_makes_them():
    session = LiveSession(session_id="s", task_id="t", status="active")
    assert session.pending_interactions == []
    assert session.created_at.tzinfo is not None
    chunk = TaskStreamChunk("t", TaskChunkType.RESPONSE, 1, "words")
    assert (chunk.content, chunk.is_final) == ("words", False)
    with pytest.raises(ValidationError):
        ExecutionConfig.model_validate({"model": "some-model"})
    adapter: FrameworkAdapter = FunctionAdapter()
    assert adapter.name == "function"
    communicator: type[InteractiveCommunicator] = Communicator
    assert communicator is Communicator


async def _asked(stream: AsyncIterator[TaskStreamChunk]) -> None:
    async with asyncio.timeout(30):
        async for chunk in stream:
            if chunk.chunk_type is TaskChunkType.USER_INPUT_REQUEST:
                return
