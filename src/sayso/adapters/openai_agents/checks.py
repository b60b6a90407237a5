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

from sayso.adapters.findings import AppSide, Finding, caveat, refused, works

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
            yield refused(
                path,
                f"two tools are named '{tool.name}': its own and the application's.",
                "Give one of them another name.",
            )
    elif isinstance(tool, _HARMLESS):
        yield caveat(
            path,
            f"'{tool.name}' is run by the model's provider, which no policy holds.",
            "Leave it out where its calls need a person.",
        )
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
    found: dict[int, tuple[str, Agent[Any]]] = {}
    waiting = [(path, agent)]
    while waiting:
        where, each = waiting.pop(0)
        if id(each) in found:
            continue
        found[id(each)] = (where, each)
        behind = [_target(one) for one in each.handoffs]
        if not handoffs_only:
            behind += [getattr(tool, "_agent_instance", None) for tool in each.tools]
        waiting += [(f"{where} > {one.name}", one) for one in behind if isinstance(one, Agent)]
    return list(found.values())


def _target(given: Agent[Any] | Handoff[Any, Any]) -> object:
    if isinstance(given, Agent):
        return given
    reference = getattr(given, "_agent_ref", None)
    return reference() if reference is not None else None
