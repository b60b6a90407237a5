"""A run's own copy of an agent, with its model and its tools routed to us, and the agents that run
within calls.

The application's agent is never touched: two runs of one agent never see each other. The agents and
clients that a tool's own code names cannot be copied, as that code holds the very object: each gets
a layer, which outside of a call of Sayso does nothing.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from copy import copy
from typing import Any

from agent_framework import (
    AgentContext,
    AgentMiddleware,
    AgentResponse,
    BaseChatClient,
    ChatContext,
    ChatMiddleware,
    ChatResponse,
    FunctionTool,
    Message,
    RawAgent,
    ResponseStream,
    Workflow,
    normalize_tools,
)

from sayso.adapters.agent_framework.model_replies import Replies
from sayso.adapters.agent_framework.state import ENCLOSING, AgentFrameworkEnclosing
from sayso.adapters.agent_framework.tool_calls import Calls
from sayso.adapters.reach import each_within, reachable

#: On an agent or a client that has the layer.
_MARK = "_sayso_layer"


class AgentCopy:
    """The copy for one run of an agent."""

    def __init__(
        self,
        agent: RawAgent[Any],
        enclosing: AgentFrameworkEnclosing,
        path: str,
        heard_at: str | None = None,
    ) -> None:
        replies = Replies(enclosing, path, agent.name)
        replies.heard_at = heard_at
        calls = Calls(replies, agent.middleware or ())
        mine: Any = _bare(agent, "run")
        mine.context_providers = list(agent.context_providers)
        mine.middleware = _streamed(agent.middleware or ())
        mine.default_options = {**_kept_here(agent.client), **agent.default_options}
        mine.client = _recorded(agent.client, replies, calls)
        self.agent: RawAgent[Any] = mine
        #: The toolbox's tools, for an agent that a person hears.
        self.offered: list[FunctionTool] = [] if heard_at is None else calls.offered()


def own_tools(agent: RawAgent[Any]) -> list[Any]:
    """Return the tools that an agent was made with, and those its MCP servers have told."""
    given = list(agent.default_options.get("tools") or ())
    return [*given, *(tool for server in agent.mcp_tools for tool in server.functions)]


def agents_within(agent: object, path: str) -> list[tuple[str, RawAgent[Any]]]:
    """Return this agent, or those that the executors of this workflow are or run, and those that
    tools run, each with where it is."""
    first = [(path, agent)] if isinstance(agent, RawAgent) else []
    if isinstance(agent, Workflow):
        inner = _named_in(list(agent.executors.values()))
        first = [(f"{path} > {name}", one) for name, one in inner]
    return each_within(first, lambda each: _named_in(_bodies(each)))


def _named_in(code: list[Any]) -> list[tuple[str, RawAgent[Any]]]:
    return [(one.name or "agent", one) for one in reachable(code, RawAgent)]


def route_within_calls(agent: RawAgent[Any]) -> None:
    """Let agents and clients that the tools of this one use come to us where a call of ours
    encloses them."""
    for _, each in agents_within(agent, ""):
        route_reachable(_bodies(each))


def route_reachable(roots: list[Any]) -> None:
    """Let agents and clients that this code uses come to us where something of ours encloses
    them."""
    for inner in reachable(roots, RawAgent):
        _layer_agent(inner)
    for client in reachable(roots, BaseChatClient):  # type: ignore[type-abstract]
        _layer_client(client)


def _bodies(agent: RawAgent[Any]) -> list[object]:
    return [tool.func for tool in own_tools(agent) if isinstance(tool, FunctionTool)]


def _layer_agent(agent: Any) -> None:
    if hasattr(agent, _MARK):
        return
    own = agent.run

    def run(*given: Any, **options: Any) -> Any:
        enclosing = ENCLOSING.get(None)
        if enclosing is None:
            return own(*given, **options)
        name = agent.name or "agent"
        enclosing.check_thread(name)
        path = enclosing.path(name)
        return AgentCopy(agent, enclosing, path).agent.run(*given, **options)

    agent.run = run
    setattr(agent, _MARK, True)


def _layer_client(client: Any) -> None:
    if hasattr(client, _MARK):
        return
    own = client.get_response

    def get_response(*given: Any, **options: Any) -> Any:
        enclosing = ENCLOSING.get(None)
        if enclosing is None:
            return own(*given, **options)
        enclosing.check_thread("a model")
        replies = Replies(enclosing, enclosing.path("model"), None)
        return _recorded(client, replies, Calls(replies)).get_response(*given, **options)

    client.get_response = get_response
    setattr(client, _MARK, True)


def _recorded(client: Any, replies: Replies, calls: Calls) -> Any:
    """Return a copy of the client that asks its model only for what that has not said, and whose
    calls of tools come to us."""
    mine = _bare(client, "get_response")
    respond, ask = mine.get_response, replies.asker(mine._inner_get_response)
    replies.tells_ends = any(
        cls.__module__.partition(".")[0] == "agent_framework_openai" for cls in type(client).__mro__
    )

    def get_response(messages: Sequence[Message], **given: Any) -> Any:
        options = given.get("options")
        if options and options.get("tools"):
            tools = list(normalize_tools(options["tools"]))
            calls.route(tools)
            given["options"] = {**options, "tools": tools}
        return respond(messages, **given)

    def inner(*, options: Mapping[str, Any], **given: Any) -> Any:
        if isinstance(tools := options.get("tools"), list):
            calls.route(tools)  # a call may have added some
        return ask(options=options, **given)

    mine.get_response, mine._inner_get_response = get_response, inner
    return mine


def _kept_here(client: object) -> dict[str, Any]:
    """Sayso keeps the chat: a provider that keeps it too is told not to, unless the agent says
    so."""
    return {"store": False} if getattr(client, "STORES_BY_DEFAULT", False) else {}


def _bare(thing: Any, layered: str) -> Any:
    """Return a copy without the layer."""
    mine = copy(thing)
    if hasattr(mine, _MARK):
        delattr(mine, layered)
        delattr(mine, _MARK)
    return mine


# ── what a middleware answers whole, as a stream ──


def _streamed(middleware: Sequence[Any]) -> list[Any]:
    """Return the middleware with ours around it. Tutorials run their agents without a stream; here
    every reply is streamed, where the framework takes a stream alone."""
    return [_AroundAgent(), _AroundModel(), *middleware] if middleware else []


class _AroundAgent(AgentMiddleware):
    async def process(
        self, context: AgentContext, call_next: Callable[[], Awaitable[None]]
    ) -> None:
        try:
            await call_next()
        finally:  # it may have been ended by MiddlewareTermination
            if context.stream and isinstance(context.result, AgentResponse):
                context.result = _stream_of(context.result)


class _AroundModel(ChatMiddleware):
    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        try:
            await call_next()
        finally:
            if context.stream and isinstance(context.result, ChatResponse):
                context.result = _stream_of(context.result)


def _stream_of(whole: AgentResponse[Any] | ChatResponse[Any]) -> ResponseStream[Any, Any]:
    async def pieces() -> AsyncIterator[Any]:
        for piece in whole.to_updates():
            yield piece

    return ResponseStream(pieces(), finalizer=lambda _: whole)
