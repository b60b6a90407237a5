"""An agent of Strands that looks after a library's returns: it asks what became of a book, and
charges for it.

The question is Strands' own: `handoff_to_user` interrupts the agent. `charge` knows nothing of
Sayso; the policy asks a person before it runs. Both become cards that wait as long as it takes.

    pip install '.[strands]'
    python examples/strands_agent.py "the atlas is late"

A scripted model plays it without any key. With a model of your own (`pip install openai`):

    SAYSO_MODEL=gpt-5-mini OPENAI_API_KEY=… python examples/strands_agent.py

In a browser: `sayso serve strands_agent:app`, started in this folder.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from typing import Any

from strands import Agent, tool
from strands.models import Model
from strands.vended_tools.handoff_to_user import handoff_to_user

from sayso import (
    App,
    ExecutionEngine,
    InteractionRequest,
    InteractionResponse,
    InteractionType,
    ResponseData,
    Rule,
    TaskRequest,
    UniversalMessage,
    Verdict,
)


@tool
def charge(book: str, euros: int) -> str:
    """Charge the reader for a book."""
    return f"{euros} euros were charged for {book}."


class ScriptedModel(Model):
    """Stands in for a real model: its reply is a function of the conversation alone."""

    def get_config(self) -> Any:
        return {}

    def update_config(self, **config: Any) -> None:
        return None

    def structured_output(self, *args: Any, **options: Any) -> Any:
        raise NotImplementedError

    async def stream(self, messages: Any, *given: Any, **more: Any) -> AsyncIterator[Any]:
        last = messages[-1]["content"]
        results = [block["toolResult"] for block in last if "toolResult" in block]
        words, call = self._reply(results[0] if results else None)
        yield {"messageStart": {"role": "assistant"}}
        for word in words.split(" "):
            yield {"contentBlockDelta": {"delta": {"text": f"{word} "}}}
        yield {"contentBlockStop": {}}
        if call is not None:
            name, arguments = call
            use = {"name": name, "toolUseId": name}
            yield {"contentBlockStart": {"start": {"toolUse": use}}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(arguments)}}}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if call else "end_turn"}}

    def _reply(self, result: Any) -> tuple[str, tuple[str, dict[str, Any]] | None]:
        if result is None:
            asks = {"message": "The atlas is two weeks late. What became of it?"}
            return "Let me see.", ("handoff_to_user", asks)
        said = result["content"][0]["text"]
        if result["toolUseId"].startswith("handoff"):
            return f"So: {said}.", ("charge", {"book": "the atlas", "euros": 12})
        return str(said), None


def model() -> Model:
    chosen = os.environ.get("SAYSO_MODEL")
    if not chosen:
        return ScriptedModel()
    from strands.models.openai import OpenAIModel

    return OpenAIModel(model_id=chosen)


agent = Agent(
    model(),
    name="librarian",
    system_prompt="You look after late books. Ask what became of one, then charge for it.",
    tools=[handoff_to_user, charge],
)
app = App(agent, policies=[Rule(tool="charge", then=Verdict.ASK)])


async def main(words: str) -> None:
    engine = ExecutionEngine(app)
    task = TaskRequest(task_id="late", messages=[UniversalMessage(role="user", content=words)])
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
    why = input("  Reason for rejecting (none: go on) ").strip()
    return InteractionResponse(
        interaction_id=it.interaction_id, approved=not why, user_message=why or None
    )


if __name__ == "__main__":
    asyncio.run(main(" ".join(sys.argv[1:]) or "the atlas is late"))
