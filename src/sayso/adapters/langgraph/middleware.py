"""`SaysoMiddleware`, for an agent that Sayso cannot reach by itself.

An agent that a tool or a node calls (`helper.invoke(…)` in a function) is out of reach: give it
`create_agent(…, middleware=[SaysoMiddleware()])`, and its calls pass the toolbox of the run that it
works in. It also gives an agent without tools the node in which ours can run.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain.agents.middleware.types import ToolCallRequest

from sayso.adapters.langgraph.tool_calls import current_calls


class SaysoMiddleware(AgentMiddleware[Any, Any, Any]):
    """Per-call middleware. Outside of a run of Sayso it does nothing."""

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]
    ) -> Any:
        calls = current_calls()
        return handler(request) if calls is None else calls.call_from_thread(request, handler)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Any]]
    ) -> Any:
        calls = current_calls()
        return await (handler(request) if calls is None else calls.call(request, handler))
