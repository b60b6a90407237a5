"""What can be said of an agent or a team of AutoGen before it runs."""

from __future__ import annotations

from collections.abc import Iterator

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.base import ChatAgent
from autogen_agentchat.teams import BaseGroupChat
from autogen_core.tools import FunctionTool, StaticWorkbench

from sayso.adapters.autogen.agent_copy import PLAYED
from sayso.adapters.autogen.native_tool import delegates_of
from sayso.adapters.autogen.offered_tools import offered_strictly
from sayso.adapters.findings import (
    AppSide,
    Finding,
    caveat,
    refused,
    runs_by_itself,
    twice_named,
    works,
)
from sayso.adapters.reach import reachable


def findings(runner: object, app: AppSide) -> Iterator[Finding]:
    if app.deps is not None:
        yield refused(
            app.agent_name,
            "AutoGen hands no deps to its tools.",
            "Close over them where you make the tool.",
        )
    yield from _of(runner, app, app.agent_name)


def _of(runner: object, app: AppSide, path: str) -> Iterator[Finding]:
    if isinstance(runner, BaseGroupChat):
        for member in runner._participants:
            yield from _of(member, app, f"{path} > {member.name}")
    elif isinstance(runner, AssistantAgent):
        yield from _of_assistant(runner, app, path)
    elif isinstance(runner, ChatAgent) and not isinstance(runner, PLAYED):
        yield caveat(
            path,
            f"Nothing is known of a {type(runner).__name__}: each turn of it is recorded as a "
            "whole, and where a call within it waits, the turn begins again after the answer.",
        )


def _of_assistant(agent: AssistantAgent, app: AppSide, path: str) -> Iterator[Finding]:
    if not agent._model_client.model_info["function_calling"]:
        if app.tools:
            yield caveat(
                path,
                "Its model calls no functions: it has no tools of the application.",
                "Give it a model whose model_info says function_calling.",
            )
    elif agent._output_content_type is not None:
        left_out = [t.name for t in app.tools if t.name not in offered_strictly(app.tools)]
        if left_out:
            yield caveat(
                path,
                "Beside an output_content_type every schema must be strict, and those of "
                f"{', '.join(left_out)} cannot be: this agent does not have them.",
                "Name each of their arguments, with a type.",
            )
    if not agent._model_client_stream:
        yield works(
            path,
            "Its text is shown once it is whole; with model_client_stream=True while it is "
            "written.",
        )
    for delegate in delegates_of(agent._workbench):
        without_tools = AppSide(agent_name=app.agent_name)
        yield from _of(delegate._task_runner, without_tools, f"{path} > {delegate.name}")
    yield from _tools(agent, app, path)


def _tools(agent: AssistantAgent, app: AppSide, path: str) -> Iterator[Finding]:
    given = {tool.name for tool in app.tools}
    own = [
        t for bench in agent._workbench if isinstance(bench, StaticWorkbench) for t in bench._tools
    ]
    for tool in own:
        if tool.name in given:
            yield twice_named(path, tool.name)
        function = tool._func if isinstance(tool, FunctionTool) else None
        for inner in reachable([function], AssistantAgent):
            if inner is not agent and (inner._workbench or inner._handoffs):
                fix = "Give that agent as an AgentTool."
                yield runs_by_itself(path, tool.name, inner.name, fix)
