"""One of the agent's own tools outside any run of it: what "try again" on an error card calls."""

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

from sayso.adapters.ag2.native_tool import Ag2Tool, ask_person
from sayso.adapters.ag2.run import Ag2Run
from sayso.adapters.contract import Segment
from sayso.tools.tool import Runnable


@asynccontextmanager
async def own_tool(segment: Segment, name: str) -> AsyncIterator[Runnable | None]:
    """Give the tool with its own middleware; one that passes a task on needs a turn around it."""
    run = Ag2Run(segment)
    tool = run.turns.native.get(name)
    if not isinstance(tool, FunctionTool) or name in run.turns.delegates:
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
    yield Ag2Tool(run.turns, f"retry-{name}", execution, ToolCallEvent(name), context)
