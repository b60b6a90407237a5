"""Every call of every agent of ADK, on its way to the toolbox and back: of the toolbox's tools and
of the agents' own."""

from __future__ import annotations

import copy
from typing import Any

from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.invocation_context import InvocationContext
from google.adk.events.event_actions import EventActions
from google.adk.models.llm_request import LlmRequest
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.set_model_response_tool import SetModelResponseTool
from google.adk.tools.tool_context import ToolContext
from google.genai import types

from sayso.adapters.adk.asked_values import result_of
from sayso.adapters.adk.model_replies import AdkReplies
from sayso.adapters.adk.native_tool import AdkTool, BodyScope, plain
from sayso.tools.builtin import BUILTIN_TOOLS
from sayso.tools.calls import CallSuspended, Returned
from sayso.tools.result_cards import result_key
from sayso.tools.suspension import StepFailed, Stopped
from sayso.tools.tool import Runnable, Tool

#: How a model gives its answer in a shape; no tool of anyone.
_REPLIES = frozenset({SetModelResponseTool.NAME, "finish_task"})
#: On a copy of an agent's own tool: its calls come here.
_MARK = "sayso_routed"


class AdkCalls:
    """The calls of one segment."""

    def __init__(self, scope: BodyScope, replies: AdkReplies, root_name: str) -> None:
        self.scope, self._replies, self._root_name = scope, replies, root_name
        self._toolbox = scope.segment.toolbox
        self._standstill = scope.standstill
        #: What the model is told of calls that raised, until the agents' own callbacks were asked.
        self._errors: dict[str, object] = {}

    def key_of(self, context: ToolContext) -> str:
        """Return the key of a call: the place and turn of its agent, and the model's id."""
        return f"{self._replies.turn_of(context)}:{context.function_call_id}"

    async def call(
        self, name: str, arguments: dict[str, Any], context: ToolContext, tool: Runnable | None
    ) -> object:
        """Make one call of a model, through the toolbox. Where it needs a person, this does not
        come back: the run is stopped."""
        key, given = self.key_of(context), plain(arguments)
        if isinstance(tool, AdkTool):
            given = tool.with_payload(given)
        self._standstill.requests.setdefault(key, ())
        self._standstill.begin(key)
        try:
            came = await self._toolbox.call(
                key, name, given, agent_name=self.speaker(context.agent_name), tool=tool
            )
        except (Exception, Stopped) as exc:
            # It ends the segment whatever the agents' own error callbacks would make of it.
            await self._standstill.fail(exc)
        finally:
            self._standstill.end(key)
        match came:
            case CallSuspended(requests):
                await self._standstill.wait(key, requests)
            case Returned():
                return self._value(key, came, context, tool)

    def speaker(self, author: str) -> str:
        """Return the name people know the agent by: the root's is the one it is served under."""
        return self.scope.segment.agent_name if author == self._root_name else author

    def offer(self, context: CallbackContext, request: LlmRequest) -> None:
        """Offer the toolbox's tools to a model, and send calls of all others through the
        toolbox."""
        agent: Any = context._invocation_context.agent
        for name, tool in list(request.tools_dict.items()):
            if name not in _REPLIES and not _is_routed(tool):
                request.tools_dict[name] = self._routed(tool)
        built_in = any(
            isinstance(tool, types.Tool) and not tool.function_declarations
            for tool in request.config.tools or ()
        )
        if built_in:  # Gemini takes no functions beside its own search
            return
        tools = [tool for tool in self._toolbox.tools if tool.name not in request.tools_dict]
        if _excludes_calls(agent, request):
            if all(tool in BUILTIN_TOOLS for tool in tools):
                return  # an agent that has nothing to call is left as it is
            _answer_by_call(agent, request)
        request.append_tools([SaysoTool(tool, self) for tool in tools])

    def _routed(self, tool: BaseTool) -> BaseTool:
        """Return a copy that ADK, its callbacks and its plugins take for the tool itself, but whose
        calls come here."""

        async def run_async(*, args: dict[str, Any], tool_context: ToolContext) -> Any:
            ours = tool.func if isinstance(tool, FunctionTool) else None
            if isinstance(ours, Tool):
                return await self.call(tool.name, args, tool_context, ours)
            asks = await _asks(tool, args, tool_context)
            native = AdkTool(tool, tool_context, self.key_of(tool_context), self.scope, asks=asks)
            return await self.call(tool.name, args, tool_context, native)

        async def check_require_confirmation(args: object, tool_context: object) -> bool:
            return False  # it is the toolbox that asks

        routed = copy.copy(tool)
        vars(routed).update(
            {
                _MARK: True,
                "run_async": run_async,
                "check_require_confirmation": check_require_confirmation,
            }
        )
        return routed

    def _value(
        self, key: str, came: Returned, context: ToolContext, tool: Runnable | None
    ) -> object:
        native = tool if isinstance(tool, AdkTool) else None
        if native is None:
            return came.value
        if not native.ran:
            self._restore_actions(key, context)
        if came.error is not None and self._has_error_callbacks(context):
            self._errors[key] = came.value
            if isinstance(came.exception, Exception):
                raise came.exception
            raise StepFailed.from_error(native.name, came.error)
        if native.ran and not came.notes:
            return native.returned
        if native.is_long_running and self.scope.segment.env.answer(result_key(key)) is not None:
            return result_of(came.result, self.scope.record.returned.get(key))
        # A long-running tool that returns nothing is one that goes on elsewhere, to ADK.
        return came.value or {"result": came.value}

    def _restore_actions(self, key: str, context: ToolContext) -> None:
        did = EventActions.model_validate(self.scope.record.actions.get(key, {}))
        for name in did.model_fields_set:
            if name == "state_delta":
                context.state.update(did.state_delta)
            else:
                setattr(context.actions, name, getattr(did, name))

    def _has_error_callbacks(self, context: ToolContext) -> bool:
        at = context._invocation_context
        return _own_error_callbacks(at) or any(
            type(plugin).on_tool_error_callback is not BasePlugin.on_tool_error_callback
            for plugin in at.plugin_manager.plugins
            if plugin not in self.scope.plugins
        )

    async def on_error(self, tool: BaseTool, args: dict[str, Any], context: ToolContext) -> Any:
        """Tell an agent's callbacks, or the model, of an error that no plugin has handled."""
        value: object
        if _is_routed(tool):
            value = self._errors.pop(self.key_of(context), None)
        else:
            value = await self.call(tool.name, args, context, None)  # no such tool
        if value is None or _own_error_callbacks(context._invocation_context):
            return None
        return value if isinstance(value, dict) else {"result": value}


class SaysoTool(BaseTool):
    """A tool of the toolbox, as ADK knows tools."""

    def __init__(self, tool: Runnable, calls: AdkCalls) -> None:
        super().__init__(name=tool.name, description=tool.description)
        self._tool, self._calls = tool, calls

    def _get_declaration(self) -> types.FunctionDeclaration:
        return types.FunctionDeclaration(
            name=self.name,
            description=self.description,
            parameters_json_schema=self._tool.schema,
        )

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> Any:
        return await self._calls.call(self.name, args, tool_context, self._tool)


def _excludes_calls(agent: Any, request: LlmRequest) -> bool:
    """Tell whether the reply is to have a shape that leaves this model no room for calls."""
    if request.config.response_schema is None:
        return False
    return not agent.canonical_model.capabilities.output_schema_and_tools


def _answer_by_call(agent: Any, request: LlmRequest) -> None:
    """Let a model that may call tools give its answer by a call too, as ADK does for an agent with
    tools of its own."""
    request.config.response_schema = request.config.response_mime_type = None
    request.append_tools([SetModelResponseTool(agent.output_schema)])
    request.append_instructions(
        [
            f"Call {SetModelResponseTool.NAME} to give your final answer, after any other tools "
            "that you need."
        ]
    )


def _is_routed(tool: BaseTool) -> bool:
    return isinstance(tool, SaysoTool) or _MARK in vars(tool)


async def _asks(tool: BaseTool, args: dict[str, Any], context: ToolContext) -> bool:
    """Tell whether its author wants a confirmation of this call; assume it where that fails."""
    try:
        return bool(await tool.check_require_confirmation(args, context))
    except Exception:
        return True


def _own_error_callbacks(context: InvocationContext) -> bool:
    return bool(getattr(context.agent, "canonical_on_tool_error_callbacks", None))
