"""Agents of Google ADK that play a script: their reply is a function of the history alone."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.code_executors import UnsafeLocalCodeExecutor
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.get_user_choice_tool import get_user_choice_tool
from google.adk.tools.long_running_tool import LongRunningFunctionTool
from google.adk.tools.tool_context import ToolContext
from google.genai import types
from pydantic import field_validator

from sayso.adapters.program import AgentProgram
from sayso.testing.adapter_contract import OWN_POLICY, TOOLS, Script, Turn, own_refund
from sayso.testing.contract.tools import (
    ANSWER,
    POOR_ANSWER,
    QUESTION_RESULT,
    OrderState,
    did,
    own_final,
    own_slow,
)

#: The call by which a model of ADK gives an answer in a shape.
_SHAPED = "set_model_response"


class ScriptedLlm(BaseLlm):
    """Plays its script to the newest message of a person, then tells the results it got."""

    script: Any = ()
    #: What it was asked, where a test wants to look.
    seen: Any = None
    #: What it says at the end in place of the results.
    last: Any = None
    #: What it answers in a shape, one after the other, where its framework takes that as a call.
    answers: Any = (ANSWER,)

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
            told = "" if _SHAPED in llm_request.tools_dict else self.last or told
            said += told
            if stream:
                part = types.Part(text=told)
                yield LlmResponse(content=types.Content(role="model", parts=[part]), partial=True)
        parts = [types.Part(text=said)] if said else []
        calls = at.whole_calls
        if not at.calls and _SHAPED in llm_request.tools_dict:
            calls = [(_SHAPED, self.answers[turn - len(self.script)])]
        for n, (name, args) in enumerate(calls):
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


def adk_own_blocking(script: Script) -> AgentProgram:
    return AgentProgram(scripted_agent(script, tools=[own_slow]))


def adk_output_tool(script: Script) -> AgentProgram:
    return AgentProgram(scripted_agent(script, output_schema=OrderState), tools=TOOLS)


class CapableLlm(ScriptedLlm):
    """A model that may call tools and answer in a shape."""

    @property
    def capabilities(self) -> Any:
        return super().capabilities.model_copy(update={"output_schema_and_tools": True})


def adk_output_native(script: Script) -> AgentProgram:
    model = CapableLlm(model="scripted", script=tuple(script), last=json.dumps(ANSWER))
    return AgentProgram(scripted_agent((), model=model, output_schema=OrderState), tools=TOOLS)


class GoodOrder(OrderState):
    @field_validator("ok")
    @classmethod
    def _is_ok(cls, ok: bool) -> bool:
        if not ok:
            raise ValueError("It must be ok.")
        return ok


def adk_output_validated(script: Script) -> AgentProgram:
    model = ScriptedLlm(model="scripted", script=tuple(script), answers=(POOR_ANSWER, ANSWER))
    return AgentProgram(scripted_agent((), model=model, output_schema=GoodOrder), tools=TOOLS)


def adk_own_memory(script: Script) -> AgentProgram:
    runner = InMemoryRunner(agent=scripted_agent(script), app_name="desk")
    return AgentProgram(runner, name="agent", tools=TOOLS)


def adk_ends_on_result(script: Script) -> AgentProgram:
    def final(tool_context: ToolContext) -> str:
        """Give the last word."""
        tool_context.actions.skip_summarization = True
        return own_final()

    final.__name__ = "own_final"
    return AgentProgram(scripted_agent(script, tools=[final]))


def adk_asks_as_object(script: Script) -> AgentProgram:
    def own_question() -> dict[str, Any]:
        """Ask which allocation."""
        did("own_question")
        return dict(QUESTION_RESULT)

    return AgentProgram(scripted_agent(script, tools=[own_question]))


def adk_asks_as_text(script: Script) -> AgentProgram:
    def own_question() -> str:
        """Ask which allocation."""
        did("own_question")
        return json.dumps(QUESTION_RESULT)

    return AgentProgram(scripted_agent(script, tools=[own_question]))


def adk_speakers(script: Script) -> AgentProgram:
    clerk = scripted_agent(script, name="clerk", description="Refunds.", tools=[own_refund])
    over = (Turn("", [("transfer_to_agent", {"agent_name": "clerk"})]),)
    return AgentProgram(scripted_agent(over, sub_agents=[clerk]), policy=OWN_POLICY)


def adk_refused(script: Script) -> AgentProgram:
    return AgentProgram(scripted_agent(script, code_executor=UnsafeLocalCodeExecutor()))


# ── its own ways to ask a person ──


def adk_requires_confirmation(script: Script) -> AgentProgram:
    tool = FunctionTool(own_refund, require_confirmation=True)
    return AgentProgram(scripted_agent(script, tools=[tool]))


def adk_confirmation_payload(script: Script) -> AgentProgram:
    def request_time_off(days: int, tool_context: ToolContext) -> dict[str, Any]:
        """Request days off."""
        said = tool_context.tool_confirmation
        if not said:
            tool_context.request_confirmation(hint="How many?", payload={"approved_days": 0})
            return {"status": "Manager approval is required."}
        payload: Any = said.payload
        did(f"approved {payload['approved_days']}")
        return {"status": "ok", "approved_days": payload["approved_days"]}

    return AgentProgram(scripted_agent(script, tools=[request_time_off]))


def adk_long_running(script: Script) -> AgentProgram:
    def ask_for_approval(purpose: str, amount: float) -> dict[str, Any]:
        """Ask for approval of the reimbursement."""
        return {"status": "pending", "amount": amount, "ticketId": "ticket-1"}

    tool = LongRunningFunctionTool(ask_for_approval)
    return AgentProgram(scripted_agent(script, tools=[tool]))


def adk_user_choice(script: Script) -> AgentProgram:
    return AgentProgram(scripted_agent(script, tools=[get_user_choice_tool]))
