"""The toolbox under the real engine and store: cards, edits, artifacts, one run end to end."""

from __future__ import annotations

from pathlib import Path

from sayso import (
    AgentContext,
    InteractionResponse,
    InteractiveExecutionEngine,
    TaskChunkType,
    TaskRequest,
    ToolContext,
    UniversalMessage,
    tool,
)
from sayso.app import App, open_store
from sayso.core.interactions import ResponseData
from sayso.embedded import ExecutionEngine


async def test_one_run_from_end_to_end(tmp_path: Path) -> None:
    ran: list[tuple[int, float]] = []

    @tool(approval=True)
    async def refund(ctx: ToolContext, order: int, amount: float) -> str:
        where = await ctx.ask("Which account?")
        ran.append((order, amount))
        return f"{amount} to {where}"

    async def agent(ctx: AgentContext) -> None:
        await ctx.say("Let me see. ")
        await ctx.show(title="Draft", content="one", artifact_id="draft")
        said = await ctx.gather(
            ctx.call(refund, order=1, amount=10.0), ctx.call(refund, order=2, amount=20.0)
        )
        await ctx.show(title="Draft", content="two", artifact_id="draft")
        await ctx.say(f"{said}")

    app = App(agent, tools=[refund])
    store = open_store(tmp_path / "chats.db")
    texts: list[str] = []
    async with InteractiveExecutionEngine(ExecutionEngine(app), store=store) as live:
        task = TaskRequest(task_id="t", messages=[UniversalMessage(role="user", content="go")])
        stream, communicator = await live.start_interactive_session(task)
        kinds: list[TaskChunkType] = []
        async for chunk in stream:
            asked = str(chunk.metadata.get("interaction_id"))
            match chunk.chunk_type:
                case TaskChunkType.RESPONSE:
                    texts.append(str(chunk.content))
                case TaskChunkType.TOOL_APPROVAL_REQUEST:
                    edits = ResponseData(edits={"amount": 5.0})
                    await communicator.send_user_response(
                        InteractionResponse(
                            interaction_id=asked, approved=True, response_data=edits
                        )
                    )
                case TaskChunkType.USER_INPUT_REQUEST:
                    words = ResponseData(additional_notes="savings")
                    await communicator.send_user_response(
                        InteractionResponse(
                            interaction_id=asked, approved=True, response_data=words
                        )
                    )
                case other:
                    kinds.append(other)
        assert kinds[-1] is TaskChunkType.COMPLETE
        artifact = await store.artifact("default", "draft")
    assert artifact is not None
    assert (artifact.version, artifact.content) == (2, "two")
    assert sorted(ran) == [(1, 5.0), (2, 5.0)]
    assert "".join(texts) == "Let me see. ['5.0 to savings', '5.0 to savings']"
