"""A tool of the agent's own outside of any run of it, for the retry of one call."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from ag2 import MemoryStream
from ag2.context import ConversationContext
from ag2.events import HumanInputRequest, ToolCallEvent
from ag2.hitl import wrap_hitl
from ag2.middleware.base import ToolExecution
from ag2.tools.final import FunctionTool

from sayso.adapters.ag2.gate import NativeTool, ask_person
from sayso.adapters.ag2.run import Run
from sayso.adapters.base import Segment
from sayso.tools.tool import Runnable


@asynccontextmanager
async def own_tool(segment: Segment, name: str) -> AsyncIterator[Runnable | None]:
    """It is called with its own middleware; one that passes a task on needs a turn around it."""
    run = Run(segment)
    tool = run.native.get(name)
    if not isinstance(tool, FunctionTool) or name in run.delegates:
        yield None
        return
    stream = MemoryStream()
    agent = run.agent
    context: Any = ConversationContext(
        stream,
        dependencies={**agent.dependencies, **await run.given()},
        variables=dict(agent.variables),
        dependency_provider=agent.dependency_provider,
    )
    execution: ToolExecution = tool
    for hook in reversed(tool._middleware):
        execution = partial(hook, execution)
    asked = stream.where(HumanInputRequest)
    asked.subscribe(wrap_hitl(ask_person)(()), interrupt=True)
    yield NativeTool(run, f"retry-{name}", execution, ToolCallEvent(name), context)
