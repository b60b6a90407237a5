"""What can be said of an agent of OpenAI Agents, and of those behind it, before it runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agents import (
    Agent,
    CodeInterpreterTool,
    FileSearchTool,
    FunctionTool,
    Handoff,
    ImageGenerationTool,
    Tool,
    WebSearchTool,
)

from sayso.adapters.findings import AppSide, Finding, hosted, refused, twice_named, works
from sayso.adapters.reach import each_within

#: Run by the model's provider, and no more than looked up or made there.
_HARMLESS = (WebSearchTool, FileSearchTool, CodeInterpreterTool, ImageGenerationTool)


def findings(agent: Agent[Any], app: AppSide) -> Iterator[Finding]:
    given = {tool.name for tool in app.tools}
    for path, each in agents_within(agent, app.agent_name):
        if _is_of_a_sandbox(each):
            yield refused(
                path,
                f"it is a {type(each).__name__}, whose commands run in a sandbox of their own, "
                "where nothing here could hold them.",
                "Give what it does there to an Agent as function tools.",
            )
        for tool in each.tools:
            yield from _of_tool(tool, path, given)
        if each.mcp_servers:
            yield works(path, "Its MCP servers are connected while a run needs them.")


def _is_of_a_sandbox(agent: Agent[Any]) -> bool:
    return any(cls.__module__.startswith("agents.sandbox") for cls in type(agent).__mro__)


def _of_tool(tool: Tool, path: str, given: set[str]) -> Iterator[Finding]:
    if isinstance(tool, FunctionTool):
        if tool.name in given:
            yield twice_named(path, tool.name)
    elif isinstance(tool, _HARMLESS):
        yield hosted(path, tool.name)
    else:
        yield refused(
            path,
            f"'{tool.name}' is a {type(tool).__name__}, whose calls nothing here could hold.",
            "Give what it does as a function tool, or as an MCP server of the agent's own.",
        )


def agents_within(
    agent: Agent[Any], path: str, *, handoffs_only: bool = False
) -> list[tuple[str, Agent[Any]]]:
    """Return this agent and those it hands over to or has as tools, each with where it is."""

    def behind(each: Agent[Any]) -> Iterator[tuple[str, Agent[Any]]]:
        given = [] if handoffs_only else [getattr(t, "_agent_instance", None) for t in each.tools]
        for one in (*map(_target, each.handoffs), *given):
            if isinstance(one, Agent):
                yield one.name, one

    return each_within([(path, agent)], behind)


def _target(given: Agent[Any] | Handoff[Any, Any]) -> object:
    if isinstance(given, Agent):
        return given
    reference = getattr(given, "_agent_ref", None)
    return reference() if reference is not None else None
