"""Agents that run within a call of the agent: what they call passes the toolbox too, and may wait.

They are found before a segment by what the agent's code can reach, and have one more capability
within it: the framework's override, which holds for the code of the segment alone. After an answer
the tool's body runs again, and the replies of its agents' models come from the record. Where nobody
could be asked (in a thread, or outside a call), what needs a person is refused.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass
from hashlib import sha256
from types import FrameType
from typing import Any, Protocol, cast

from pydantic import JsonValue
from pydantic_ai import (
    AbstractToolset,
    Agent,
    ApprovalRequired,
    DeferredToolRequests,
    DeferredToolResults,
    RunContext,
    ToolsetTool,
    WrapperToolset,
)
from pydantic_ai._agent_graph import _messages_ctx_var, _RunMessages
from pydantic_ai._utils import Some
from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering, CombinedCapability
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.toolsets import FunctionToolset
from pydantic_core import to_json

from sayso.adapters.pydantic_ai.model_replies import tell_reply, whole
from sayso.adapters.pydantic_ai.native_tool import PydanticTool, plain, result_of
from sayso.adapters.pydantic_ai.state import Conversation, open_calls, responses
from sayso.adapters.pydantic_ai.tool_calls import CallHandler, RoutedToolset
from sayso.adapters.reach import reachable
from sayso.adapters.turn import within
from sayso.core.children import Request
from sayso.core.digest import JsonObject
from sayso.core.errors import NotSupportedError, ReplayDiverged, SaysoError
from sayso.core.policy_rules import Verdict
from sayso.tools.calls import CallSuspended, Returned
from sayso.tools.suspension import Suspend
from sayso.tools.tool import Prepared, Runnable
from sayso.tools.toolbox import Toolbox


class NestedAgents:
    """The agents within the calls of one segment."""

    def __init__(self, toolbox: Toolbox) -> None:
        self.toolbox = toolbox
        #: What was said in them, by their place: the call's key, the agent's name, a number.
        self.said: dict[str, Conversation] = {}
        #: The calls whose tools leave it to a person to answer in their place.
        self.deferred: set[str] = set()
        #: What ends the run, whatever the code between has made of it.
        self.failure: SaysoError | None = None
        self.loop = asyncio.get_running_loop()
        self.runs = RunsSeen(self)

    async def call(
        self, key: str, tool: Runnable, arguments: Mapping[str, JsonValue], agent_name: str
    ) -> Returned | CallSuspended:
        """Make a call through the toolbox; its body may run agents."""
        body = ToolBody(self, tool, key)
        came = await self.toolbox.call(key, tool.name, arguments, agent_name=agent_name, tool=body)
        self.check()
        if isinstance(tool, PydanticTool) and tool.is_deferred:
            self.deferred.add(key)
        if isinstance(came, Returned):
            for place in [place for place in self.said if place.startswith(f"{key}>")]:
                del self.said[place]
        return came

    def fail(self, error: SaysoError) -> SaysoError:
        self.failure = self.failure or error
        return error

    def check(self) -> None:
        if self.failure is not None:
            raise self.failure


class ToolBody:
    """A tool, and what encloses the agents that its body runs (tools.tool.Runnable)."""

    def __init__(self, agents: NestedAgents, tool: Runnable, key: str) -> None:
        self.agents, self._tool, self._key = agents, tool, key
        self.name, self.description, self.traits = tool.name, tool.description, tool.traits
        self.is_ours, self.in_thread = tool.is_ours, tool.in_thread
        #: What calls of the agents in here have asked for, by call key.
        self.requests: dict[str, Request] = {}
        self._taken: list[str] = []
        self._at_work = 0
        self._changed = asyncio.Event()

    @property
    def schema(self) -> JsonObject:
        return self._tool.schema

    def check(self, arguments: Mapping[str, JsonValue]) -> JsonObject:
        return self._tool.check(arguments)

    async def propose(self, arguments: JsonObject, ctx: object) -> Prepared | None:
        return await self._tool.propose(arguments, ctx)

    async def start(self, arguments: JsonObject, ctx: object) -> object:
        found = None
        try:
            with within(_enclosing, self):
                found = await self._tool.start(arguments, ctx)
        except BaseException as exc:
            if not self.requests or isinstance(exc, asyncio.CancelledError):
                raise
        if not self.requests:
            return found
        # `gather` leaves running what is beside an agent that waits, and a TaskGroup wraps Suspend.
        while self._at_work:
            self._changed.clear()
            await self._changed.wait()
        raise Suspend(list(self.requests.values()))

    def conversation(self, agent: str, asked: str) -> tuple[str, Conversation]:
        """Return what was said with this agent where the body runs it now, and its place."""
        said, start = self.agents.said, f"{self._key}>{agent}"
        mine = [at for at in said if at.rpartition("#")[0] == start]
        left = [at for at in mine if at not in self._taken]
        place = next((at for at in left if said[at].asked == asked), f"{start}#{len(mine)}")
        if left and place not in left:
            raise self.agents.fail(
                ReplayDiverged(
                    f"'{self.name}' runs again after an answer, and asks the agent '{agent}' "
                    "something else than before (a time or a random value in its prompt?)."
                )
            )
        self._taken.append(place)
        return place, said.setdefault(place, Conversation(asked))

    def begins(self) -> None:
        self._at_work += 1

    def ends(self) -> None:
        self._at_work -= 1
        self._changed.set()


class _Outermost(AbstractCapability[Any]):
    def get_ordering(self) -> CapabilityOrdering:
        return CapabilityOrdering(position="outermost")


class SegmentCalls(CallHandler, Protocol):
    """Takes the calls of the segment's own agent."""

    def waiting(self, requests: DeferredToolRequests) -> Sequence[Request]:
        """Return the cards that these calls wait for."""
        ...


class RoutedCalls(_Outermost):
    """Sends everything that the agent itself can call through the toolbox, its own tools and
    toolsets included, without touching them."""

    def __init__(self, calls: SegmentCalls, agents: NestedAgents) -> None:
        self._calls, self._agents = calls, agents

    def get_wrapper_toolset(self, toolset: AbstractToolset[Any]) -> AbstractToolset[Any]:
        return RoutedToolset(toolset, self._calls)

    async def wrap_run(self, ctx: RunContext[Any], *, handler: Any) -> Any:
        with within(_enclosing, self._agents):
            return await handler()

    async def wrap_model_request(
        self, ctx: RunContext[Any], *, request_context: Any, handler: Any
    ) -> ModelResponse:
        return whole(await handler(request_context))

    async def after_model_request(
        self, ctx: RunContext[Any], *, request_context: Any, response: ModelResponse
    ) -> ModelResponse:
        await tell_reply(self._agents.toolbox.env, response, self._agents.toolbox.env.agent_name)
        return response

    async def handle_deferred_tool_calls(
        self, ctx: RunContext[Any], *, requests: DeferredToolRequests
    ) -> DeferredToolResults | None:
        """Wait now: the reply's other calls have come back."""
        raise Suspend(self._calls.waiting(requests))


class NestedRun(_Outermost):
    """One run of an agent within a call (tool_calls.CallHandler)."""

    def __init__(self, body: ToolBody, agent_name: str, asked: str) -> None:
        self._body, self._agents, self._agent_name = body, body.agents, agent_name
        self._place, self._said = body.conversation(agent_name, asked)
        self._going_on = open_calls(self._said.messages)
        self._waits = False

    def get_wrapper_toolset(self, toolset: AbstractToolset[Any]) -> AbstractToolset[Any]:
        return RoutedToolset(toolset, self)

    async def wrap_run(self, ctx: RunContext[Any], *, handler: Any) -> Any:
        self._body.begins()
        try:
            return await handler()
        finally:
            self._body.ends()

    async def wrap_model_request(
        self, ctx: RunContext[Any], *, request_context: Any, handler: Any
    ) -> ModelResponse:
        known, place = self._said.messages, len(ctx.messages)
        if place >= len(known):
            response = whole(await handler(request_context))
            await tell_reply(self._agents.toolbox.env, response, self._agent_name)
            self._said.messages = [*ctx.messages, response]
            return response
        reply = known[place]
        if not isinstance(reply, ModelResponse):
            raise self._agents.fail(
                ReplayDiverged(f"The agent '{self._agent_name}' asks its model at another place.")
            )
        # What its tools returned, as it was: the toolbox knows it as JSON only.
        ctx.messages[:] = known[:place]
        return reply

    async def call(
        self,
        name: str,
        arguments: dict[str, Any],
        ctx: RunContext[Any],
        tool: ToolsetTool[Any],
        wrapped: AbstractToolset[Any],
    ) -> object:
        native = PydanticTool(tool, wrapped, ctx, arguments)
        key = f"{self._place}:{responses(ctx.messages)}:{ctx.tool_call_id or name}"
        came = await self._agents.call(key, native, plain(arguments), self._agent_name)
        if isinstance(came, CallSuspended):
            self._waits = True
            self._body.requests.update({request.call_key: request for request in came.requests})
            raise ApprovalRequired
        return result_of(came, native, is_deferred=key in self._agents.deferred)

    async def handle_deferred_tool_calls(
        self, ctx: RunContext[Any], *, requests: DeferredToolRequests
    ) -> DeferredToolResults | None:
        """Wait now: the reply's other calls have come back."""
        if self._waits:
            raise Suspend(list(self._body.requests.values()))
        return None

    async def check_offered(self, tools: Mapping[str, ToolsetTool[Any]]) -> None:
        going_on, self._going_on = self._going_on, []
        for call in going_on:
            if call.tool_name not in tools:
                key = f"{self._place}:{responses(self._said.messages)}:{call.tool_call_id}"
                await self._agents.toolbox.call(key, call.tool_name, {})


class UnaskableRun(_Outermost):
    """One run of an agent where nothing can wait: only what the policy allows runs."""

    def __init__(self, agents: NestedAgents, where: str, fix: str) -> None:
        self._agents, self._where, self._fix = agents, where, fix

    def get_wrapper_toolset(self, toolset: AbstractToolset[Any]) -> AbstractToolset[Any]:
        return AllowedToolset(toolset, self)

    def check(self, tool: Runnable, arguments: Mapping[str, JsonValue]) -> None:
        if self._agents.toolbox.verdict(tool, arguments).verdict is not Verdict.ALLOW:
            raise self._agents.fail(
                NotSupportedError(
                    f"The policy does not let '{tool.name}' run by itself, and nobody can be "
                    f"asked {self._where}.",
                    fix=self._fix,
                )
            )


@dataclass
class AllowedToolset(WrapperToolset[Any]):
    """The tools of a run where nothing can wait."""

    run: UnaskableRun

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:
        native = PydanticTool(tool, self.wrapped, ctx, tool_args)
        self.run.check(native, plain(tool_args))
        return await self.wrapped.call_tool(name, tool_args, ctx, tool)


#: The hooks that these override; under other names the framework would never call them.
HOOKS = (
    "get_ordering",
    "get_wrapper_toolset",
    "wrap_run",
    "wrap_model_request",
    "handle_deferred_tool_calls",
)

#: What encloses the running code: the body of a call, or the segment itself.
_enclosing: ContextVar[ToolBody | NestedAgents | None] = ContextVar(
    "sayso_pydantic_ai_where", default=None
)


def _capability_for(
    where: ToolBody | NestedAgents, name: str, asked: object
) -> AbstractCapability[Any]:
    """Return the capability of a run of this agent that begins here."""
    if isinstance(where, NestedAgents):
        told = f"where '{name}' runs: it is outside of any tool"
        return UnaskableRun(where, told, f"Run '{name}' in an `async def` tool.")
    if asyncio.get_running_loop() is not where.agents.loop:
        told = f"where '{name}' runs: '{where.name}' blocks a thread until it ends"
        fix = f"Make '{where.name}' an `async def` that awaits `{name}.run(…)`."
        return UnaskableRun(where.agents, told, fix)
    return NestedRun(where, name, sha256(to_json(asked, bytes_mode="base64")).hexdigest())


class Watched(_Outermost):
    """What every agent that a segment can reach has within it; elsewhere it does nothing."""

    async def for_run(self, ctx: RunContext[Any]) -> AbstractCapability[Any]:
        where = _enclosing.get()
        if where is None:
            return self
        agents = where if isinstance(where, NestedAgents) else where.agents
        agents.runs.expected += 1
        return _capability_for(where, (ctx.agent and ctx.agent.name) or "agent", ctx.prompt)


class RunsSeen:
    """What the framework writes the messages of the segment's own run to, and asks at the start of
    every other run within it (its `capture_run_messages`). So no agent runs here unseen: one that
    no code of the segment's agent could be seen to hold is stopped before its model is asked."""

    def __init__(self, agents: NestedAgents) -> None:
        self.messages: list[ModelMessage] = []
        self._agents = agents
        #: Runs that have begun under our eyes, and are still to ask.
        self.expected = 1
        self._is_used = False

    @property
    def used(self) -> bool:
        if self.expected == 0:
            if not _has_tools(sys._getframe(1)):
                return True  # it can do nothing that a policy would hold
            raise self._agents.fail(
                NotSupportedError(
                    "An agent ran within a tool that could not be found before: nothing could hold "
                    "its calls.",
                    fix="Make that agent outside of the function that runs it, and name it there.",
                )
            )
        self.expected -= 1
        return self._is_used

    @used.setter
    def used(self, value: bool) -> None:
        self._is_used = value

    def open(self) -> AbstractContextManager[object]:
        return within(_messages_ctx_var, cast("_RunMessages", self))


def _has_tools(asking: FrameType) -> bool:
    """Tell whether the run that asks has any tool. What the framework itself runs within a tool of
    its own (to describe a picture) has none."""
    deps = getattr(asking.f_locals.get("ctx"), "deps", None)
    toolset = getattr(getattr(deps, "tool_manager", None), "toolset", None)
    if not isinstance(toolset, AbstractToolset):
        return True
    leaves: list[AbstractToolset[Any]] = []
    toolset.apply(leaves.append)
    return any(not isinstance(leaf, FunctionToolset) or leaf.tools for leaf in leaves)


def watch(agents: Iterable[Agent[Any, Any]]) -> None:
    """Let what these agents call pass the toolbox, in the code that runs in this context: the
    agents themselves stay as they are."""
    for agent in agents:
        whole = CombinedCapability([agent.root_capability, Watched()])
        agent._override_root_capability.set(Some(whole))


def agents_within(agent: object, *given: object) -> list[Agent[Any, Any]]:
    """Return the agents that the code of an agent, or what the application gives it, can reach."""
    return [one for one in reachable([agent, *given], Agent) if one is not agent]
