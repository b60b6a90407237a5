"""The Google ADK adapter (2.x): an LlmAgent, a workflow agent, an App with its plugins, or a Runner
with its services (its sessions aside: a session lies in the run's own row), and all sub-agents.

ADK's own pause cannot be built on: a nested AgentTool throws its session away, workflow agents go
on with the next sub-agent, and one answer of two calls the model. So a run that needs a person is
stopped whole, once nothing of it is at work any more, and played again from its start after the
answer: every reply of a model comes from the record, every finished call from the toolbox, and what
the agents said before is not said again. A takeover is the same thing, so no model is asked twice.
What an agent's own callbacks do, they do again, as the code of a function agent does.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, aclosing

from google.adk.agents.base_agent import BaseAgent
from google.adk.apps.app import App
from google.adk.runners import Runner
from google.adk.workflow import BaseNode

from sayso.adapters.adk.retry import own_tool
from sayso.adapters.adk.run import Run
from sayso.adapters.base import Segment
from sayso.adapters.pump import TextPump
from sayso.core.chunks import TaskStreamChunk
from sayso.core.errors import NotSupportedError
from sayso.core.segments import Capabilities, ResumePolicy, SegmentEnd
from sayso.tools.tool import Runnable


class ADKAdapter:
    name = "adk"
    #: `ALL`: a segment plays the run from its start, so one is worth the whole batch.
    capabilities = Capabilities(resume=ResumePolicy.ALL)

    def accepts(self, agent: object) -> bool:
        app = agent.app if isinstance(agent, Runner) else agent
        root = app.root_agent if isinstance(app, App) else app
        if isinstance(root, BaseAgent):
            return True
        if isinstance(root, BaseNode):
            raise NotSupportedError(
                f"'{root.name}' is a graph of ADK; its function nodes would run again at each "
                "answer, outside of the toolbox.",
                fix="Give an LlmAgent, a SequentialAgent, ParallelAgent or LoopAgent, or an App "
                "of one; or write the graph as a plain async function that calls its agents by "
                "`agent_tool`.",
            )
        return False

    def own_tool(self, segment: Segment, name: str) -> AbstractAsyncContextManager[Runnable | None]:
        return own_tool(segment, name)

    async def execute_task_interactive(
        self, segment: Segment
    ) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
        pump = TextPump(segment.task.task_id)
        segment.world.say, segment.world.drain = pump.say, pump.drain
        async with aclosing(pump.run(Run(segment, pump.say).to_its_end())) as items:
            async for item in items:
                yield item
