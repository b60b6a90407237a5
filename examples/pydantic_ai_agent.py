"""A bakery in two frameworks: a baker of Pydantic AI takes the order, and hands the writing on the
cake to a plain function, which asks the customer.

`charge` is the baker's own tool. It knows nothing of Sayso; the policy asks a person before it
runs, and its till comes as Pydantic AI's deps.

    pip install '.[pydantic-ai]'
    python examples/pydantic_ai_agent.py "a cake for Mara"

A scripted model plays the baker without any key. With a model of your own:

    SAYSO_MODEL=openai:gpt-5-mini OPENAI_API_KEY=… python examples/pydantic_ai_agent.py

In a browser: `sayso serve pydantic_ai_agent:app`, started in this folder.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass

from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import ModelMessage, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel

from sayso import (
    AgentContext,
    App,
    InteractionResponse,
    InteractiveExecutionEngine,
    Rule,
    TaskChunkType,
    TaskRequest,
    TaskStreamChunk,
    UniversalMessage,
    Verdict,
    agent_tool,
)


@dataclass
class Till:
    currency: str


async def decorator(ctx: AgentContext) -> str:
    """The other agent: it only knows its task, and asks whoever orders."""
    words = await ctx.ask("What shall be written on the cake?")
    return f'The cake will say "{words}".'


async def scripted(
    messages: list[ModelMessage], info: AgentInfo
) -> AsyncIterator[str | DeltaToolCalls]:
    """Stands in for a real model: its reply is a function of the conversation alone."""
    found: list[object] = [
        p.content for m in messages for p in m.parts if isinstance(p, ToolReturnPart)
    ]
    if not found:
        yield "A cake, with pleasure. "
        yield {0: DeltaToolCall("ask_decorator", json.dumps({"task": "the words on the cake"}))}
    elif len(found) == 1:
        yield {0: DeltaToolCall("charge", json.dumps({"amount": 24}))}
    elif isinstance(found[1], dict):  # Sayso tells why there is no result
        yield f"No cake, then. The reason: {found[1]['reason']}."
    else:
        yield f"{found[0]} {found[1]}"


baker: Agent[Till, str] = Agent(
    os.environ.get("SAYSO_MODEL") or FunctionModel(stream_function=scripted),
    name="baker",
    deps_type=Till,
    instructions="Take an order for a cake: ask the decorator for the words, then charge 24.",
)


@baker.tool
def charge(ctx: RunContext[Till], amount: int) -> str:
    """Charge the customer's card."""
    return f"{amount} {ctx.deps.currency} were charged."


app = App(
    {"baker": baker, "decorator": decorator},
    tools=[agent_tool("decorator", description="Let the decorator find the words on the cake.")],
    policies=[Rule(tool="charge", then=Verdict.ASK)],
    deps=Till("euros"),
)


async def main(words: str) -> None:
    said = UniversalMessage(role="user", content=words)
    async with InteractiveExecutionEngine(app, store=":memory:") as live:
        stream, person = await live.start_interactive_session(
            TaskRequest(task_id="cake", messages=[said])
        )
        async for chunk in stream:
            if chunk.chunk_type is TaskChunkType.RESPONSE:
                print(chunk.content, end="", flush=True)
            elif "interaction_id" in chunk.metadata:
                await person.send_user_response(await asyncio.to_thread(answer, chunk))
    print()


def answer(chunk: TaskStreamChunk) -> InteractionResponse:
    assert isinstance(chunk.content, dict)
    about = str(chunk.metadata["interaction_id"])
    if chunk.chunk_type is TaskChunkType.USER_INPUT_REQUEST:
        words = input(f"\n  {chunk.content['question']} ")
        told = {"additional_notes": words}
        return InteractionResponse.model_validate(
            {"interaction_id": about, "approved": True, "response_data": told}
        )
    print(f"\n  {chunk.content['tool_name']} {chunk.content['tool_params']}")
    said_yes = input("  Go on? (y/n) ").strip() == "y"
    why = None if said_yes else input("  Reason for rejecting: ").strip()
    return InteractionResponse(interaction_id=about, approved=said_yes, user_message=why)


if __name__ == "__main__":
    asyncio.run(main(" ".join(sys.argv[1:]) or "a cake for Mara"))
