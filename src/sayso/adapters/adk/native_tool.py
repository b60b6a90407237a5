"""A tool of an agent of ADK, as the toolbox sees it."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from google.adk.events.event_actions import EventActions
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.plugins.plugin_manager import PluginManager
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.exit_loop_tool import exit_loop
from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.tool_confirmation import ToolConfirmation
from google.adk.tools.tool_context import ToolContext
from google.adk.tools.transfer_to_agent_tool import TransferToAgentTool, transfer_to_agent
from pydantic import JsonValue
from pydantic_core import to_jsonable_python

from sayso.adapters.adk.asked_values import ConfirmationPayload, request_of
from sayso.adapters.adk.standstill import INSIDE, RunStopping, Standstill
from sayso.adapters.adk.state import AdkRecord
from sayso.adapters.contract import Segment
from sayso.adapters.native import NativeTool, hinted_traits, was_approved
from sayso.adapters.turn import within
from sayso.core.digest import JsonObject
from sayso.core.errors import NotSupportedError
from sayso.tools.suspension import ProposalStale, SaidError, Suspend
from sayso.tools.threads import is_async
from sayso.tools.tool import Prepared, Traits


@dataclass
class BodyScope:
    """What the body of a tool may reach of the run that it is in."""

    segment: Segment
    record: AdkRecord
    standstill: Standstill
    #: For the agents within a tool that run without the app's plugins.
    plugins: Sequence[BasePlugin] = field(default=())

    def keep_actions(self, key: str, actions: EventActions) -> None:
        """Keep what a body did to the session, to be done again where its result is played
        again."""
        did: JsonObject = actions.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
        delta = did.get("state_delta")
        if isinstance(delta, dict):
            did["state_delta"] = {k: v for k, v in delta.items() if not k.startswith("temp:")}
        if did:
            self.record.actions[key] = did
            self.segment.env.changed = True

    def keep_returned(self, key: str, found: JsonValue) -> None:
        """Keep what a long-running tool returned, whose result is still to come."""
        if found is not None:
            self.record.returned[key] = found
            self.segment.env.changed = True


class AdkTool(NativeTool):
    """One of the agents' own tools, in one call."""

    def __init__(
        self, tool: BaseTool, context: ToolContext, key: str, scope: BodyScope, *, asks: bool
    ) -> None:
        super().__init__(
            tool.name, tool.description, traits_of(tool, asks), in_thread=_is_in_thread(tool)
        )
        self._tool, self._context, self._key, self._scope = tool, context, key, scope
        #: What it returned, where it ran in this segment: it may be more than JSON, for the model.
        self.ran = False
        self.returned: object = None
        self._hint: str | None = None

    @property
    def is_long_running(self) -> bool:
        return bool(self._tool.is_long_running)

    @property
    def schema(self) -> JsonObject:
        declared = self._declared()
        asked = self._payload(declared).properties
        if not asked:
            return declared
        known = declared.get("properties")
        return {**declared, "properties": {**(known if isinstance(known, dict) else {}), **asked}}

    def with_payload(self, arguments: JsonObject) -> JsonObject:
        """Return the arguments with what the tool wants to know with a person's yes, where it has
        asked for one."""
        return {**self._payload(self._declared()).shown, **arguments}

    def _payload(self, declared: JsonObject) -> ConfirmationPayload:
        known = declared.get("properties")
        parameters = set(known) if isinstance(known, dict) else set()
        return ConfirmationPayload(self._scope.record.payloads.get(self._key), parameters)

    def _declared(self) -> JsonObject:
        declared = self._tool._get_declaration()
        if declared is None:
            return {}
        if declared.parameters_json_schema is not None:
            return dict(plain(declared.parameters_json_schema))
        if declared.parameters is None:
            return {"type": "object", "properties": {}}
        return dict(plain(declared.parameters.json_schema.model_dump(exclude_none=True)))

    def check(self, arguments: Mapping[str, JsonValue]) -> JsonObject:
        """Return the arguments whole, with the defaults that the tool's own declaration names."""
        properties = self.schema.get("properties")
        known = properties.items() if isinstance(properties, dict) else ()
        filled = {
            name: field["default"]
            for name, field in known
            if isinstance(field, dict) and field.get("default") is not None
        }
        whole = {**filled, **arguments}
        return super().check(whole) if known else whole

    async def propose(self, arguments: JsonObject, ctx: object) -> Prepared | None:
        return Prepared(message=self._hint) if self._hint else None

    async def start(self, arguments: JsonObject, ctx: object) -> object:
        scope, key = self._scope, self._key
        arguments, payload = self._payload(self._declared()).split(arguments)
        if was_approved(ctx):
            self._context.tool_confirmation = ToolConfirmation(confirmed=True, payload=payload)
        try:
            with within(INSIDE, (*INSIDE.get(), key)):
                found = await self._runnable().run_async(
                    args=dict(arguments), tool_context=self._context
                )
        except (asyncio.CancelledError, RunStopping) as exc:
            standstill = scope.standstill
            is_cut = isinstance(exc, asyncio.CancelledError) and standstill.failure is not None
            if standstill.stopping and not is_cut:
                # An agent within this call waits for a person: the call goes on after the answer.
                raise Suspend(()) from None
            raise
        self._check_requests(arguments)
        if self.is_long_running:
            waits_for = request_of(self.name, arguments, plain(found))
            if waits_for is not None:
                scope.keep_returned(key, plain(found))
                return waits_for
        scope.keep_actions(key, self._context.actions)
        self.ran, self.returned = True, found
        if isinstance(found, dict) and found.get("isError") is True:
            raise SaidError(_mcp_words(found))
        return found

    def _runnable(self) -> BaseTool:
        if not isinstance(self._tool, AgentTool) or self._tool.include_plugins:
            return self._tool
        # The inner agent is to run without the app's plugins, but never without ours.
        tool, inner = copy.copy(self._tool), self._context._invocation_context
        tool.include_plugins = True
        manager = PluginManager(plugins=list(self._scope.plugins))
        self._context._invocation_context = inner.model_copy(update={"plugin_manager": manager})
        return tool

    def _check_requests(self, arguments: JsonObject) -> None:
        """Ask anew where the body asked for a confirmation; what it returned then is no result."""
        actions = self._context.actions
        if actions.requested_auth_configs:
            raise NotSupportedError(
                f"The tool '{self.name}' asks for a login by ADK's request_credential.",
                fix="Give the tool its credentials another way.",
            )
        asked = actions.requested_tool_confirmations.pop(self._context.function_call_id or "", None)
        if asked is None:
            return
        self._scope.record.payloads[self._key] = plain(asked.payload)
        self._hint = asked.hint
        why = asked.hint or "the tool asks for a confirmation"
        raise ProposalStale(why, arguments=self.with_payload(arguments))


def _is_in_thread(tool: BaseTool) -> bool:
    """Tell whether ADK runs a tool's function in a thread, as the segment's RunConfig says."""
    return isinstance(tool, FunctionTool) and not is_async(tool.func)


def _mcp_words(found: dict[str, Any]) -> str:
    """Return the text of an MCP result that is an error."""
    parts = found.get("content")
    texts = [str(part.get("text", "")) for part in parts or () if isinstance(part, dict)]
    return "\n".join(text for text in texts if text) or "The tool answered with an error."


def plain(value: object) -> Any:
    """Return a value as JSON says it."""
    return to_jsonable_python(value)


def traits_of(tool: BaseTool, asks: bool) -> Traits:
    """Return what a tool declares of itself: MCP's annotations; ADK's own flow control acts on
    nothing.

    An agent within a tool acts only by its own tools, each of which passes the toolbox itself.
    """
    func = tool.func if isinstance(tool, FunctionTool) else None
    control = isinstance(tool, AgentTool | TransferToAgentTool)
    if control or func in (exit_loop, transfer_to_agent):
        return Traits(approval=asks, read_only=True)
    annotations = getattr(getattr(tool, "raw_mcp_tool", None), "annotations", None)
    hints = annotations.model_dump(by_alias=True) if annotations is not None else {}
    # A confirmation that depends on the arguments is its author's word as well.
    declared = bool(getattr(tool, "_require_confirmation", False))
    return hinted_traits(hints, declared=declared, approval=asks)
