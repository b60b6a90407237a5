"""The AutoGen adapter (AgentChat 0.7): an agent or a team, and the same turn again from its start
after every pause.

`run` plays the turn, `copies` makes a run's own copy of the agent, `seams` records what its models
say, `tools` sends its calls through the toolbox, `memory` is what is saved: the state before the
turn and the record of the turn, never the middle of a framework's coroutine. The record makes a
takeover go on at the call that was under way.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.base import ChatAgent
from autogen_agentchat.teams import BaseGroupChat

from sayso.adapters.autogen.copies import check_parts
from sayso.adapters.autogen.run import NAME, Run
from sayso.adapters.autogen.tools import find_native
from sayso.adapters.base import Segment
from sayso.adapters.pump import TextPump
from sayso.core.chunks import TaskStreamChunk
from sayso.core.segments import Capabilities, ResumePolicy, SegmentEnd
from sayso.tools.tool import Runnable


class AutoGenAdapter:
    name = NAME
    capabilities = Capabilities(resume=ResumePolicy.ALL)

    def accepts(self, agent: object) -> bool:
        if not isinstance(agent, ChatAgent | BaseGroupChat):
            return False
        check_parts(agent)
        return True

    async def execute_task_interactive(
        self, segment: Segment
    ) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
        pump = TextPump(segment.task.task_id)
        segment.world.say, segment.world.drain = pump.say, pump.drain
        async with aclosing(pump.run(Run(segment).to_its_end())) as items:
            async for item in items:
                yield item

    @asynccontextmanager
    async def own_tool(self, segment: Segment, name: str) -> AsyncIterator[Runnable | None]:
        """An agent's own tool outside of any run of it, for the retry of one call."""
        found = None
        for agent in _assistants(segment.agent):
            found = found or await find_native(list(agent._workbench), name)
        yield found


def _assistants(runner: object) -> Iterator[AssistantAgent]:
    if isinstance(runner, AssistantAgent):
        yield runner
    if isinstance(runner, BaseGroupChat):
        for member in runner._participants:
            yield from _assistants(member)
