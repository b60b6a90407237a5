"""Agents of Google ADK that play a script: their reply is a function of the history alone."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.tool_context import ToolContext
from google.genai import types

from sayso.adapters.base import AgentProgram
from sayso.testing.adapter_contract import OWN_POLICY, TOOLS, Script, Turn, own_refund
from sayso.testing.contract.tools import did


class ScriptedLlm(BaseLlm):
    """Plays its script to the newest message of a person, then tells the results it got."""

    script: Any = ()
    #: What it was asked, where a test wants to look.
    seen: Any = None

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        no_call_dangles(llm_request.contents)
        if self.seen is not None:
            self.seen.append(list(llm_request.contents))
        mine = since_the_person(llm_request.contents)
        turn = sum(content.role == "model" for content in mine)
        at: Turn = self.script[turn] if turn < len(self.script) else Turn("")
        said = at.say
        if stream:
            for word in words(said):
                part = types.Part(text=word)
                yield LlmResponse(content=types.Content(role="model", parts=[part]), partial=True)
                await asyncio.sleep(0)
        if not at.calls:  # a reply without calls is the last
            told = "Results: " + "|".join(json.dumps(one) for one in results(mine))
            said += told
            if stream:
                part = types.Part(text=told)
                yield LlmResponse(content=types.Content(role="model", parts=[part]), partial=True)
        parts = [types.Part(text=said)] if said else []
        for n, (name, args) in enumerate(at.calls):
            # The same ids in every response, as some providers give.
            call = types.FunctionCall(id=f"call_{n}", name=name, args=dict(args))
            parts.append(types.Part(function_call=call))
        yield LlmResponse(content=types.Content(role="model", parts=parts))


def words(text: str) -> list[str]:
    return [word + " " for word in text.split(" ")[:-1]]


def since_the_person(contents: Sequence[types.Content]) -> Sequence[types.Content]:
    start = max(
        place
        for place, content in enumerate(contents)
        if content.role == "user" and any(part.text for part in content.parts or ())
    )
    return contents[start + 1 :]


def results(contents: Sequence[types.Content]) -> list[object]:
    """The results as the tools gave them: ADK puts what is no dict into one."""
    responses = [p.function_response for c in contents for p in c.parts or ()]
    found = [r.response or {} for r in responses if r is not None]
    return [one["result"] if set(one) == {"result"} else one for one in found]


def no_call_dangles(contents: Sequence[types.Content]) -> None:
    for place, content in enumerate(contents):
        asked = [p.function_call for p in content.parts or () if p.function_call]
        if asked:
            after = contents[place + 1].parts or ()
            answered = [p.function_response for p in after if p.function_response]
            assert {a.id for a in answered} == {call.id for call in asked}


def scripted_agent(script: Script, seen: object = None, **options: Any) -> LlmAgent:
    model = ScriptedLlm(model="scripted", script=tuple(script), seen=seen)
    return LlmAgent(**{"name": "agent", "model": model, **options})


def adk(script: Script) -> AgentProgram:
    return AgentProgram(scripted_agent(script), tools=TOOLS)


def adk_own_tools(script: Script) -> AgentProgram:
    agent = scripted_agent(script, tools=[own_refund])
    return AgentProgram(agent, tools=TOOLS, policy=OWN_POLICY)


def adk_nested(script: Script) -> AgentProgram:
    """An agent whose AgentTool is another agent, which plays the script with Sayso's tools."""
    inner = scripted_agent(script, name="inner", description="Does it.")
    outer = scripted_agent(
        [Turn("", [("inner", {"request": "go"})])], tools=[AgentTool(agent=inner)]
    )
    return AgentProgram(outer, tools=TOOLS)


def adk_own_state(script: Script) -> AgentProgram:
    """Its tools share the state of the session."""

    def note(tool_context: ToolContext) -> str:
        """Note it."""
        did("note")
        tool_context.state["noted"] = "once"
        return "noted"

    def recall(tool_context: ToolContext) -> str:
        """Recall it."""
        did(f"recall {tool_context.state.get('noted')}")
        return "recalled"

    return AgentProgram(scripted_agent(script, tools=[note, recall]))
