"""The Pydantic AI adapter (2.x): every call, of our tools and of the agent's own, passes the
toolbox by a wrapper.

`run` drives the agent, `nested` meets those within its tools, `toolsets` is the wrapper, `messages`
is what is saved.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, aclosing

from pydantic_ai.agent import AbstractAgent
from pydantic_ai.capabilities import AbstractCapability

from sayso.adapters.base import Segment
from sayso.adapters.finding import check_has
from sayso.adapters.pump import TextPump
from sayso.adapters.pydantic_ai.nested import HOOKS
from sayso.adapters.pydantic_ai.run import AgentRun, own_tool
from sayso.core.chunks import TaskStreamChunk
from sayso.core.segments import Capabilities, ResumePolicy, SegmentEnd
from sayso.tools.tool import Runnable


class PydanticAIAdapter:
    name = "pydantic_ai"
    capabilities = Capabilities(resume=ResumePolicy.ALL)

    def accepts(self, agent: object) -> bool:
        if not isinstance(agent, AbstractAgent):
            return False
        check_has(AbstractCapability, *HOOKS)
        return True

    async def execute_task_interactive(
        self, segment: Segment
    ) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
        pump = TextPump(segment.task.task_id)
        segment.world.say, segment.world.drain = pump.say, pump.drain
        async with aclosing(pump.run(AgentRun(segment).to_its_end())) as items:
            async for item in items:
                yield item

    def own_tool(self, segment: Segment, name: str) -> AbstractAsyncContextManager[Runnable | None]:
        return own_tool(segment, name)
