"""What can be said of an agent of Strands, and of those behind its tools, before it runs."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping

from strands import Agent
from strands.multiagent.base import MultiAgentBase
from strands.types.tools import AgentTool
from strands.vended_interventions.hitl import HumanInTheLoop

from sayso.adapters.findings import AppSide, Finding, caveat, refused, runs_by_itself, twice_named
from sayso.adapters.reach import each_within, reachable
from sayso.adapters.strands.agent_copy import callbacks_of
from sayso.adapters.strands.enclosed_tools import Space, agent_of, is_of_framework
from sayso.adapters.strands.team_copy import HANDOFF, Team, members

_TEAM: type[object] = MultiAgentBase
LEFT_ASIDE = (
    "Its session manager is left aside: each chat's messages and state are Sayso's to keep."
)
#: Tools of the framework that do so. Each is a class, or a function.
_MAKE_AGENTS = ("strands.vended_tools.subagent.", "strands.vended_tools.swarm.")
GIVE_IT = "Give that agent itself as a tool: Agent(tools=[that_agent])."


def findings(agent: Agent | Team, app: AppSide) -> Iterator[Finding]:
    deps = app.deps
    if not (deps is None or isinstance(deps, Mapping) or inspect.isroutine(deps)):
        yield refused(
            app.agent_name,
            f"Strands gives tools what they need by name, and this is one {type(deps).__name__}.",
            "Give them as a dict: App(agent, deps={'name': value}).",
        )
    given = {tool.name for tool in app.tools}
    if isinstance(agent, Agent):
        offered = {id(agent)}
    else:
        offered = {id(one) for _, one in members(agent)}
        if agent.session_manager is not None:
            yield caveat(app.agent_name, LEFT_ASIDE, "Leave it out.")
    for path, each in agents_within(agent, app.agent_name):
        yield from _of(each, path)
        for tool in each.tool_registry.registry.values():
            if id(each) in offered and tool.tool_name in given:
                yield twice_named(path, tool.tool_name)
            yield from _of_tool(tool, each, path)


def _of(agent: Agent, path: str) -> Iterator[Finding]:
    if agent._session_manager is not None:
        yield caveat(path, LEFT_ASIDE, "Leave it out.")
    if getattr(agent, "_background_tasks", None) is not None:
        yield refused(
            path,
            "it runs tools in the background, where nobody can be asked.",
            "Leave `background_tasks` out: the turn waits for its tools.",
        )
    for one in reachable(callbacks_of(agent), HumanInTheLoop):
        if one._ask is not None:
            yield refused(
                path,
                "its HumanInTheLoop asks by a function of its own, which no chat would see.",
                "Leave `ask` out: then it asks by a card.",
            )


def _of_tool(tool: AgentTool, owner: Agent, path: str) -> Iterator[Finding]:
    function = getattr(tool, "_tool_func", None)
    if (function or type(tool)).__module__.startswith(_MAKE_AGENTS):
        yield refused(
            path,
            f"'{tool.tool_name}' makes agents as the model likes, where no policy holds their "
            "calls.",
            "Give agents as tools, or a tool of your own that makes them.",
        )
        return
    if function is None and _runs_agents(tool):
        yield refused(
            path,
            f"'{tool.tool_name}' runs an agent by itself, where no policy holds its calls.",
            GIVE_IT,
        )
    if function is None or tool.tool_name == HANDOFF:
        return
    for team in reachable([function], _TEAM):
        yield refused(
            path,
            f"'{tool.tool_name}' runs a {type(team).__name__} by itself, where no policy holds "
            "its calls.",
            "Give the agents of it as tools.",
        )
    space = Space(None)
    space.routed(function)
    met = {id(owner), *map(id, space.agents)}
    for inner in reachable([function], Agent):
        if id(inner) not in met and inner.tool_registry.registry:
            yield runs_by_itself(path, tool.tool_name, inner.name, GIVE_IT)


def _runs_agents(tool: AgentTool) -> bool:
    """Tell whether a tool of a class of the application's runs agents."""
    if is_of_framework(type(tool)):
        return False
    space = Space(None)
    space.routed(type(tool).stream)
    return space.makes_agents or bool(reachable([tool, type(tool).stream], Agent))


def agents_within(agent: Agent | Team, path: str) -> list[tuple[str, Agent]]:
    """Return this agent, or those of this team, and those behind their tools, each with where it
    is."""
    if isinstance(agent, Agent):
        return each_within([(path, agent)], _behind_tools)
    return each_within([(f"{path} > {name}", one) for name, one in members(agent)], _behind_tools)


def _behind_tools(agent: Agent) -> Iterator[tuple[str, Agent]]:
    for tool in agent.tool_registry.registry.values():
        space = Space(None)
        space.routed(getattr(tool, "_tool_func", None))
        given = agent_of(tool)
        yield from ((one.name, one) for one in ([given] if given is not None else space.agents))
