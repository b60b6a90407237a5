"""Tools between ADK and the toolbox: ours as native ones, the agents' own behind the same door."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Awaitable, Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from google.adk.plugins.plugin_manager import PluginManager
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.exit_loop_tool import exit_loop
from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.tool_confirmation import ToolConfirmation
from google.adk.tools.tool_context import ToolContext
from google.adk.tools.transfer_to_agent_tool import TransferToAgentTool, transfer_to_agent
from google.genai import types
from pydantic import JsonValue
from pydantic_core import to_jsonable_python

from sayso.core.digest import JsonObject
from sayso.core.errors import NotSupportedError
from sayso.tools.pause import Pause, ProposalStale
from sayso.tools.tool import Prepared, Runnable, Tool, Traits

if TYPE_CHECKING:
    from sayso.adapters.adk.seam import Seam

#: Keys of the calls that the running code is inside of, outermost first: agents run within tools.
INSIDE: ContextVar[tuple[str, ...]] = ContextVar("sayso_adk_inside", default=())


class Left(BaseException):
    """A call is left where it waits. No cancellation: of one ADK tells the callbacks for errors and
    ends of agents, and to wait is neither."""


#: How a model gives its answer in a shape; no tool of anyone.
_REPLIES = frozenset({"set_model_response", "finish_task"})


def gate_all(tools: dict[str, BaseTool], seam: Seam) -> None:
    """Put every tool of a model's request behind the seam. The agent's own tools stay as they
    are."""
    for name, tool in list(tools.items()):
        if name not in _REPLIES and not is_gated(tool):
            tools[name] = _gated(tool, seam)


def is_gated(tool: BaseTool) -> bool:
    return isinstance(tool, SaysoTool) or _MARK in vars(tool)


_MARK = "sayso_gated"


def _gated(tool: BaseTool, seam: Seam) -> BaseTool:
    """A copy that ADK, its callbacks and its plugins take for the tool itself, but for what it
    does when it is called."""

    async def run_async(*, args: dict[str, Any], tool_context: ToolContext) -> Any:
        ours = tool.func if isinstance(tool, FunctionTool) else None
        if isinstance(ours, Tool):
            return await seam.call(tool.name, args, tool_context, ours)
        asks = await _asks(tool, args, tool_context)
        native = NativeTool(seam, tool, tool_context, asks=asks)
        return await seam.call(tool.name, args, tool_context, native)

    async def check_require_confirmation(args: object, tool_context: object) -> bool:
        return False  # it is the toolbox that asks

    gated = copy.copy(tool)
    vars(gated).update(
        {
            _MARK: True,
            "run_async": run_async,
            "check_require_confirmation": check_require_confirmation,
        }
    )
    return gated


class SaysoTool(BaseTool):
    """A tool of the toolbox, as a native tool of ADK."""

    def __init__(self, tool: Runnable, seam: Seam) -> None:
        super().__init__(name=tool.name, description=tool.description)
        self._tool, self._seam = tool, seam

    def _get_declaration(self) -> types.FunctionDeclaration:
        return types.FunctionDeclaration(
            name=self.name,
            description=self.description,
            parameters_json_schema=self._tool.schema,
        )

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> Any:
        return await self._seam.call(self.name, args, tool_context, self._tool)


async def _asks(tool: BaseTool, args: dict[str, Any], context: ToolContext) -> bool:
    """Whether its author wants a confirmation of this call; one that cannot say is asked for."""
    try:
        return bool(await tool.check_require_confirmation(args, context))
    except Exception:
        return True


class NativeTool:
    """A tool of the agent's own in one call, as the toolbox sees it (tools.tool.Runnable)."""

    is_ours = False
    in_thread = False

    def __init__(
        self,
        seam: Seam,
        tool: BaseTool,
        context: ToolContext,
        *,
        asks: bool,
    ) -> None:
        self._seam, self._tool, self._context = seam, tool, context
        self.name, self.description = tool.name, tool.description or ""
        self.traits = _traits(tool, asks)
        #: What it returned, where it ran in this segment: it may be more than JSON, for the model.
        self.ran = False
        self.returned: object = None
        self._hint: str | None = None

    @property
    def schema(self) -> JsonObject:
        declared = self._tool._get_declaration()
        if declared is None:
            return {}
        if declared.parameters_json_schema is not None:
            return dict(plain(declared.parameters_json_schema))
        if declared.parameters is None:
            return {"type": "object", "properties": {}}
        return dict(plain(declared.parameters.json_schema.model_dump(exclude_none=True)))

    def check(self, arguments: Mapping[str, JsonValue]) -> JsonObject:
        """Whole, with what the tool fills in; ADK itself checks them when it calls the function."""
        properties = self.schema.get("properties")
        known = properties.items() if isinstance(properties, dict) else ()
        filled = {
            name: field["default"]
            for name, field in known
            if isinstance(field, dict) and field.get("default") is not None
        }
        return {**filled, **arguments}

    async def propose(self, arguments: JsonObject, ctx: object) -> Prepared | None:
        return Prepared(message=self._hint) if self._hint else None

    def start(self, arguments: JsonObject, ctx: object) -> Awaitable[object]:
        return self._run(arguments, approved=getattr(ctx, "proposal", None) is not None)

    async def _run(self, arguments: JsonObject, *, approved: bool) -> object:
        key = self._seam.key_of(self._context)
        if approved:
            payload = self._seam.record.payloads.get(key)
            self._context.tool_confirmation = ToolConfirmation(confirmed=True, payload=payload)
        inside = INSIDE.set((*INSIDE.get(), key))
        try:
            found = await self._runnable().run_async(
                args=dict(arguments), tool_context=self._context
            )
        except (asyncio.CancelledError, Left):
            if self._seam.stopping:
                # An agent within this call waits for a person: the call goes on after the answer.
                raise Pause(()) from None
            raise
        finally:
            INSIDE.reset(inside)
        self._check_requests(key)
        if self._tool.is_long_running and not found:
            return _question(self._tool, arguments)
        self._seam.keep_actions(key, self._context.actions)
        self.ran, self.returned = True, found
        return found

    def _runnable(self) -> BaseTool:
        if not isinstance(self._tool, AgentTool) or self._tool.include_plugins:
            return self._tool
        # The inner agent is to run without the app's plugins, but never without the seam.
        tool, inner = copy.copy(self._tool), self._context._invocation_context
        tool.include_plugins = True
        manager = PluginManager(plugins=self._seam.plugins)
        self._context._invocation_context = inner.model_copy(update={"plugin_manager": manager})
        return tool

    def _check_requests(self, key: str) -> None:
        """A tool may ask for a confirmation in its own body; what it returned then is no result."""
        actions = self._context.actions
        if actions.requested_auth_configs:
            raise NotSupportedError(
                f"The tool '{self.name}' asks for a login by ADK's request_credential.",
                fix="Give the tool its credentials another way.",
            )
        asked = actions.requested_tool_confirmations.pop(self._context.function_call_id or "", None)
        if asked is None:
            return
        self._seam.record.payloads[key] = plain(asked.payload)
        self._hint = asked.hint
        raise ProposalStale(asked.hint or "the tool asks for a confirmation")


def plain(value: object) -> Any:
    return to_jsonable_python(value)


def _traits(tool: BaseTool, asks: bool) -> Traits:
    """What a tool declares of itself: the annotations of MCP; control of ADK's own acts on nothing.

    An agent within a tool does nothing but by its own tools, each of which passes the seam itself.
    """
    func = tool.func if isinstance(tool, FunctionTool) else None
    control = isinstance(tool, AgentTool | TransferToAgentTool)
    if control or func in (exit_loop, transfer_to_agent):
        return Traits(approval=asks, read_only=True)
    annotations = getattr(getattr(tool, "raw_mcp_tool", None), "annotations", None)
    hints = annotations.model_dump(by_alias=True) if annotations is not None else {}
    return Traits(
        approval=asks,
        read_only=hints.get("readOnlyHint") is True,
        destructive=hints.get("destructiveHint") is True,
        idempotent=hints.get("idempotentHint") is True,
    )


def _question(tool: BaseTool, arguments: JsonObject) -> JsonObject:
    """A long-running tool that has returned nothing waits for someone outside: seed 1's shape of
    it."""
    asked = arguments.get("message") or arguments.get("question")
    offered = arguments.get("options")
    options: list[JsonValue] = [
        {"id": str(one), "label": str(one)}
        for one in (offered if isinstance(offered, list) else ())
    ]
    words = str(asked) if asked else f"{tool.name} is done outside of the agent. What came of it?"
    if options and not asked:
        words = "Which one?"
    return {"user_input_required": True, "question": words, "options": options}
