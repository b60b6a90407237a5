"""The adapter of Microsoft Agent Framework (1.x): a turn is played again up to the calls that wait.

`run` drives a turn, `agent_copy` makes a run's own copy of an agent, `model_replies` keeps what
models said, `tool_calls` sends calls through the toolbox, `state` is what is saved and what the
agents within calls share. A turn that goes on begins again at its message: recorded replies stand
in for the models, and the toolbox gives the results of calls that have ended. The framework's own
approvals run what was asked for first, whatever a person has changed, and they end where an agent
runs another.

`workflow_run` drives a workflow, which goes on where its last superstep ended (`workflow_copy`);
its agents are played again as others are, and what its executors ask are calls that wait
(`requests`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

from agent_framework import (
    AgentExecutor,
    AgentSession,
    BaseAgent,
    FunctionalWorkflow,
    FunctionalWorkflowDefinition,
    FunctionInvocationContext,
    FunctionTool,
    RawAgent,
    Workflow,
    WorkflowBuilder,
)

from sayso.adapters.agent_framework.agent_copy import agents_within, own_tools, route_reachable
from sayso.adapters.agent_framework.checks import findings
from sayso.adapters.agent_framework.native_tool import AgentFrameworkTool, traits_of
from sayso.adapters.agent_framework.run import AgentFrameworkRun
from sayso.adapters.agent_framework.state import NAME, AgentFrameworkState, AgentFrameworkTurn
from sayso.adapters.agent_framework.workflow_copy import LEANS_ON, workflow_of
from sayso.adapters.agent_framework.workflow_run import WorkflowRun
from sayso.adapters.contract import Segment
from sayso.adapters.findings import AppSide, Finding
from sayso.adapters.registry import check_has
from sayso.adapters.text_queue import stream_segment
from sayso.core.segments import Capabilities, ResumePolicy, SegmentEnd
from sayso.core.tasks import TaskStreamChunk
from sayso.tools.tool import Runnable, Traits

#: Also what is then refused, in words.
_KINDS = (BaseAgent, Workflow, WorkflowBuilder, FunctionalWorkflow, FunctionalWorkflowDefinition)


class AgentFrameworkAdapter:
    name = NAME
    capabilities = Capabilities(resume=ResumePolicy.ALL)
    leans_on: Mapping[str, Sequence[str]] = {
        "agent_framework:BaseChatClient": ("_inner_get_response", "STORES_BY_DEFAULT"),
        "agent_framework:Executor": ("_discover_handlers", "_discover_response_handlers"),
        "agent_framework._workflows._checkpoint_encoding": LEANS_ON,
    }

    def accepts(self, agent: object) -> bool:
        flow = workflow_of(agent)
        if flow is not None:
            check_has(flow, "_output_designation")
        for executor in flow.executors.values() if flow is not None else ():
            check_has(executor, "_handlers", "_execution_lock")
            if isinstance(executor, AgentExecutor):
                check_has(executor, "_agent", "_session")
        return isinstance(agent, _KINDS)

    def check(self, agent: object, app: AppSide) -> Sequence[Finding]:
        return list(findings(agent, app))

    def execute_task_interactive(
        self, segment: Segment
    ) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
        kind = WorkflowRun if workflow_of(segment.agent) is not None else AgentFrameworkRun
        return stream_segment(segment, lambda texts: kind(segment, texts.say).run())

    def own_tools(self, agent: object) -> Mapping[str, Traits]:
        return {tool.name: traits_of(tool) for tool in _functions(workflow_of(agent) or agent)}

    @asynccontextmanager
    async def own_tool(self, segment: Segment, name: str) -> AsyncIterator[Runnable | None]:
        agent = workflow_of(segment.agent) or segment.agent
        assert isinstance(agent, RawAgent | Workflow)
        tool = next((one for one in _functions(agent) if one.name == name), None)
        if tool is None:
            yield None
            return
        route_reachable([tool.func])
        deps = await segment.make_deps()
        context = FunctionInvocationContext(
            function=tool,
            arguments={},
            session=AgentSession(),
            kwargs=deps if isinstance(deps, Mapping) else None,
        )
        turn = AgentFrameworkTurn(segment, AgentFrameworkState(), agent)
        yield AgentFrameworkTool(turn, f"retry-{name}", tool, context)


def _functions(agent: object) -> list[FunctionTool]:
    tools = [tool for _, each in agents_within(agent, "") for tool in own_tools(each)]
    return [tool for tool in tools if isinstance(tool, FunctionTool)]
