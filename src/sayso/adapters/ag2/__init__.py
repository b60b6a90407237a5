"""The AG2 adapter (1.x, the new core): a turn goes on at its last batch of calls.

`run` drives a turn, `copies` makes a run's own copy of the agent, `gate` sends its calls through
the toolbox, `saved` is what is kept: the history up to the batch that waits. `Agent.resume`
executes that batch again, and the toolbox gives what has ended of it. Agents behind tools are run
again from the start of their task: their models' replies are recorded, so they are asked nothing
twice. Observers of the agent see the events of a batch that is executed again once more.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, aclosing

from ag2 import Agent

from sayso.adapters.ag2.alone import own_tool
from sayso.adapters.ag2.copies import COPIED
from sayso.adapters.ag2.run import NAME, Run
from sayso.adapters.base import Segment
from sayso.adapters.finding import check_has
from sayso.adapters.pump import TextPump
from sayso.core.chunks import TaskStreamChunk
from sayso.core.segments import Capabilities, ResumePolicy, SegmentEnd
from sayso.tools.tool import Runnable


class AG2Adapter:
    name = NAME
    capabilities = Capabilities(resume=ResumePolicy.ALL)

    def accepts(self, agent: object) -> bool:
        if not isinstance(agent, Agent):
            return False
        check_has(agent, "tools", *COPIED)
        return True

    async def execute_task_interactive(
        self, segment: Segment
    ) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
        pump = TextPump(segment.task.task_id)
        segment.world.say, segment.world.drain = pump.say, pump.drain
        async with aclosing(pump.run(Run(segment).to_its_end())) as items:
            async for item in items:
                yield item

    def own_tool(self, segment: Segment, name: str) -> AbstractAsyncContextManager[Runnable | None]:
        return own_tool(segment, name)
