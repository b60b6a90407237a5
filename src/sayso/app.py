"""The composition root: the only place that builds and joins everything."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from sayso.core.errors import InvalidInput, NotSupportedError
from sayso.core.ports import Store
from sayso.core.requirements import Trigger
from sayso.core.segments import Program
from sayso.core.starters import Starters, starters_by_agent
from sayso.gate.actions import Actions
from sayso.gate.fields import Requirements

if TYPE_CHECKING:
    from fastapi import FastAPI

    from sayso.adapters.base import AgentProgram
    from sayso.core.exports import Exports
    from sayso.engine.engine import Engine
    from sayso.engine.workforce import EngineSettings
    from sayso.gate.extraction import Chain
    from sayso.settings import Settings
    from sayso.tools.policies import Policies


#: What an app of actions alone was called before it had a name of its own. Its chats go on.
_FORMER_NAME = "gate"

ActionBody = TypeVar("ActionBody", bound=Callable[..., object])


class App:
    """An application: its agents, their tools, the policy, and where the rows lie.

    `agent` is one agent of any framework, or `{"name": agent}`; the first is the default. `tools`
    are given to every agent. `policies` are rules in Python, or the path of a TOML file. `store` is
    a store, the path of a SQLite file, or None for one in the user's data directory. `deps` is what
    a framework hands to an agent's own tools (Pydantic AI's `deps`): an object, or a function of
    Sayso's context that makes one for each stretch of work. An app with actions needs no agent;
    `extractor` reads what people say for them beside the rules: a model by its Pydantic AI name
    ("openai:gpt-5"), one of its Model objects, or an object with `async extract(reading)`.
    `exports` says how artifacts become files: `{ui_tool_id: {format: function}}` (core.exports).
    `name` is what people call the one agent, or an app of actions alone (else that is called by the
    module of its first action). `starters` are a few things to begin with, offered where a chat
    begins: for the first agent, or `{"name": [...]}`.
    """

    def __init__(
        self,
        agent: object = None,
        *,
        tools: Iterable[object] = (),
        policies: Policies = None,
        store: Store | str | Path | None = None,
        deps: object = None,
        extractor: object = None,
        exports: Exports | None = None,
        name: str = "",
        starters: Starters = (),
    ) -> None:
        self.agents = _agents(agent, name)
        self.name = name
        self.extractor = extractor
        self.actions = Actions()
        self.tools = tuple(tools)
        self.policies = policies
        self.store = store
        self.deps = deps
        self.exports: Exports = exports or {}
        # Looked at here, so that a mistake is told where it was made.
        starters_by_agent(starters, self.agent_names)
        self._starters = starters

    @property
    def agent_names(self) -> list[str]:
        """What its agents are called, the default first."""
        return list(self.agents) or [self.name or self.actions.module or _FORMER_NAME]

    @property
    def starters(self) -> dict[str, tuple[str, ...]]:
        """What people may begin with, by agent."""
        return starters_by_agent(self._starters, self.agent_names)

    def with_policies(self, policies: Policies) -> App:
        """The same app under other rules."""
        app = copy(self)
        app.policies = policies
        return app

    def with_tools(self, more: Iterable[object]) -> App:
        """The same app with more tools."""
        app = copy(self)
        app.tools = (*self.tools, *more)
        return app

    def action(
        self,
        name: str,
        *,
        requires: type[Requirements],
        trigger: Trigger | str = Trigger.CONFIRM,
        phrases: Sequence[str] = (),
        title: str = "",
    ) -> Callable[[ActionBody], ActionBody]:
        """Put the decorated `async def body(requirements, ctx)` behind the gate (DESIGN section 9).

        `requires` is a model of what it needs. `trigger` says when it runs once that is known:
        after a "confirm" card, at an "explicit" phrase that names it (`phrases` adds to "create the
        {name}"), or by itself ("auto").
        """

        def declare(body: ActionBody) -> ActionBody:
            self.actions.add(
                name, body, requires=requires, trigger=trigger, phrases=phrases, title=title
            )
            return body

        return declare

    def guard(
        self,
        tool_name: str,
        *,
        requires: type[Requirements],
        trigger: Trigger | str = Trigger.CONFIRM,
        phrases: Sequence[str] = (),
        title: str = "",
    ) -> None:
        """Put an agent's own tool behind the gate, by its name: its calls run only with leave, and
        with the values that a person agreed to."""
        self.actions.add(
            tool_name,
            None,
            requires=requires,
            trigger=trigger,
            phrases=phrases,
            title=title,
            tool_name=tool_name,
        )

    def check(
        self,
        action: str,
        *,
        known: Mapping[str, object] | None = None,
        context: Mapping[str, object] | None = None,
    ) -> dict[str, object]:
        """Where an action stands with what is known: seed 3's `{ready, missing, has, follow_up}`.

        `action` is its name or its branch ("CHECKLIST"). `known` holds values by field, or what the
        chat's row says of its requirements; `context` the request's own.
        """
        return self.actions.check(action, known=known or {}, context=context or {})

    def programs(self) -> dict[str, Program]:
        """Each agent made ready to run. Raises InvalidInput where there is nothing to run,
        NotSupportedError for an agent of no known framework."""
        from sayso.tools.agents import AgentTool

        for tool in self.tools:
            if isinstance(tool, AgentTool) and tool.agent not in self.agents:
                raise NotSupportedError(
                    f"The tool '{tool.name}' asks the agent '{tool.agent}', which is not here.",
                    fix=f"The agents here are: {', '.join(self.agents)}.",
                )
        if self.actions:
            return self._gated()
        if not self.agents:
            raise InvalidInput("There is no agent.", fix="Give the App an agent, or an action.")
        return {name: self._program(agent, name) for name, agent in self.agents.items()}

    def _program(
        self, agent: object, name: str, *, tools: Iterable[object] = (), gated: bool = False
    ) -> AgentProgram:
        from sayso.adapters.base import AgentProgram

        return AgentProgram(
            agent,
            name=name,
            tools=[*self.tools, *tools],
            policy=self.policies,
            deps=self.deps,
            gatekeeper=self.actions if gated else None,
        )

    def _gated(self) -> dict[str, Program]:
        from sayso.gate.program import acting
        from sayso.gate.request import offer_value, request_action

        if not self.agents:
            [name] = self.agent_names
            desk = self._program(acting(self.actions), name, gated=True)
            program = self._gate_of(desk, None)
            return {name: program, _FORMER_NAME: program}
        found: dict[str, Program] = {}
        for name, agent in self.agents.items():
            desk = self._program(acting(self.actions), name, gated=True)
            asks = [request_action(self.actions), offer_value(self.actions)]
            talker = self._program(agent, name, tools=asks, gated=True)
            found[name] = self._gate_of(desk, talker)
        return found

    def _gate_of(self, desk: Program, talker: Program | None) -> Program:
        from sayso.clock import SystemClock
        from sayso.gate.program import GatedProgram

        return GatedProgram(
            self.actions,
            reader(self.extractor),
            desk=desk,
            talker=talker,
            clock=SystemClock(),
        )

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
    app = as_app(agent)
    return create_app(
        app.engine(chosen.data_dir), chosen, exports=app.exports, starters=app.starters
    )


def build_engine(programs: Mapping[str, Program], store: Store, settings: EngineSettings) -> Engine:
    from sayso.clock import SystemClock
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
    from sayso.engine.workforce import EngineSettings

    return EngineSettings()


def reader(extractor: object) -> Chain:
    """What reads messages: the rules, and beside them this extractor, or the model of this name."""
    from sayso.gate.extraction import Chain, Extractor
    from sayso.gate.rules import RuleExtractor

    if extractor is None or isinstance(extractor, Extractor):
        return Chain(RuleExtractor(), extractor)
    from sayso.adapters.extractor import ModelExtractor

    return Chain(RuleExtractor(), ModelExtractor(extractor))  # type: ignore[arg-type]  # it says so


def _agents(agent: object, name: str) -> dict[str, object]:
    if agent is None:
        return {}
    if isinstance(agent, Mapping):
        if name:
            raise InvalidInput("These agents have names.", fix="Leave out `name`.")
        return {str(key): each for key, each in agent.items()}
    return {name or agent_name(agent): agent}


def agent_name(agent: object) -> str:
    """What an agent is called where nobody named it."""
    name = getattr(agent, "name", None) or getattr(agent, "app_name", None)
    return str(name or getattr(agent, "__name__", None) or type(agent).__name__)
