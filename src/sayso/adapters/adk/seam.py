"""The seam of one segment: every call of every agent passes the toolbox here, replies are recorded
and played again, and it is known when all that is left of the run waits for people."""

from __future__ import annotations

import asyncio
from typing import Any, NoReturn

from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.invocation_context import InvocationContext
from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext
from google.genai import types

from sayso.adapters.adk.plugins import First, Last
from sayso.adapters.adk.saved import Record, dump_event
from sayso.adapters.adk.tools import (
    INSIDE,
    Left,
    NativeTool,
    SaysoTool,
    gate_all,
    is_gated,
    plain,
)
from sayso.adapters.base import Segment
from sayso.core.children import Request
from sayso.core.digest import JsonObject
from sayso.core.errors import StateUnreadable
from sayso.tools.call import NeedsPerson, Returned
from sayso.tools.pause import StepFailed, Stopped
from sayso.tools.tool import Runnable

#: Turns of the event loop in which nothing may be at work before a run is stopped to wait: ADK
#: hands an event of a parallel agent on in some dozens. One that works on is only played again.
QUIET_TURNS = 200


class Seam:
    def __init__(self, segment: Segment, record: Record) -> None:
        self.record = record
        self._toolbox = segment.toolbox
        self._agent_name = segment.agent_name
        #: The cards that calls of this segment asked for, by call key, in the order of the calls.
        self.requests: dict[str, tuple[Request, ...]] = {}
        #: The segment ends before its agents do: they all wait, or the toolbox raised this.
        self.halt = asyncio.Event()
        self.stopping = False
        self.failure: BaseException | None = None
        self.plugins: list[BasePlugin] = [First(self), Last(self)]
        #: Model calls and tool bodies at work right now.
        self._busy: set[str] = set()
        #: How often each agent has asked its model, by its place in the run.
        self._asked: dict[str, int] = {}
        #: Where the reply of a model that was really asked is recorded, by who was asked.
        self._live: dict[_Who, str] = {}
        #: What it has streamed of that reply so far.
        self._partly: dict[str, list[Event]] = {}
        #: Recorded replies that this segment has not played yet, with the branch they belong to.
        self._unplayed = {at: at.rpartition("|")[0] for at in record.replies}
        self._errors: dict[str, object] = {}

    # ── replies of models ──

    async def before_model(
        self, context: CallbackContext, request: LlmRequest
    ) -> LlmResponse | None:
        place = _place(context.agent_name, context.branch)
        who = _who(context)
        self._forget_left_early(who)
        asked = self._asked[place] = self._asked.get(place, 0) + 1
        at = f"{place}#{asked}"
        self._offer_tools(context, request)
        if at in self.record.replies:
            self._unplayed.pop(at, None)
            return self._play(context, at)
        if place.rpartition("|")[0] in self._unplayed.values():
            await self.fail(
                StateUnreadable(
                    f"'{context.agent_name}' is asked where another agent was when the run "
                    "stopped: the agents have changed since."
                )
            )
        self._live[who] = at
        self._busy.add(at)
        return None

    def on_event(self, event: Event) -> None:
        """Record what a model has replied, before anything is done about it."""
        if event.author == "user":
            return
        # Not by its place: an agent that a tool runs may tell its events outside of that tool.
        who = (event.invocation_id, event.author, event.branch)
        at = self._live.get(who)
        if at is None:
            return
        if event.partial:
            self._partly.setdefault(at, []).append(event)
        elif event.get_function_responses():
            self._no_longer_live(who)
        elif event.content is not None or event.error_code is not None:
            self.record.replies.setdefault(at, []).append(dump_event(event))
            self._partly.pop(at, None)
            self._not_busy(at)

    def ended(self, context: CallbackContext) -> None:
        """An agent has ended, or its model has failed."""
        self._no_longer_live(_who(context))

    def _forget_left_early(self, who: _Who) -> None:
        """Within a branch one asks at a time: whom an agent of Python has left in the middle of a
        reply is not at work any more, and what there is of that reply is all of it."""
        invocation, _, branch = who
        for other in list(self._live):
            under = branch is None or f"{other[2]}.".startswith(f"{branch}.")
            if other[0] != invocation or not under:
                continue
            at = self._live[other]
            partly = self._partly.get(at)
            if partly and at not in self.record.replies:
                parts = [p for e in partly if e.content for p in e.content.parts or ()]
                content = types.Content(role="model", parts=parts)
                whole = partly[-1].model_copy(update={"partial": None, "content": content})
                self.record.replies[at] = [dump_event(whole)]
            self._no_longer_live(other)

    def _no_longer_live(self, who: _Who) -> None:
        at = self._live.pop(who, "")
        self._partly.pop(at, None)
        self._not_busy(at)

    def _play(self, context: CallbackContext, at: str) -> LlmResponse:
        first, *more = self.record.read_reply(at)
        for event in (first, *more):
            context.state.update(event.actions.state_delta)
        if more:  # text and calls that came as events of their own
            parts = [p for e in (first, *more) if e.content for p in e.content.parts or ()]
            first.content = types.Content(role="model", parts=parts)
        fields = {name: getattr(first, name) for name in LlmResponse.model_fields}
        return LlmResponse(**fields)

    def _offer_tools(self, context: CallbackContext, request: LlmRequest) -> None:
        agent: Any = context._invocation_context.agent
        gate_all(request.tools_dict, self)
        built_in = any(
            isinstance(tool, types.Tool) and not tool.function_declarations
            for tool in request.config.tools or ()
        )
        # Gemini takes no functions beside its own search, nor beside an answer in a fixed shape.
        if built_in or getattr(agent, "output_schema", None) is not None:
            return
        request.append_tools(
            [
                SaysoTool(tool, self)
                for tool in self._toolbox.tools
                if tool.name not in request.tools_dict
            ]
        )

    # ── calls ──

    def key_of(self, context: ToolContext) -> str:
        """A call is the same in every segment: the place and turn of its agent, and the model's
        id."""
        place = _place(context.agent_name, context.branch)
        return f"{place}#{self._asked.get(place, 0)}:{context.function_call_id}"

    async def call(
        self, name: str, arguments: dict[str, Any], context: ToolContext, tool: Runnable | None
    ) -> object:
        """One call of a model, through the toolbox. Where it needs a person it does not come
        back."""
        key = self.key_of(context)
        self.requests.setdefault(key, ())
        self._busy.add(key)
        try:
            came = await self._toolbox.call(
                key, name, plain(arguments), agent_name=self.speaker(context.agent_name), tool=tool
            )
        except (Exception, Stopped) as exc:
            # It ends the segment whatever the agents' own error callbacks would make of it.
            await self.fail(exc)
        finally:
            self._not_busy(key)
        match came:
            case NeedsPerson(requests):
                await self._wait(key, requests)
            case Returned():
                return self._value(key, came, context, tool)

    def speaker(self, author: str) -> str:
        """The name people know the agent by: the root goes by the name that it is served under."""
        return self._agent_name if author == self.root_name else author

    root_name = ""

    async def fail(self, exc: BaseException) -> NoReturn:
        self.failure = self.failure or exc
        self._stop()
        await self._until_stopped()

    async def _wait(self, key: str, requests: tuple[Request, ...]) -> NoReturn:
        if self.stopping:
            raise Left
        self.requests[key] = requests
        for outer in INSIDE.get():  # they do nothing but wait for this call
            self._busy.discard(outer)
        self._look(QUIET_TURNS)
        try:
            await self._until_stopped()
        except asyncio.CancelledError:
            # The agents gave the call up themselves: a parallel agent was left early.
            self.requests[key] = ()
            raise

    async def _until_stopped(self) -> NoReturn:
        try:
            await asyncio.get_running_loop().create_future()
        except asyncio.CancelledError:
            if not self.stopping:
                raise
        raise Left

    def _value(
        self, key: str, came: Returned, context: ToolContext, tool: Runnable | None
    ) -> object:
        native = tool if isinstance(tool, NativeTool) else None
        if native is None:
            return came.value
        if not native.ran:
            self._restore_actions(key, context)
        if came.error is not None and self._has_error_callbacks(context):
            self._errors[key] = came.value
            if isinstance(came.exception, Exception):
                raise came.exception
            raise StepFailed.told(native.name, came.error)
        if native.ran and not came.notes:
            return native.returned
        # A long-running tool that returns nothing is one that goes on elsewhere, to ADK.
        return came.value or {"result": came.value}

    def keep_actions(self, key: str, actions: EventActions) -> None:
        """What a tool's body did to the session: it is to be done again where its result is played
        again."""
        did: JsonObject = actions.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
        delta = did.get("state_delta")
        if isinstance(delta, dict):
            did["state_delta"] = {k: v for k, v in delta.items() if not k.startswith("temp:")}
        if did:
            self.record.actions[key] = did
            self._toolbox.world.changed = True

    def _restore_actions(self, key: str, context: ToolContext) -> None:
        did = EventActions.model_validate(self.record.actions.get(key, {}))
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
            if plugin not in self.plugins
        )

    async def on_error(self, tool: BaseTool, args: dict[str, Any], context: ToolContext) -> Any:
        """An error that no plugin has made anything of: its agent's callbacks, or the model, are
        told."""
        value: object
        if is_gated(tool):
            value = self._errors.pop(self.key_of(context), None)
        else:
            value = await self.call(tool.name, args, context, None)  # no such tool
        if value is None or _own_error_callbacks(context._invocation_context):
            return None
        return value if isinstance(value, dict) else {"result": value}

    # ── waiting ──

    def _not_busy(self, one: str) -> None:
        if one in self._busy:
            self._busy.discard(one)
            self._look(QUIET_TURNS)

    def _look(self, turns: int) -> None:
        """Stop once nothing has been at work for some turns of the loop while calls wait."""
        if self._busy or self.stopping or not any(self.requests.values()):
            return
        if turns == 0:
            self._stop()
        else:
            asyncio.get_running_loop().call_soon(self._look, turns - 1)

    def _stop(self) -> None:
        self.stopping = True
        self.halt.set()


#: Invocation, agent and branch: who speaks, in this segment alone.
_Who = tuple[str, str, str | None]


def _who(context: CallbackContext) -> _Who:
    return context.invocation_id, context.agent_name, context.branch


def _place(agent: str, branch: str | None) -> str:
    """An agent's place in the run: the call it runs within, its branch and its name."""
    inside = INSIDE.get()
    return f"{inside[-1] if inside else ''}|{branch or ''}|{agent}"


def _own_error_callbacks(context: InvocationContext) -> bool:
    return bool(getattr(context.agent, "canonical_on_tool_error_callbacks", None))
