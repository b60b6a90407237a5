"""An agent of AG2 that keeps a greenhouse: it reads the beds, asks which one, and waters.

Both tools are AG2's own, and so is the way they ask: `ctx.input()` puts a question and
`approval_required()` gates the tap. Behind Sayso each becomes a card that waits as long as it
takes, and a person may change the litres before the tap is opened.

    pip install '.[ag2]'
    python examples/ag2_agent.py "look after the beds"

A scripted model plays it without any key. With a model of your own (`pip install 'ag2[openai]'`):

    SAYSO_MODEL=gpt-5-mini OPENAI_API_KEY=… python examples/ag2_agent.py

In a browser: `sayso serve ag2_agent:app`, started in this folder.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from ag2 import Agent, Context, tool
from ag2.config import LLMClient, ModelConfig, ModelProvider
from ag2.events import (
    BaseEvent,
    ModelMessage,
    ModelMessageChunk,
    ModelResponse,
    TextInput,
    ToolCallEvent,
    ToolCallsEvent,
    ToolResultsEvent,
)
from ag2.middleware import approval_required

from sayso import (
    App,
    ExecutionEngine,
    InteractionRequest,
    InteractionResponse,
    InteractionType,
    ResponseData,
    TaskRequest,
    UniversalMessage,
)

MOISTURE = {"tomatoes": "11 %", "basil": "14 %", "figs": "38 %"}


@tool
async def dry_bed(ctx: Context) -> str:
    """The bed to water: where more than one is dry, the gardener chooses."""
    return await ctx.input("Tomatoes (11 %) and basil (14 %) are dry. Which one first?")


@tool(middleware=[approval_required()])
def water(bed: str, litres: int) -> str:
    """Open the tap over a bed."""
    return f"{bed} had {litres} litres."


class ScriptedModel(LLMClient):
    """Stands in for a real model: its reply is a function of the conversation alone."""

    async def __call__(
        self, messages: Sequence[BaseEvent], context: Context, **options: Any
    ) -> ModelResponse:
        last = messages[-1]
        if not isinstance(last, ToolResultsEvent):
            return await self._say(context, "Let me see. ", ToolCallEvent("dry_bed"))
        (result,) = last.results
        (part,) = result.result.parts
        found = part.content if isinstance(part, TextInput) else _words(getattr(part, "data", {}))
        if result.name == "dry_bed":
            asked = json.dumps({"bed": found, "litres": 8})
            return await self._say(context, "", ToolCallEvent("water", arguments=asked))
        return await self._say(context, found)

    async def _say(self, context: Context, words: str, *calls: ToolCallEvent) -> ModelResponse:
        for word in words.split(" "):
            await context.send(ModelMessageChunk(f"{word} " if word else ""))
        message = ModelMessage(words) if words else None
        return ModelResponse(message, tool_calls=ToolCallsEvent(list(calls)))


def _words(told: dict[str, Any]) -> str:
    """What Sayso tells a model beside a result, or instead of one."""
    if told.get("status") == "rejected":
        return f"The tap stays closed: {told['reason']}"
    return f"{told['result']} {told['note']}"


class Scripted(ModelConfig):
    provider = ModelProvider.OPENAI  # every configuration names one; nothing here reads it
    model = "scripted"

    def copy(self) -> Scripted:
        return self

    def create(self) -> LLMClient:
        return ScriptedModel()

    def create_files_client(self) -> Any:
        raise NotImplementedError


def config() -> ModelConfig:
    chosen = os.environ.get("SAYSO_MODEL")
    if not chosen:
        return Scripted()
    from ag2.config import OpenAIConfig

    return OpenAIConfig(chosen, streaming=True)


agent: Agent[Any] = Agent(
    "greenhouse",
    prompt="You keep a greenhouse. Ask for the dry bed, then water it with about eight litres.",
    config=config(),
    tools=[dry_bed, water],
)
app = App(agent)


async def main(words: str) -> None:
    engine = ExecutionEngine(app)
    task = TaskRequest(task_id="beds", messages=[UniversalMessage(role="user", content=words)])
    result = await engine.execute_task(task)
    while result.interactions:
        answers = [answer(it) for it in result.interactions]
        result = await engine.execute_task(task, resume=(result.state or b"", answers))
    print(result.output or result.error)


def answer(it: InteractionRequest) -> InteractionResponse:
    assert isinstance(it.content, dict)
    if it.interaction_type is not InteractionType.TOOL_APPROVAL:
        told = ResponseData(additional_notes=input(f"\n  {it.content['question']} ").strip())
        return InteractionResponse(
            interaction_id=it.interaction_id, approved=True, response_data=told
        )
    print(f"\n  {it.content['tool_name']} {it.content['tool_params']}")
    litres = input("  How many litres? (0: none) ").strip()
    return InteractionResponse(
        interaction_id=it.interaction_id,
        approved=litres != "0",
        response_data=ResponseData(edits={"litres": int(litres)} if litres != "0" else {}),
    )


if __name__ == "__main__":
    asyncio.run(main(" ".join(sys.argv[1:]) or "look after the beds"))
