"""The composition root: the only place that builds and joins everything."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from sayso.core.errors import InvalidInput
from sayso.core.ports import Store
from sayso.core.segments import Program

if TYPE_CHECKING:
    from fastapi import FastAPI

    from sayso.engine.engine import Engine, EngineSettings
    from sayso.settings import Settings
    from sayso.tools.policies import Policies


class App:
    """An application: its agents, their tools, the policy, and where the rows lie.

    `agent` is one agent of any framework, or `{"name": agent}`; the first is the default. `tools`
    are given to every agent. `policies` are rules in Python, or the path of a TOML file. `store` is
    a store, the path of a SQLite file, or None for one in the user's data directory.
    """

    def __init__(
        self,
        agent: object,
        *,
        tools: Iterable[object] = (),
        policies: Policies = None,
        store: Store | str | Path | None = None,
    ) -> None:
        self.agents: dict[str, object] = (
            {str(name): each for name, each in agent.items()}
            if isinstance(agent, Mapping)
            else {agent_name(agent): agent}
        )
        if not self.agents:
            raise InvalidInput("There is no agent.", fix="Give the App at least one agent.")
        self.tools = tuple(tools)
        self.policies = policies
        self.store = store

    def programs(self) -> dict[str, Program]:
        """Each agent made ready to run. Raises NotSupportedError for an agent of no known
        framework."""
        from sayso.adapters.base import AgentProgram

        return {
            name: AgentProgram(agent, name=name, tools=self.tools, policy=self.policies)
            for name, agent in self.agents.items()
        }

    def engine(
        self, data_dir: Path | None = None, settings: EngineSettings | None = None
    ) -> Engine:
        """The engine of this app, not yet started."""
        return build_engine(
            self.programs(), open_store(self.store, data_dir), settings or default_settings()
        )


def as_app(agent: object) -> App:
    """An App as it is; a bare agent, or a dict of agents, wrapped."""
    return agent if isinstance(agent, App) else App(agent)


def asgi(agent: object, settings: Settings | None = None) -> FastAPI:
    """An ASGI application that serves the API and the console, for any ASGI server.

    It starts the engine with the server and stops it with it.
    """
    from sayso.server.app import create_app
    from sayso.settings import Settings

    chosen = settings or Settings()
    return create_app(as_app(agent).engine(chosen.data_dir), chosen)


def build_engine(programs: Mapping[str, Program], store: Store, settings: EngineSettings) -> Engine:
    from sayso.engine.clock import SystemClock
    from sayso.engine.engine import Engine
    from sayso.feed.local import LocalFeed

    return Engine(
        store=store, feed=LocalFeed(), clock=SystemClock(), programs=programs, settings=settings
    )


def open_store(where: Store | str | Path | None, data_dir: Path | None = None) -> Store:
    """The store at a path, the one given, or the default one in the data directory."""
    from sayso.settings import default_data_dir
    from sayso.store.store import SqlStore

    if where is not None and not isinstance(where, str | Path):
        return where
    if where == ":memory:":
        return SqlStore.in_memory()
    path = Path(where) if where is not None else (data_dir or default_data_dir()) / "sayso.db"
    return SqlStore.sqlite(path)


def default_settings() -> EngineSettings:
    from sayso.engine.engine import EngineSettings

    return EngineSettings()


def agent_name(agent: object) -> str:
    """What an agent is called where nobody named it."""
    name = getattr(agent, "name", None) or getattr(agent, "__name__", None)
    return str(name or type(agent).__name__)
