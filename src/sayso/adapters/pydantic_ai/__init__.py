"""The Pydantic AI adapter (2.x): every call, of our tools and of the agent's own, passes the
toolbox by a wrapper.

`run` drives the agent, `tool_calls` is the wrapper, `nested_agents` meets the agents within its
tools, `state` is what is saved.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from types import MappingProxyType
from typing import Any

from pydantic_ai import AbstractToolset, Agent, CombinedToolset, RunContext
from pydantic_ai.agent import AbstractAgent
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.models import infer_model
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RunUsage

from sayso.adapters.contract import Segment
from sayso.adapters.findings import AppSide, Finding
from sayso.adapters.pydantic_ai.checks import findings
from sayso.adapters.pydantic_ai.native_tool import PydanticTool, own_tools
from sayso.adapters.pydantic_ai.nested_agents import HOOKS, agents_within
from sayso.adapters.pydantic_ai.run import NAME, PydanticAiRun, deps_of, model_of
from sayso.adapters.registry import check_has
from sayso.adapters.text_queue import stream_segment
from sayso.core.segments import Capabilities, ResumePolicy, SegmentEnd
from sayso.core.tasks import TaskStreamChunk
from sayso.tools.tool import Runnable, Traits


class PydanticAIAdapter:
    name = NAME
    capabilities = Capabilities(resume=ResumePolicy.ALL)
    leans_on = MappingProxyType(
        {
            "pydantic_ai.agent:Agent": ("_effective_root_capability",),
            "pydantic_ai._agent_graph": ("_messages_ctx_var", "get_captured_run_messages"),
            "pydantic_ai._utils": ("Some",),
        }
    )

    def accepts(self, agent: object) -> bool:
        if not isinstance(agent, AbstractAgent):
            return False
        check_has(AbstractCapability, *HOOKS)
        for each in (agent, *agents_within(agent)):
            if isinstance(each, Agent):
                check_has(each, "_override_root_capability")
        return True

    def check(self, agent: object, app: AppSide) -> Sequence[Finding]:
        assert isinstance(agent, AbstractAgent)
        return findings(agent, app)

    def execute_task_interactive(
        self, segment: Segment
    ) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
        return stream_segment(segment, lambda _: PydanticAiRun(segment).run())

    def own_tools(self, agent: object) -> Mapping[str, Traits]:
        assert isinstance(agent, AbstractAgent)
        return own_tools(agent)

    @asynccontextmanager
    async def own_tool(self, segment: Segment, name: str) -> AsyncIterator[Runnable | None]:
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
