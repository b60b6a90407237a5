"""One of an agent's own tools outside any run of it: what "try again" on an error card calls."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from pydantic_ai import AbstractToolset, CombinedToolset, RunContext
from pydantic_ai.agent import AbstractAgent
from pydantic_ai.models import infer_model
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RunUsage

from sayso.adapters.contract import Segment
from sayso.adapters.pydantic_ai.native_tool import PydanticTool
from sayso.adapters.pydantic_ai.run import deps_of, model_of
from sayso.tools.tool import Runnable


@asynccontextmanager
async def own_tool(segment: Segment, name: str) -> AsyncIterator[Runnable | None]:
    agent = segment.agent
    assert isinstance(agent, AbstractAgent)
    model = model_of(segment) or agent.model
    ctx: RunContext[Any] = RunContext(
        deps=await deps_of(segment, agent),
        # A tool that is called alone asks no model; where it does, there must be one.
        model=infer_model(model) if model is not None else TestModel(),
        usage=RunUsage(),
        tool_call_id=f"retry-{name}",
        tool_name=name,
    )
    toolset: AbstractToolset[Any] = await CombinedToolset(agent.toolsets).for_run(ctx)
    async with toolset:
        toolset = await toolset.for_run_step(ctx)
        tools = await toolset.get_tools(ctx)
        yield PydanticTool(tools[name], toolset, ctx) if name in tools else None
