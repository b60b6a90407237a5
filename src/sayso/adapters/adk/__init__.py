"""The Google ADK adapter (2.x): an LlmAgent, a workflow agent, an App with its plugins, or a Runner
with its services (not its sessions: a session is part of the run's own row), and all sub-agents.

ADK's own pause cannot be built on: a nested AgentTool throws its session away, workflow agents go
on with the next sub-agent, and one answer of two already calls the model. So a run that needs a
person is stopped as a whole, once nothing of it is at work any more, and played again from its
start after the answer: every reply of a model comes from the record, every finished call from the
toolbox, and what the agents said before is not said again. A takeover is the same thing, so no
model is asked twice. An agent's own callbacks run again, as the code of a function agent does.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from types import MappingProxyType
from typing import Any

from google.adk.agents.base_agent import BaseAgent
from google.adk.agents.invocation_context import InvocationContext
from google.adk.agents.readonly_context import ReadonlyContext
from google.adk.agents.run_config import RunConfig, ToolThreadPoolConfig
from google.adk.apps.app import App
from google.adk.runners import Runner
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext
from google.adk.workflow import BaseNode

from sayso.adapters.adk.checks import all_agents, app_of, findings, own_tools
from sayso.adapters.adk.native_tool import AdkTool, BodyScope, traits_of
from sayso.adapters.adk.run import AdkRun, OneSession, services_of, session_of
from sayso.adapters.adk.standstill import Standstill
from sayso.adapters.adk.state import AdkRecord, ChatArtifacts, SavedSession
from sayso.adapters.contract import Segment
from sayso.adapters.findings import AppSide, Finding
from sayso.adapters.registry import check_has
from sayso.adapters.text_queue import stream_segment
from sayso.core.errors import NotSupportedError
from sayso.core.segments import Capabilities, ResumePolicy, SegmentEnd
from sayso.core.tasks import TaskStreamChunk
from sayso.tools.tool import Runnable, Traits


class ADKAdapter:
    name = "adk"
    #: `ALL`: a segment plays the run from its start, so one is worth the whole batch.
    capabilities = Capabilities(resume=ResumePolicy.ALL)
    leans_on = MappingProxyType({"google.adk.tools.base_tool:BaseTool": ("_get_declaration",)})

    def accepts(self, agent: object) -> bool:
        app = agent.app if isinstance(agent, Runner) else agent
        root = app.root_agent if isinstance(app, App) else app
        if isinstance(root, BaseAgent):
            no_run: Any = None
            check_has(ReadonlyContext(no_run), "_invocation_context")
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

    def check(self, agent: object, app: AppSide) -> Sequence[Finding]:
        return list(findings(agent, app))

    def own_tools(self, agent: object) -> Mapping[str, Traits]:
        root = app_of(agent).root_agent
        agents = all_agents(root) if isinstance(root, BaseAgent) else ()
        tools = [tool for each in agents for tool in own_tools(each)]
        return {tool.name: traits_of(tool, False) for tool in tools}

    @asynccontextmanager
    async def own_tool(self, segment: Segment, name: str) -> AsyncIterator[Runnable | None]:
        """Give the tool the session as the chat's newest run left it; what it writes there is not
        kept."""
        app, known = app_of(segment.agent), segment.agent_state
        memory = SavedSession()
        if known is not None:
            memory = SavedSession.load(known.blob, "this agent's memory")
        session = session_of(segment, app.name, memory)
        assert isinstance(app.root_agent, BaseAgent)
        for agent in all_agents(app.root_agent):
            context = InvocationContext(
                session_service=OneSession(session),
                session=session,
                invocation_id="retry",
                agent=agent,
                run_config=RunConfig(tool_thread_pool_config=ToolThreadPoolConfig()),
                **services_of(segment.agent, ChatArtifacts.load(memory.artifacts)),
            )
            for tool in await agent.canonical_tools(ReadonlyContext(context)):
                if tool.name == name:
                    of_call = ToolContext(context, function_call_id="retry")
                    yield await _tool_outside_run(segment, tool, of_call)
                    return
        yield None

    def execute_task_interactive(
        self, segment: Segment
    ) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
        return stream_segment(segment, lambda texts: AdkRun(segment, texts.say).run())


async def _tool_outside_run(segment: Segment, tool: BaseTool, context: ToolContext) -> AdkTool:
    if isinstance(tool, AgentTool):
        raise NotSupportedError(
            f"'{tool.name}' is an agent, which may have to wait, and cannot be tried again alone.",
            fix="Send the message again: then it runs as a part of the whole.",
        )
    scope = BodyScope(segment, AdkRecord(SavedSession(), ""), Standstill())
    wanted = segment.task.context.get("arguments")
    arguments = wanted if isinstance(wanted, dict) else {}
    asks = await tool.check_require_confirmation(arguments, context)
    return AdkTool(tool, context, "retry", scope, asks=asks)
