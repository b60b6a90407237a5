"""Two agents of AutoGen at a town library: one looks up what is overdue, one writes to the readers.

Both tools are AutoGen's own. `send_reminder` is gated by its name, from outside: the policy asks a
person before any letter goes out, and the team knows nothing of it.

    pip install '.[autogen]'
    python examples/autogen_agent.py "remind whoever is late"

A scripted model plays both without any key. With a model of your own (and AutoGen's clients, which
come with `pip install 'autogen-ext[openai]'`):

    SAYSO_MODEL=gpt-5-mini OPENAI_API_KEY=… python examples/autogen_agent.py

In a browser: `sayso serve autogen_agent:app`, started in this folder.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncGenerator, Sequence
from typing import Any

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core import FunctionCall
from autogen_core.models import (
    ChatCompletionClient,
    CreateResult,
    FunctionExecutionResultMessage,
    LLMMessage,
    ModelInfo,
    RequestUsage,
)

from sayso import (
    App,
    ExecutionEngine,
    InteractionRequest,
    InteractionResponse,
    Rule,
    TaskRequest,
    UniversalMessage,
    Verdict,
)

LOANS = {"Ada Berg": "The Left Hand of Darkness, 12 days late"}


def overdue_loans() -> dict[str, str]:
    """Who has kept a book too long, and which."""
    return LOANS


def send_reminder(to: str, text: str) -> str:
    """Send a reader a letter."""
    return f"The letter to {to} is on its way."


class ScriptedModel(ChatCompletionClient):
    """Stands in for a real model: its reply is a function of the conversation alone."""

    component_type = "model"

    async def create(self, messages: Sequence[LLMMessage], **options: Any) -> CreateResult:
        reply = self._reply(messages, {tool["name"] for tool in options.get("tools", ())})
        calls = not isinstance(reply, str)
        return CreateResult(
            finish_reason="function_calls" if calls else "stop",
            content=reply,
            usage=self.total_usage(),
            cached=False,
        )

    async def create_stream(
        self, messages: Sequence[LLMMessage], **options: Any
    ) -> AsyncGenerator[str | CreateResult, None]:
        result = await self.create(messages, **options)
        if isinstance(result.content, str):
            for word in result.content.split(" "):
                yield f"{word} "
        yield result

    def _reply(self, messages: Sequence[LLMMessage], tools: set[str]) -> str | list[FunctionCall]:
        last = messages[-1]
        if isinstance(last, FunctionExecutionResultMessage):
            found = last.content[-1]
            if found.name == "overdue_loans":
                return "One book is overdue: Ada Berg has it."
            if found.content.startswith("{"):  # Sayso tells why there is no result
                return f"No letter went out. The reason: {json.loads(found.content)['reason']}."
            return found.content
        if "overdue_loans" in tools:
            return [FunctionCall("look", "{}", "overdue_loans")]
        letter = {"to": "Ada Berg", "text": "Please bring the book back when you can."}
        return [FunctionCall("write", json.dumps(letter), "send_reminder")]

    async def close(self) -> None: ...

    def actual_usage(self) -> RequestUsage:
        return self.total_usage()

    def total_usage(self) -> RequestUsage:
        return RequestUsage(prompt_tokens=0, completion_tokens=0)

    def count_tokens(self, messages: Sequence[LLMMessage], **options: Any) -> int:
        return 0

    def remaining_tokens(self, messages: Sequence[LLMMessage], **options: Any) -> int:
        return 1000

    @property
    def capabilities(self) -> Any:
        return self.model_info

    @property
    def model_info(self) -> ModelInfo:
        return ModelInfo(
            vision=False,
            function_calling=True,
            json_output=False,
            family="unknown",
            structured_output=False,
        )


def model() -> ChatCompletionClient:
    chosen = os.environ.get("SAYSO_MODEL")
    if not chosen:
        return ScriptedModel()
    from autogen_ext.models.openai import (  # type: ignore[import-not-found,unused-ignore]
        OpenAIChatCompletionClient,
    )

    client: ChatCompletionClient = OpenAIChatCompletionClient(model=chosen)
    return client


def member(name: str, tool: Any, task: str) -> AssistantAgent:
    return AssistantAgent(
        name,
        model(),
        tools=[tool],
        system_message=task,
        model_client_stream=True,
        max_tool_iterations=4,
    )


team = RoundRobinGroupChat(
    [
        member("shelves", overdue_loans, "Look up the overdue loans and name them. No more."),
        member("letters", send_reminder, "Send each reader who was named one kind reminder."),
    ],
    max_turns=2,
)
app = App(team, policies=[Rule(tool="send_reminder", then=Verdict.ASK)])


async def main(words: str) -> None:
    engine = ExecutionEngine(app)
    said = UniversalMessage(role="user", content=words)
    task = TaskRequest(task_id="reminders", messages=[said])
    result = await engine.execute_task(task)
    while result.interactions:
        answers = [answer(it) for it in result.interactions]
        result = await engine.execute_task(task, resume=(result.state or b"", answers))
    print(result.output or result.error)


def answer(it: InteractionRequest) -> InteractionResponse:
    assert isinstance(it.content, dict)
    print(f"\n  {it.content['tool_name']} {it.content['tool_params']}")
    said_yes = input("  Send it? (y/n) ").strip() == "y"
    why = None if said_yes else input("  Reason for rejecting: ").strip()
    return InteractionResponse(
        interaction_id=it.interaction_id, approved=said_yes, user_message=why
    )


if __name__ == "__main__":
    asyncio.run(main(" ".join(sys.argv[1:]) or "remind whoever is late"))
