"""The plugins by which ADK hands a run to the seam: before every plugin of the app, and after."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.invocation_context import InvocationContext
from google.adk.code_executors.built_in_code_executor import BuiltInCodeExecutor
from google.adk.events.event import Event
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext
from google.genai import types

from sayso.core.depth import CUT, is_too_deep
from sayso.core.errors import NotSupportedError

if TYPE_CHECKING:
    from sayso.adapters.adk.seam import Seam


class First(BasePlugin):
    """Before every other plugin: what is played again is none of their business."""

    def __init__(self, seam: Seam) -> None:
        super().__init__(name="sayso")
        self._seam = seam

    async def before_agent_callback(self, *, agent: Any, callback_context: CallbackContext) -> None:
        try:
            _check_agent(agent)
        except NotSupportedError as exc:
            await self._seam.fail(exc)

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        return await self._seam.before_model(callback_context, llm_request)

    async def after_model_callback(
        self, *, callback_context: CallbackContext, llm_response: LlmResponse
    ) -> LlmResponse | None:
        _cut_deep(llm_response)
        _tell_apart(llm_response)
        return None

    async def on_model_error_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest, error: Exception
    ) -> LlmResponse | None:
        self._seam.ended(callback_context)
        return None

    async def on_event_callback(
        self, *, invocation_context: InvocationContext, event: Event
    ) -> Event | None:
        self._seam.on_event(event)
        return None

    async def after_agent_callback(
        self, *, agent: Any, callback_context: CallbackContext
    ) -> types.Content | None:
        self._seam.ended(callback_context)
        # ADK calls it on a cancellation too. An agent that only waits has not ended: with this,
        # its own callbacks are not called.
        return types.Content(role="model", parts=[]) if self._seam.stopping else None


class Last(BasePlugin):
    """After every other plugin: an error that none of them has answered."""

    def __init__(self, seam: Seam) -> None:
        super().__init__(name="sayso_last")
        self._seam = seam

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
        return await self._seam.on_error(tool, tool_args, tool_context)


def _check_agent(agent: object) -> None:
    """Refuse what would run outside of the toolbox: code that a model has written."""
    executor = getattr(agent, "code_executor", None)
    if executor is not None and not isinstance(executor, BuiltInCodeExecutor):
        raise NotSupportedError(
            f"The agent '{getattr(agent, 'name', agent)}' has a code_executor: it would run "
            "code of a model without any policy, and again at each answer.",
            fix="Give the agent a tool that runs the code.",
        )


def _cut_deep(response: LlmResponse) -> None:
    """ADK could not write such arguments into its session, and the run would die of them."""
    for part in (response.content.parts if response.content else None) or ():
        if part.function_call is not None and is_too_deep(part.function_call.args):
            part.function_call.args = dict(CUT)


def _tell_apart(response: LlmResponse) -> None:
    """Two calls of one reply under the same id are two calls all the same."""
    seen: set[str] = set()
    for part in (response.content.parts if response.content else None) or ():
        call = part.function_call
        if call is None or not call.id or response.partial:
            continue
        while call.id in seen:
            call.id += "_"
        seen.add(call.id)
