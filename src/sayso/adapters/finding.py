"""Which adapter an agent needs, and whether it can work with the framework that is installed."""

from __future__ import annotations

import importlib
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from sayso.core.errors import NotSupportedError

if TYPE_CHECKING:
    from sayso.adapters.base import FrameworkAdapter

#: Root module of an agent's class → where its adapter is. A new framework is one file and one line
#: here.
ADAPTERS: dict[str, str] = {
    "ag2": "sayso.adapters.ag2:AG2Adapter",
    "autogen_agentchat": "sayso.adapters.autogen:AutoGenAdapter",
    "google": "sayso.adapters.adk:ADKAdapter",
    "langgraph": "sayso.adapters.langgraph:LangGraphAdapter",
    "pydantic_ai": "sayso.adapters.pydantic_ai:PydanticAIAdapter",
}

#: The same → the package that brings it, where that has another name.
_DISTRIBUTIONS = {
    "autogen_agentchat": "autogen-agentchat",
    "google": "google-adk",
    "pydantic_ai": "pydantic-ai-slim",
}

_OWN = (
    "sayso.adapters.scripted:ScriptedAdapter",
    "sayso.adapters.function:FunctionAdapter",
)


def find_adapter(agent: object) -> FrameworkAdapter:
    """The adapter of this agent, by the module of its class. Imports no framework but the agent's
    own."""
    for cls in type(agent).__mro__:
        root = cls.__module__.split(".")[0]
        if root in ADAPTERS:
            try:
                adapter = load_adapter(ADAPTERS[root])
            except (ImportError, AttributeError) as exc:
                raise _does_not_fit(root, str(exc)) from exc
            if adapter.accepts(agent):
                return adapter
    for place in _OWN:
        adapter = load_adapter(place)
        if adapter.accepts(agent):
            return adapter
    known = ", ".join(ADAPTERS)
    raise NotSupportedError(
        f"No adapter knows what to do with {type(agent).__module__}.{type(agent).__qualname__}.",
        fix=f"Give an async function `async def agent(ctx)`, or an agent of: {known}.",
    )


def load_adapter(place: str) -> FrameworkAdapter:
    module, _, attribute = place.partition(":")
    adapter: FrameworkAdapter = getattr(importlib.import_module(module), attribute)()
    return adapter


def what_to_install(module: str) -> str:
    """What `pip install` brings this module: of a framework, the extra that brings all of it."""
    root = module.partition(".")[0]
    if root not in ADAPTERS:
        return root
    extra = ADAPTERS[root].split(".")[2].partition(":")[0].replace("_", "-")
    return f"'sayso[{extra}]'"


def check_has(thing: object, *names: str) -> None:
    """For what an adapter needs of a framework beyond what it documents: another version that has
    it no more is refused at start, never worked with by halves."""
    for name in names:
        if not hasattr(thing, name):
            cls = thing if isinstance(thing, type) else type(thing)
            raise _does_not_fit(
                cls.__module__.partition(".")[0], f"its {cls.__name__} has no '{name}'"
            )


def _does_not_fit(root: str, why: str) -> NotSupportedError:
    return NotSupportedError(
        f"This version of Sayso cannot work with {_installed(root)}: {why}.",
        fix=f"Run `pip install --upgrade {what_to_install(root)}`. If that does not help, the "
        "framework is newer than this Sayso: install an earlier version of it.",
    )


def _installed(root: str) -> str:
    name = _DISTRIBUTIONS.get(root, root)
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return f"{root} without {name}"
