"""What can be said of an agent of AG2, and of those behind its tools, before it runs."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ag2 import Agent
from ag2.tools.final import FunctionTool, Toolkit
from ag2.tools.subagents.subagent_tool import SubagentTool
from ag2.tools.tool import Tool

from sayso.adapters.findings import (
    AppSide,
    Finding,
    caveat,
    hosted,
    refused,
    runs_by_itself,
    twice_named,
    works,
)
from sayso.adapters.reach import reachable


def findings(agent: Agent[Any], app: AppSide) -> Iterator[Finding]:
    deps = app.deps
    if not (deps is None or isinstance(deps, Mapping) or inspect.isroutine(deps)):
        yield refused(
            app.agent_name,
            f"AG2 takes its dependencies by key, and these are one {type(deps).__name__}.",
            "Give them as a dict: App(agent, deps={Type_or_name: value}).",
        )
    given = {tool.name for tool in app.tools}
    yield from _of(agent, app.agent_name, given)


def is_in_background(tool: Tool) -> bool:
    """Tell whether a tool runs an agent in the background."""
    if not isinstance(tool, FunctionTool):
        return False
    return tool.model.call.__module__.endswith("subagents.background")


NO_BACKGROUND = "runs an agent in the background, where nobody can be asked."
WAIT_INSTEAD = "Give the agent as a tool with `agent.as_tool(...)`: the turn waits for it."


def _of(agent: Agent[Any], path: str, given: set[str]) -> Iterator[Finding]:
    if agent.config is None:
        yield caveat(path, "It has no model.", "Give it a config.")
    elif getattr(agent.config, "streaming", None) is False:
        yield works(
            path, "Its text is shown once it is whole; with streaming=True while it is written."
        )
    for tool in flat(agent.tools):
        if is_in_background(tool):
            yield refused(path, f"'{tool.name}' {NO_BACKGROUND}", WAIT_INSTEAD)
        elif isinstance(tool, SubagentTool):
            yield from _of(tool.agent, f"{path} > {tool.agent.name}", set())
        elif isinstance(tool, FunctionTool):
            yield from _of_function(agent, tool, path, given)
        else:
            yield hosted(path, tool.name)


def _of_function(
    agent: Agent[Any], tool: FunctionTool, path: str, given: set[str]
) -> Iterator[Finding]:
    if tool.name in given:
        yield twice_named(path, tool.name)
    for inner in reachable([inspect.unwrap(tool.model.call)], Agent):
        if inner is not agent and inner.tools:
            fix = "Give that agent as a tool with `agent.as_tool(...)`."
            yield runs_by_itself(path, tool.name, inner.name, fix)


def flat(tools: Iterable[Tool]) -> Iterator[Tool]:
    """Yield these tools, and those of toolkits in place of the kits."""
    for tool in tools:
        if isinstance(tool, Toolkit):
            yield from flat(tool.tools)
        else:
            yield tool
