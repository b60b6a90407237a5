"""The Pydantic AI adapter (2.x): every call, of our tools and of the agent's own, passes the
toolbox by a wrapper.

`run` drives the agent, `tool_calls` is the wrapper, `nested_agents` meets the agents within its
tools, `state` is what is saved.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from types import MappingProxyType

from pydantic_ai import Agent
from pydantic_ai.agent import AbstractAgent
from pydantic_ai.capabilities import AbstractCapability

from sayso.adapters.contract import Segment
from sayso.adapters.findings import AppSide, Finding
from sayso.adapters.pydantic_ai.checks import findings
from sayso.adapters.pydantic_ai.native_tool import own_tools
from sayso.adapters.pydantic_ai.nested_agents import HOOKS, agents_within
from sayso.adapters.pydantic_ai.retry import own_tool
from sayso.adapters.pydantic_ai.run import PydanticAiRun
from sayso.adapters.registry import check_has
from sayso.adapters.text_queue import stream_segment
from sayso.core.segments import Capabilities, ResumePolicy, SegmentEnd
from sayso.core.tasks import TaskStreamChunk
from sayso.tools.tool import Runnable, Traits


class PydanticAIAdapter:
    name = "pydantic_ai"
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

    def own_tool(self, segment: Segment, name: str) -> AbstractAsyncContextManager[Runnable | None]:
        return own_tool(segment, name)
