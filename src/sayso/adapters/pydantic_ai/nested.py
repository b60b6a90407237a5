"""Agents that run within a call of the agent: what they call passes the toolbox too, and may wait.

The code of a tool makes them, so that none is known before it runs: each run of an agent that
begins within a segment is given a capability. After an answer the tool's body runs again, and what
the models of its agents have said comes from the record. Where nobody could be asked (in a thread,
or outside of a call) what needs a person is refused.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Collection, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import wraps
from hashlib import sha256
from typing import Any

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
from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering
from pydantic_ai.messages import ModelResponse
from pydantic_core import to_json

from sayso.adapters.pydantic_ai.messages import Conversation, open_calls, responses
from sayso.adapters.pydantic_ai.toolsets import (
    Calls,
    GatedToolset,
    NativeTool,
    plain,
    result_of,
)
from sayso.core.children import Request
from sayso.core.digest import JsonObject
from sayso.core.errors import NotSupportedError, ReplayDiverged, SaysoError
from sayso.core.policy import Verdict
from sayso.tools.call import NeedsPerson, Returned
from sayso.tools.pause import Pause
from sayso.tools.tool import Prepared, Runnable
from sayso.tools.toolbox import Toolbox


class Nest:
    """The agents within the calls of one segment."""

    def __init__(self, toolbox: Toolbox) -> None:
        self.toolbox = toolbox
        #: What was said in them, by their place: the call's key, the agent's name, a number.
        self.said: dict[str, Conversation] = {}
        #: What ends the run, whatever the code between has made of it.
        self.failure: SaysoError | None = None
        self.loop = asyncio.get_running_loop()

    async def call(
        self, key: str, tool: Runnable, arguments: Mapping[str, JsonValue], agent_name: str
    ) -> Returned | NeedsPerson:
        """A call through the toolbox, whose body may run agents."""
        body = Body(self, tool, key)
        came = await self.toolbox.call(key, tool.name, arguments, agent_name=agent_name, tool=body)
        self.check()
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


class Body:
    """A tool, and what encloses the agents that its body runs (tools.tool.Runnable)."""

    def __init__(self, nest: Nest, tool: Runnable, key: str) -> None:
        self.nest, self._tool, self._key = nest, tool, key
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

    def start(self, arguments: JsonObject, ctx: object) -> Awaitable[object]:
        return self._run(arguments, ctx)

    async def _run(self, arguments: JsonObject, ctx: object) -> object:
        token, found = _WHERE.set(self), None
        try:
            found = await self._tool.start(arguments, ctx)
        except BaseException as exc:
            if not self.requests or isinstance(exc, asyncio.CancelledError):
                raise
        finally:
            _WHERE.reset(token)
        if not self.requests:
            return found
        # `gather` leaves what runs beside an agent that waits at work, and TaskGroup wraps Pause.
        while self._at_work:
            self._changed.clear()
            await self._changed.wait()
        raise Pause(list(self.requests.values()))

    def conversation(self, agent: str, asked: str) -> tuple[str, Conversation]:
        """What was said to this agent where the body runs it now, and its place."""
        said, start = self.nest.said, f"{self._key}>{agent}"
        mine = [at for at in said if at.rpartition("#")[0] == start]
        left = [at for at in mine if at not in self._taken]
        place = next((at for at in left if said[at].asked == asked), f"{start}#{len(mine)}")
        if left and place not in left:
            raise self.nest.fail(
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


class Gate(AbstractCapability[Any]):
    """Around everything that the agent itself can call, its own tools and toolsets included,
    without touching them."""

    def __init__(self, calls: Calls, nest: Nest) -> None:
        self._calls, self._nest = calls, nest

    def get_wrapper_toolset(self, toolset: AbstractToolset[Any]) -> AbstractToolset[Any]:
        return GatedToolset(toolset, self._calls)

    async def wrap_run(self, ctx: RunContext[Any], *, handler: Any) -> Any:
        token = _WHERE.set(self._nest)
        try:
            return await handler()
        finally:
            _WHERE.reset(token)


class _Held(AbstractCapability[Any]):
    """One run of an agent within a call (toolsets.Calls)."""

    def __init__(self, body: Body, agent_name: str, asked: str) -> None:
        self._body, self._nest, self._agent_name = body, body.nest, agent_name
        self._place, self._said = body.conversation(agent_name, asked)
        self._going_on = open_calls(self._said.messages)
        self._waits = False

    def get_ordering(self) -> CapabilityOrdering:
        return CapabilityOrdering(position="outermost")

    def get_wrapper_toolset(self, toolset: AbstractToolset[Any]) -> AbstractToolset[Any]:
        return GatedToolset(toolset, self)

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
            response: ModelResponse = await handler(request_context)
            self._said.messages = [*ctx.messages, response]
            return response
        reply = known[place]
        if not isinstance(reply, ModelResponse):
            raise self._nest.fail(
                ReplayDiverged(f"The agent '{self._agent_name}' asks its model at another place.")
            )
        # What its tools have returned as it was: the toolbox knows it as JSON alone.
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
        native = NativeTool(tool, wrapped, ctx, arguments)
        key = f"{self._place}:{responses(ctx.messages)}:{ctx.tool_call_id or name}"
        came = await self._nest.call(key, native, plain(arguments), self._agent_name)
        if isinstance(came, NeedsPerson):
            self._waits = True
            self._body.requests.update({request.call_key: request for request in came.requests})
            raise ApprovalRequired
        return result_of(came, native)

    async def handle_deferred_tool_calls(
        self, ctx: RunContext[Any], *, requests: DeferredToolRequests
    ) -> DeferredToolResults | None:
        """The reply's other calls have come back: now this run waits."""
        if self._waits:
            raise Pause(list(self._body.requests.values()))
        return None

    async def miss(self, tools: Collection[str]) -> None:
        going_on, self._going_on = self._going_on, []
        for call in going_on:
            if call.tool_name not in tools:
                key = f"{self._place}:{responses(self._said.messages)}:{call.tool_call_id}"
                await self._nest.toolbox.call(key, call.tool_name, {})


class _Unheld(AbstractCapability[Any]):
    """One run of an agent where nothing can wait: only what the policy allows runs."""

    def __init__(self, nest: Nest, where: str, fix: str) -> None:
        self._nest, self._where, self._fix = nest, where, fix

    def get_ordering(self) -> CapabilityOrdering:
        return CapabilityOrdering(position="outermost")

    def get_wrapper_toolset(self, toolset: AbstractToolset[Any]) -> AbstractToolset[Any]:
        return _Allowed(toolset, self)

    def check(self, tool: Runnable, arguments: Mapping[str, JsonValue]) -> None:
        if self._nest.toolbox.verdict(tool, arguments).verdict is not Verdict.ALLOW:
            raise self._nest.fail(
                NotSupportedError(
                    f"The policy does not let '{tool.name}' run by itself, and nobody can be "
                    f"asked {self._where}.",
                    fix=self._fix,
                )
            )


@dataclass
class _Allowed(WrapperToolset[Any]):
    run: _Unheld

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:
        native = NativeTool(tool, self.wrapped, ctx, tool_args)
        self.run.check(native, plain(tool_args))
        return await self.wrapped.call_tool(name, tool_args, ctx, tool)


#: What the framework calls of these; by another name it would never be called.
HOOKS = (
    "get_ordering",
    "get_wrapper_toolset",
    "wrap_run",
    "wrap_model_request",
    "handle_deferred_tool_calls",
)

#: Where the running code is: in the body of a call, or in a segment outside of any.
_WHERE: ContextVar[Body | Nest | None] = ContextVar("sayso_pydantic_ai_where", default=None)


def _around(where: Body | Nest, agent: Agent[Any, Any], asked: object) -> AbstractCapability[Any]:
    """What a run of this agent, which begins here, is held by."""
    name = agent.name or "agent"
    if isinstance(where, Nest):
        told = f"where '{name}' runs: it is outside of any tool"
        return _Unheld(where, told, f"Run '{name}' in an `async def` tool.")
    if asyncio.get_running_loop() is not where.nest.loop:
        told = f"where '{name}' runs: '{where.name}' blocks a thread until it ends"
        fix = f"Make '{where.name}' an `async def` that awaits `{name}.run(…)`."
        return _Unheld(where.nest, told, fix)
    return _Held(where, name, sha256(to_json(asked, bytes_mode="base64")).hexdigest())


if "iter" not in vars(Agent):  # what it would inherit runs nothing, and nothing would be gated
    raise ImportError("its Agent has no 'iter' of its own")
_iter = Agent.iter


@wraps(_iter)
def _iter_held(self: Agent[Any, Any], user_prompt: Any = None, **options: Any) -> Any:
    """`Agent.iter`, which every way to run an agent comes to. Outside of Sayso it is as it was."""
    where = _WHERE.get()
    if where is not None:
        held = _around(where, self, user_prompt)
        options["capabilities"] = [*(options.get("capabilities") or ()), held]
    return _iter(self, user_prompt, **options)


Agent.iter = _iter_held  # type: ignore[method-assign]  # there is no hook for agents yet unknown
