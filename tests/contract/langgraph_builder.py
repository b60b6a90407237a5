"""A LangChain agent that plays a script: its model's reply is a function of the history alone."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from typing import Annotated, Any

from langchain.agents import AgentState, create_agent
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    ToolCallChunk,
    ToolMessage,
)
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.tools import InjectedToolCallId, StructuredTool
from langchain_core.tools import tool as lc_tool
from langgraph.prebuilt import InjectedState
from langgraph.types import Command

from sayso.adapters.base import AgentProgram
from sayso.adapters.langgraph import langchain_tool
from sayso.adapters.langgraph.middleware import SaysoMiddleware
from sayso.testing.adapter_contract import OWN_POLICY, TOOLS, Script, Turn, own_refund
from sayso.testing.contract.tools import did


class ScriptedModel(BaseChatModel):
    """Plays its turns after the person's last message; then says the results it was given."""

    script: Any
    #: What the model was sent, call by call.
    seen: Any = None
    #: The names of the tools that it was given.
    given: Any = None

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **options: Any) -> ScriptedModel:
        if self.given is not None:
            self.given[:] = [getattr(tool, "name", None) for tool in tools]
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **options: Any,
    ) -> ChatResult:
        words, calls = self._reply(messages)
        message = AIMessage("".join(words), tool_calls=[_call(n, c) for n, c in enumerate(calls)])
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **options: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        words, calls = self._reply(messages)
        for word in words:
            yield ChatGenerationChunk(message=AIMessageChunk(content=word))
            await asyncio.sleep(0)
        chunks = [
            ToolCallChunk(name=c["name"], args=json.dumps(c["args"]), id=c["id"], index=n)
            for n, c in enumerate(_call(n, c) for n, c in enumerate(calls))
        ]
        yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=chunks))

    def _reply(self, messages: list[BaseMessage]) -> tuple[list[str], Sequence[Any]]:
        no_call_dangles(messages)
        if self.seen is not None:
            self.seen.append(list(messages))
        start = max(n for n, message in enumerate(messages) if isinstance(message, HumanMessage))
        mine = messages[start:]
        turn = sum(isinstance(message, AIMessage) for message in mine)
        if turn < len(self.script):
            said = [word + " " for word in self.script[turn].say.split(" ")[:-1]]
            if self.script[turn].calls:
                return said, self.script[turn].calls
        else:
            said = []
        found = [m.text for m in mine if isinstance(m, ToolMessage)]
        return [*said, "Results: " + "|".join(map(_as_json, found))], ()


def _call(number: int, call: tuple[str, Any]) -> Any:
    # The same ids in every response, as some providers give.
    return {"name": call[0], "args": dict(call[1]), "id": f"call_{number}", "type": "tool_call"}


def _as_json(text: str) -> str:
    return json.dumps(json.loads(text) if text[:1] in ("{", "[") else text)


def no_call_dangles(messages: Sequence[BaseMessage]) -> None:
    waiting: set[str | None] = set()
    for message in messages:
        if isinstance(message, ToolMessage):
            waiting.discard(message.tool_call_id)
            continue
        assert not waiting
        if isinstance(message, AIMessage):
            waiting = {call["id"] for call in message.tool_calls}
    assert not waiting


def langgraph(script: Script) -> AgentProgram:
    return AgentProgram(create_agent(ScriptedModel(script=script), name="agent"), tools=TOOLS)


def langgraph_own_tools(script: Script) -> AgentProgram:
    tools = [StructuredTool.from_function(coroutine=own_refund)]
    graph = create_agent(ScriptedModel(script=script), tools=tools, name="agent")
    return AgentProgram(graph, tools=TOOLS, policy=OWN_POLICY)


def langgraph_nested(script: Script) -> AgentProgram:
    """An agent whose own tool runs another agent, which plays the script with Sayso's tools."""
    inner = create_agent(
        ScriptedModel(script=script),
        tools=[langchain_tool(tool) for tool in TOOLS],
        middleware=[SaysoMiddleware()],
        name="inner",
    )

    @lc_tool
    async def delegate() -> str:
        """Let another agent do it."""
        ended = await inner.ainvoke({"messages": [HumanMessage("go")]})
        return str(ended["messages"][-1].text)

    outer = ScriptedModel(script=[Turn("", [("delegate", {})])])
    return AgentProgram(create_agent(outer, tools=[delegate], name="agent"), tools=TOOLS)


class Noted(AgentState[Any], total=False):
    noted: str


@lc_tool
async def note(call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
    """Note it."""
    did("note")
    answer = ToolMessage("noted", tool_call_id=call_id)
    return Command(update={"noted": "once", "messages": [answer]})


@lc_tool
async def recall(state: Annotated[dict[str, Any], InjectedState]) -> str:
    """Recall it."""
    did(f"recall {state.get('noted')}")
    return "recalled"


def langgraph_own_state(script: Script) -> AgentProgram:
    """Its tools share a channel of the graph's state."""
    model = ScriptedModel(script=script)
    graph = create_agent(model, tools=[note, recall], state_schema=Noted, name="agent")
    return AgentProgram(graph)
