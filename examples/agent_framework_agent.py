"""An agent of Microsoft Agent Framework at a vet's: it looks up an animal and books a visit.

Both tools are the framework's own, and so is the way one asks: `approval_mode="always_require"`.
Behind Sayso it becomes a card that waits as long as it takes, and a person may change the hour
before the visit is booked: what they have changed is what runs.

    pip install '.[agent-framework]'
    python examples/agent_framework_agent.py "Rolf limps"

A scripted model plays it without any key. With a model of your own:

    SAYSO_MODEL=gpt-5-mini OPENAI_API_KEY=… python examples/agent_framework_agent.py

In a browser: `sayso serve agent_framework_agent:app`, started in this folder.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    Message,
    ResponseStream,
    tool,
)
from pydantic import JsonValue

from sayso import (
    App,
    ExecutionEngine,
    InteractionRequest,
    InteractionResponse,
    ResponseData,
    TaskRequest,
    UniversalMessage,
)

ANIMALS = {"Rolf": "a dog, nine years old"}


@tool
def look_up(name: str) -> str:
    """Who an animal is."""
    return ANIMALS.get(name, "nobody we know")


@tool(approval_mode="always_require")
def book_visit(name: str, hour: int) -> str:
    """Book a visit for tomorrow."""
    return f"{name} is expected at {hour}:00."


class ScriptedModel(FunctionInvocationLayer[Any], ChatMiddlewareLayer[Any], BaseChatClient[Any]):
    """Stands in for a real model: its reply is a function of the conversation alone."""

    def _inner_get_response(
        self, *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **more: Any
    ) -> Any:
        contents = _reply(messages)

        async def pieces() -> AsyncIterator[ChatResponseUpdate]:
            for content in contents:
                yield ChatResponseUpdate(role="assistant", contents=[content])

        async def whole() -> ChatResponse[Any]:
            return ChatResponse(messages=[Message("assistant", contents)])

        if stream:
            return ResponseStream(pieces(), finalizer=ChatResponse.from_updates)
        return whole()


def _reply(messages: Sequence[Message]) -> list[Content]:
    asked = max(number for number, message in enumerate(messages) if message.role == "user")
    results = [
        str(content.result)
        for message in messages[asked:]
        for content in message.contents
        if content.type == "function_result"
    ]
    if not results:
        return [Content.from_function_call("look", "look_up", arguments={"name": "Rolf"})]
    if len(results) == 1:
        visit = {"name": "Rolf", "hour": 9}
        words = Content.from_text(f"Rolf is {results[0]}. I will book a visit. ")
        return [words, Content.from_function_call("book", "book_visit", arguments=visit)]
    return [Content.from_text(_told(results[-1]))]


def _told(result: str) -> str:
    if not result.startswith("{"):
        return result
    found = json.loads(result)  # Sayso tells what a person has changed, or why there is no result
    if "reason" in found:
        return f"No visit is booked. The reason: {found['reason']}."
    return f"{found['result']} {found['note']}"


def model() -> BaseChatClient[Any]:
    chosen = os.environ.get("SAYSO_MODEL")
    if not chosen:
        return ScriptedModel()
    from agent_framework.openai import OpenAIChatClient

    return OpenAIChatClient(model=chosen)


vet = Agent(
    model(),
    "You are the front desk of a vet. Look the animal up, then book a visit. The booking asks "
    "the vet by itself.",
    name="vet",
    tools=[look_up, book_visit],
)
app = App(vet)


async def main(words: str) -> None:
    engine = ExecutionEngine(app)
    said = UniversalMessage(role="user", content=words)
    task = TaskRequest(task_id="visit", messages=[said])
    result = await engine.execute_task(task)
    while result.interactions:
        answers = [answer(it) for it in result.interactions]
        result = await engine.execute_task(task, resume=(result.state or b"", answers))
    print(result.output or result.error)


def answer(it: InteractionRequest) -> InteractionResponse:
    assert isinstance(it.content, dict)
    wanted = it.content["tool_params"]
    print(f"\n  {it.content['tool_name']} {wanted}")
    hour = int(input("  At which hour? (0: not at all) "))
    if not hour:
        why = input("  Why not? ").strip()
        return InteractionResponse(
            interaction_id=it.interaction_id, approved=False, user_message=why
        )
    edits: dict[str, JsonValue] = {"hour": hour} if hour != wanted["hour"] else {}
    return InteractionResponse(
        interaction_id=it.interaction_id, approved=True, response_data=ResponseData(edits=edits)
    )


if __name__ == "__main__":
    asyncio.run(main(" ".join(sys.argv[1:]) or "Rolf limps"))
