"""What can be said of an agent of Pydantic AI before it runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.agent import AbstractAgent
from pydantic_ai.capabilities import AbstractCapability, HandleDeferredToolCalls, RequestInput

from sayso.adapters.findings import AppSide, Finding, caveat, refused, twice_named
from sayso.adapters.pydantic_ai.native_tool import own_tools
from sayso.adapters.reach import functions_that_name, reachable


def findings(agent: AbstractAgent[Any, Any], app: AppSide) -> list[Finding]:
    return [
        *_deps(agent, app),
        *_model(agent, app),
        *_names(agent, app),
        *_made_in_bodies(agent, app),
        *_hosted(agent, app),
        *_own_handlers(agent, app),
        *_durable(agent, app),
    ]


def _deps(agent: AbstractAgent[Any, Any], app: AppSide) -> Iterator[Finding]:
    if app.deps is None and agent.deps_type not in (object, type(None)):
        yield refused(
            app.agent_name,
            f"it needs deps ({_called(agent.deps_type)}).",
            "Give them with App(agent, deps=...): an object, or a function of the context.",
        )


def _model(agent: AbstractAgent[Any, Any], app: AppSide) -> Iterator[Finding]:
    if agent.model is None:
        yield caveat(
            app.agent_name,
            "It has no model of its own.",
            "Give it one, or name one in each task (`execution_config.metadata.model`).",
        )


def _names(agent: AbstractAgent[Any, Any], app: AppSide) -> Iterator[Finding]:
    own = own_tools(agent)
    for tool in app.tools:
        if tool.name in own:
            yield twice_named(app.agent_name, tool.name)


def _made_in_bodies(agent: AbstractAgent[Any, Any], app: AppSide) -> Iterator[Finding]:
    roots = [agent, app.deps, *app.tools]
    for function in functions_that_name(roots, Agent):
        yield refused(
            app.agent_name,
            f"'{function.__qualname__}' makes an agent each time it runs, whose calls nothing "
            "could hold.",
            "Make that agent outside of the function, and run it there.",
        )


def _hosted(agent: AbstractAgent[Any, Any], app: AppSide) -> Iterator[Finding]:
    """Find tools that run at the model's provider, where no call can be held."""
    for tool in agent.root_capability.get_native_tools():
        if getattr(tool, "kind", "") == "tool_search":
            continue  # which finds tools and acts on nothing; every agent has it
        yield caveat(
            app.agent_name,
            f"The tool '{_called(type(tool))}' runs at the model's provider: no policy holds its "
            "calls.",
        )


def _own_handlers(agent: AbstractAgent[Any, Any], app: AppSide) -> Iterator[Finding]:
    for handler in reachable([agent.root_capability], AbstractCapability):
        if isinstance(handler, HandleDeferredToolCalls | RequestInput):
            yield caveat(
                app.agent_name,
                f"Its {_called(type(handler))} is not asked: what it would decide, a person does.",
            )


def _durable(agent: AbstractAgent[Any, Any], app: AppSide) -> Iterator[Finding]:
    if type(agent).__module__.startswith("pydantic_ai.durable_exec."):
        yield refused(
            app.agent_name,
            f"a {_called(type(agent))} runs in the workflows of its own engine.",
            "Give the agent that it wraps: Sayso keeps its runs.",
        )


def _called(kind: object) -> str:
    return getattr(kind, "__name__", str(kind))
