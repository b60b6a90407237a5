"""The plugins through which ADK tells of a run: one before every plugin of the app, and one
after."""

from __future__ import annotations

import asyncio
from typing import Any

from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.invocation_context import InvocationContext
from google.adk.events.event import Event
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext
from google.genai import types

from sayso.adapters.adk.checks import RUN_CODE_BY_A_TOOL, refusal_of_code
from sayso.adapters.adk.model_replies import AdkReplies, tell_reply
from sayso.adapters.adk.standstill import Standstill
from sayso.adapters.adk.tool_calls import AdkCalls
from sayso.adapters.model_reply import free_id
from sayso.core.errors import NotSupportedError
from sayso.core.json_limits import CUT, is_too_deep


class OuterPlugin(BasePlugin):
    """Called before every other plugin: those are not told of what is played again."""

    def __init__(self, calls: AdkCalls, replies: AdkReplies, standstill: Standstill) -> None:
        super().__init__(name="sayso")
        self._calls, self._replies, self._standstill = calls, replies, standstill

    async def before_agent_callback(self, *, agent: Any, callback_context: CallbackContext) -> None:
        why = refusal_of_code(agent)
        if why is not None:  # code that a model has written would run outside of the toolbox
            words = f"The agent '{agent.name}' cannot be served: {why}"
            await self._standstill.fail(NotSupportedError(words, fix=RUN_CODE_BY_A_TOOL))

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        self._calls.offer(callback_context, llm_request)
        return await self._replies.before_model(callback_context)

    async def after_model_callback(
        self, *, callback_context: CallbackContext, llm_response: LlmResponse
    ) -> LlmResponse | None:
        self._replies.heard(callback_context, llm_response)
        _mend_calls(llm_response)
        return None

    async def on_model_error_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest, error: Exception
    ) -> LlmResponse | None:
        self._replies.ended(callback_context)
        return None

    async def on_event_callback(
        self, *, invocation_context: InvocationContext, event: Event
    ) -> Event | None:
        if self._replies.on_event(event):
            await tell_reply(self._calls.scope.segment.env, event)
        return None

    async def after_agent_callback(
        self, *, agent: Any, callback_context: CallbackContext
    ) -> types.Content | None:
        self._replies.ended(callback_context)
        # ADK calls it on a cancellation too. An agent that only waits has not ended: with this,
        # its own callbacks are not called.
        return types.Content(role="model", parts=[]) if self._standstill.stopping else None


class InnerPlugin(BasePlugin):
    """Called after every other plugin: for an error that none of them has answered."""

    def __init__(self, calls: AdkCalls) -> None:
        super().__init__(name="sayso_last")
        self._calls = calls

    async def on_tool_error_callback(
        self,
        *,
        tool: BaseTool,
        tool_args: dict[str, Any],
        tool_context: ToolContext,
        error: BaseException,
    ) -> Any:
        if isinstance(error, asyncio.CancelledError):
            return None
        return await self._calls.on_error(tool, tool_args, tool_context)


def _mend_calls(response: LlmResponse) -> None:
    """Drop arguments that nest too deeply: ADK could not write them into its session. And give two
    calls of one reply under the same id an id each."""
    seen: set[str] = set()
    for part in (response.content.parts if response.content else None) or ():
        call = part.function_call
        if call is None:
            continue
        if is_too_deep(call.args):
            call.args = dict(CUT)
        if call.id and not response.partial:
            call.id = free_id(call.id, seen)
