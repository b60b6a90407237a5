"""A LangChain agent that sells train seats: it looks trains up, asks the traveller, and books.

`find_trains` and `ask_traveller` are the agent's own tools; the second asks by LangGraph's
`interrupt()`. `book` is Sayso's: nothing is booked before a person has said yes.

    pip install '.[langgraph]'
    python examples/langgraph_agent.py "a seat to Bergen, please"

A scripted model plays it without any key. With a model of your own (and its LangChain package, for
this one `pip install langchain-openai`):

    SAYSO_MODEL=openai:gpt-5-mini OPENAI_API_KEY=… python examples/langgraph_agent.py

In a browser: `sayso serve langgraph_agent:app`, started in this folder.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Sequence
from typing import Any

from langchain.agents import create_agent
from langchain.chat_models import init_chat_model
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.tools import tool as langchain_tool
from langgraph.types import interrupt

from sayso import (
    App,
    ExecutionEngine,
    InteractionRequest,
    InteractionResponse,
    InteractionType,
    ResponseData,
    TaskRequest,
    UniversalMessage,
    tool,
)

TRAINS = {"R 601": "08:25, seats €31", "R 605": "12:03, seats €24"}


@langchain_tool
def find_trains(to: str) -> dict[str, str]:
    """The trains to a town today: number, departure and price."""
    return TRAINS


@langchain_tool
def ask_traveller(question: str, options: list[str]) -> str:
    """Ask the traveller to choose. Use it whenever there is more than one train."""
    return str(interrupt({"question": question, "options": options}))


@tool(approval=True)
def book(train: str, to: str) -> str:
    """Book a seat on a train."""
    return f"Seat 14A on {train} to {to} is booked."


class ScriptedModel(BaseChatModel):
    """Stands in for a real model: its reply is a function of the conversation alone."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **options: Any) -> ScriptedModel:
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **options: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._reply(messages))])

    async def _astream(
        self, messages: list[BaseMessage], *args: Any, **options: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        reply = self._reply(messages)
        for word in reply.text.split(" "):
            yield ChatGenerationChunk(message=AIMessageChunk(content=f"{word} " if word else ""))
        calls = AIMessageChunk(content="", tool_calls=reply.tool_calls)
        yield ChatGenerationChunk(message=calls)

    def _reply(self, messages: list[BaseMessage]) -> AIMessage:
        last = messages[-1]
        if not isinstance(last, ToolMessage):
            return _calls("Let me look.", "find_trains", to="Bergen")
        match last.name:
            case "find_trains":
                asked = {"question": "Which train to Bergen?", "options": list(TRAINS)}
                return _calls("There are two.", "ask_traveller", **asked)
            case "ask_traveller":
                return _calls("I shall book it.", "book", train=last.text, to="Bergen")
            case _:
                return AIMessage(f"The desk says: {last.text}")


def _calls(words: str, name: str, **arguments: object) -> AIMessage:
    call = {"name": name, "args": arguments, "id": f"call-{name}", "type": "tool_call"}
    return AIMessage(words, tool_calls=[call])


chosen = os.environ.get("SAYSO_MODEL")
agent = create_agent(
    init_chat_model(chosen) if chosen else ScriptedModel(),
    tools=[find_trains, ask_traveller],
    system_prompt="You sell train seats. Look trains up, let the traveller choose, then book.",
    name="ticket-desk",
)
app = App(agent, tools=[book])


async def main(words: str) -> None:
    engine = ExecutionEngine(app)
    task = TaskRequest(task_id="seat", messages=[UniversalMessage(role="user", content=words)])
    result = await engine.execute_task(task)
    while result.interactions:
        answers = [answer(it) for it in result.interactions]
        result = await engine.execute_task(task, resume=(result.state or b"", answers))
    print(result.output or result.error)


def answer(it: InteractionRequest) -> InteractionResponse:
    assert isinstance(it.content, dict)
    if it.interaction_type is InteractionType.TOOL_APPROVAL:
        print(f"\n  {it.content['tool_name']} {it.content['tool_params']}")
        said_yes = input("  Approve? (y/n) ").strip() == "y"
        return InteractionResponse(interaction_id=it.interaction_id, approved=said_yes)
    print(f"\n  {it.content['question']}")
    for option in it.content["options"]:
        print(f"    {option['id']}  {TRAINS.get(option['id'], '')}")
    picked = ResponseData(selected_option=input("  Which? ").strip())
    return InteractionResponse(
        interaction_id=it.interaction_id, approved=True, response_data=picked
    )


if __name__ == "__main__":
    asyncio.run(main(" ".join(sys.argv[1:]) or "a seat to Bergen, please"))
