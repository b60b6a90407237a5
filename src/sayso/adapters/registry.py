"""The adapters: which one an agent needs, and whether it works with the framework that is
installed."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path

from sayso.adapters.contract import FrameworkAdapter, LeansOnPrivateNames
from sayso.adapters.findings import Finding, caveat
from sayso.core.errors import NotSupportedError


@dataclass(frozen=True, slots=True, kw_only=True)
class Framework:
    """One framework. A new one is a folder and a line here: extra, docs and doctor read it."""

    #: What people call it.
    title: str
    #: The distribution that brings its agents' classes, and the package they are in.
    distribution: str
    package: str
    #: The extra of Sayso that installs it.
    extra: str
    #: "module:class" of its adapter.
    adapter: str
    #: The newest release that passes the contract: a later minor one is told at start.
    tested: str

    @property
    def key(self) -> str:
        """The name of its adapter, and of its folder."""
        return self.adapter.partition(":")[0].rpartition(".")[2]


FRAMEWORKS = (
    Framework(
        title="AG2",
        distribution="ag2",
        package="ag2",
        extra="ag2",
        adapter="sayso.adapters.ag2:AG2Adapter",
        tested="1.2.1",
    ),
    Framework(
        title="AutoGen",
        distribution="autogen-agentchat",
        package="autogen_agentchat",
        extra="autogen",
        adapter="sayso.adapters.autogen:AutoGenAdapter",
        tested="0.7.5",
    ),
    Framework(
        title="Google ADK",
        distribution="google-adk",
        package="google.adk",
        extra="adk",
        adapter="sayso.adapters.adk:ADKAdapter",
        tested="2.13.0",
    ),
    Framework(
        title="LangGraph",
        distribution="langgraph",
        package="langgraph",
        extra="langgraph",
        adapter="sayso.adapters.langgraph:LangGraphAdapter",
        tested="1.2.22",
    ),
    Framework(
        title="Microsoft Agent Framework",
        distribution="agent-framework-core",
        package="agent_framework",
        extra="agent-framework",
        adapter="sayso.adapters.agent_framework:AgentFrameworkAdapter",
        tested="1.23.0",
    ),
    Framework(
        title="OpenAI Agents",
        distribution="openai-agents",
        package="agents",
        extra="openai-agents",
        adapter="sayso.adapters.openai_agents:OpenAIAgentsAdapter",
        tested="0.24.0",
    ),
    Framework(
        title="Pydantic AI",
        distribution="pydantic-ai-slim",
        package="pydantic_ai",
        extra="pydantic-ai",
        adapter="sayso.adapters.pydantic_ai:PydanticAIAdapter",
        tested="2.68.0",
    ),
    Framework(
        title="Strands",
        distribution="strands-agents",
        package="strands",
        extra="strands",
        adapter="sayso.adapters.strands:StrandsAdapter",
        tested="1.62.0",
    ),
)

_OWN = (
    "sayso.adapters.scripted:ScriptedAdapter",
    "sayso.adapters.function:FunctionAdapter",
)


def find_adapter(agent: object) -> FrameworkAdapter:
    """Return the adapter of this agent, by the distribution that brings its class or a base of it.
    Imports no framework but the agent's own."""
    framework = framework_of(agent)
    if framework is not None:
        try:
            adapter = load_adapter(framework.adapter)
            if isinstance(adapter, LeansOnPrivateNames):
                _check_names(adapter.leans_on)
        except (ImportError, AttributeError) as exc:
            raise _does_not_fit(framework, str(exc)) from exc
        if adapter.accepts(agent):
            return adapter
    for place in _OWN:
        adapter = load_adapter(place)
        if adapter.accepts(agent):
            return adapter
    known = ", ".join(one.title for one in FRAMEWORKS)
    raise NotSupportedError(
        f"No adapter knows what to do with {type(agent).__module__}.{type(agent).__qualname__}.",
        fix=f"Give an async function `async def agent(ctx)`, or an agent of: {known}.",
    )


def framework_of(agent: object) -> Framework | None:
    """Return the framework whose distribution has the class of this agent, or a base of it. A
    module of the application's own may be called as a framework's is."""
    for cls in type(agent).__mro__:
        for framework in FRAMEWORKS:
            if _is_in(framework.package, cls.__module__) and _is_installed_by(framework):
                return framework
    return None


def load_adapter(place: str) -> FrameworkAdapter:
    module, _, attribute = place.partition(":")
    adapter: FrameworkAdapter = getattr(importlib.import_module(module), attribute)()
    return adapter


def what_to_install(module: str) -> str:
    """Return what `pip install` needs to bring this module: for a framework, the extra of it."""
    for framework in FRAMEWORKS:
        if _is_in(framework.package, module) or _is_in(module, framework.package):
            return f"'sayso[{framework.extra}]'"
    return module.partition(".")[0]


def newer_than_tested(agent: object, name: str) -> list[Finding]:
    """Find where the installed framework is of a later minor version than any that was tested."""
    framework = framework_of(agent)
    installed = _version(framework) if framework is not None else None
    if framework is None or installed is None or _minor(installed) <= _minor(framework.tested):
        return []
    text = f"{framework.distribution} {installed} is newer than what Sayso was tested with "
    text += f"({framework.tested})."
    pin = ".".join(str(part) for part in _minor(framework.tested))
    return [
        caveat(name, text, f"If something fails: pip install '{framework.distribution}~={pin}.0'")
    ]


def check_has(thing: object, *names: str) -> None:
    """Check for what an adapter needs of a framework beyond what that documents: a version without
    it is refused at start. Raises NotSupportedError."""
    for name in names:
        if not hasattr(thing, name):
            cls = thing if isinstance(thing, type) else type(thing)
            why = f"its {cls.__name__} has no '{name}'"
            known = (one for one in FRAMEWORKS if _is_in(one.package, cls.__module__))
            raise _does_not_fit(next(known, None), why, cls.__module__)


def _check_names(leans_on: Mapping[str, Sequence[str]]) -> None:
    for place, names in leans_on.items():
        module, _, attribute = place.partition(":")
        holder = importlib.import_module(module)
        for name in names:
            getattr(getattr(holder, attribute) if attribute else holder, name)


def _is_in(package: str, module: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def _is_installed_by(framework: Framework) -> bool:
    """Tell whether the package that is loaded is the distribution's own."""
    file = getattr(sys.modules.get(framework.package), "__file__", None)
    if file is None:
        return True  # a part of it was made without its package: its adapter will look
    try:
        found = distribution(framework.distribution)
    except PackageNotFoundError:
        return False
    own = Path(str(found.locate_file(framework.package.replace(".", "/"))))
    # An editable install has no files of its own there.
    return not own.exists() or own.resolve() == Path(file).resolve().parent


def _minor(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())


def _version(framework: Framework) -> str | None:
    try:
        return version(framework.distribution)
    except PackageNotFoundError:
        return None


def _does_not_fit(framework: Framework | None, why: str, module: str = "") -> NotSupportedError:
    if framework is None:
        installed = root = module.partition(".")[0]
        return NotSupportedError(
            f"This version of Sayso cannot work with {installed}: {why}.",
            fix=f"Run `pip install --upgrade {root}`.",
        )
    name = framework.distribution
    found = _version(framework)
    installed = f"{name} {found}" if found else f"{framework.package} without {name}"
    return NotSupportedError(
        f"This version of Sayso cannot work with {installed}: {why}.",
        fix=f"Run `pip install 'sayso[{framework.extra}]'`. If that does not help, the "
        "framework is newer than this Sayso: install an earlier version of it.",
    )
