"""The composition root: the only place that builds and joins everything."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

from sayso.adapters.agent_name import agent_name
from sayso.core.errors import InvalidInput, NotSupportedError
from sayso.core.offerings import Starters, starters_by_agent
from sayso.core.policy_rules import Verdict
from sayso.core.ports import Store
from sayso.core.requirements import Trigger
from sayso.core.segments import Program
from sayso.gate.actions import Actions
from sayso.gate.fields import Requirements
from sayso.logs import logger

if TYPE_CHECKING:
    from fastapi import FastAPI
    from pydantic import SecretStr

    from sayso.adapters.contract import FrameworkAdapter
    from sayso.adapters.findings import Finding
    from sayso.adapters.program import AgentProgram
    from sayso.core.offerings import Exports
    from sayso.engine.engine import Engine
    from sayso.engine.runtime import EngineSettings
    from sayso.gate.extraction import ExtractorChain
    from sayso.mcp import Servers
    from sayso.settings import Settings
    from sayso.tools.policies import Policies


log = logger("sayso.app")

#: What an app of actions alone was called before it had a name of its own. Its chats go on.
_FORMER_NAME = "gate"

ActionBody = TypeVar("ActionBody", bound=Callable[..., object])


class App:
    """An application: its agents, their tools, its policy and its store.

    `agent` is one agent of any framework, or `{"name": agent}`; the first is the default. `tools`
    are given to every agent. `policies` are rules in Python, or the path of a TOML file. `store` is
    a store, the path of a SQLite file, or None for one in the user's data directory. `deps` is what
    a framework hands to an agent's own tools (Pydantic AI's `deps`): an object, or a function of
    Sayso's context that makes one for each stretch of work. An app with actions needs no agent;
    `extractor` reads what people say for them beside the rules: a model by its Pydantic AI name
    ("openai:gpt-5"), one of its Model objects, or an object with `extract(reading)`: async, or a
    plain function, which runs in a thread.
    `exports` says how artifacts become files: `{ui_tool_id: {format: function}}` (core.offerings).
    `undeclared` decides for tools that nobody has declared, by `@tool`, a read-only annotation, a
    confirmation flag of the framework, or a rule: "allow" (they run unasked, and are named at
    start), "ask" or "deny". Where it is not given they are allowed, and a bare function that comes
    with an interactive task asks. `name` is what people call the one agent, or an app of actions
    alone (else that is called by the module of its first action). `starters` are a few things to
    begin with, offered where a chat begins: for the first agent, or `{"name": [...]}`. `mcp` names
    MCP servers, whose tools every agent is given: a file in the form `{"mcpServers": {…}}`, or
    `sayso.mcp.Servers`.
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
        undeclared: Verdict | Literal["ask", "allow", "deny"] | None = None,
        shows_reasoning: bool = False,
        mcp: Servers | Mapping[str, object] | str | Path | None = None,
    ) -> None:
        self.agents = _agents(agent, name)
        self.name = name
        self.extractor = extractor
        self.actions = Actions()
        self.tools = tuple(tools)
        self.policies = policies
        self.undeclared = Verdict(undeclared) if undeclared is not None else None
        self.shows_reasoning = shows_reasoning
        self.store = store
        self.deps = deps
        self.exports: Exports = exports or {}
        self.mcp = _servers(mcp)
        # Checked here, so that a mistake is reported where it was made.
        starters_by_agent(starters, self.agent_names)
        self._starters = starters

    @property
    def agent_names(self) -> list[str]:
        """The names of its agents, the default first."""
        return list(self.agents) or [self.name or self.actions.module or _FORMER_NAME]

    @property
    def starters(self) -> dict[str, tuple[str, ...]]:
        """What people may begin with, by agent."""
        return starters_by_agent(self._starters, self.agent_names)

    @property
    def undeclared_tools(self) -> list[str]:
        """The tools that run unasked although nobody has declared them."""
        found = [self._program(agent, name).undeclared_tools for name, agent in self.agents.items()]
        return sorted({name for names in found for name in names})

    def findings(self) -> list[Finding]:
        """What the adapters find in its agents: what works, what works with care, and what cannot
        be served."""
        programs = [self._program(agent, name) for name, agent in self.agents.items()]
        return [finding for program in programs for finding in program.findings()]

    def with_policies(self, policies: Policies) -> App:
        """Return the same app under other rules."""
        app = copy(self)
        app.policies = policies
        return app

    def with_tools(self, more: Iterable[object]) -> App:
        """Return the same app with more tools."""
        app = copy(self)
        app.tools = (*self.tools, *more)
        return app

    def with_mcp(self, servers: Servers | Mapping[str, object] | str | Path) -> App:
        """Return the same app with these MCP servers in the place of its own."""
        app = copy(self)
        app.mcp = _servers(servers)
        return app

    def action(
        self,
        name: str,
        *,
        requires: type[Requirements],
        trigger: Trigger | str = Trigger.CONFIRM,
        phrases: Sequence[str] = (),
        title: str = "",
        ask: str = "",
        verb: str = "",
    ) -> Callable[[ActionBody], ActionBody]:
        """Put the decorated `async def body(requirements, ctx)` behind the gate.

        `requires` is a model of what it needs. `trigger` says when it runs once that is known:
        after a "confirm" card, at an "explicit" phrase that names it (`phrases` adds some), or by
        itself ("auto"). `verb` is what it does, as an order ("wire the money"): the card asks "Wire
        the money?" and its button says so. `ask` is another question; without either, the card goes
        by `title`.
        """

        def declare(body: ActionBody) -> ActionBody:
            self.actions.add(
                name,
                body,
                requires=requires,
                trigger=trigger,
                phrases=phrases,
                title=title,
                ask=ask,
                verb=verb,
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
        ask: str = "",
        verb: str = "",
    ) -> None:
        """Put an agent's own tool behind the gate, by its name: its calls run only with a grant,
        and with the values that a person agreed to. The rest is as for `action`."""
        self.actions.add(
            tool_name,
            None,
            requires=requires,
            trigger=trigger,
            phrases=phrases,
            title=title,
            ask=ask,
            verb=verb,
            tool_name=tool_name,
        )

    def check(
        self,
        action: str,
        *,
        known: Mapping[str, object] | None = None,
        context: Mapping[str, object] | None = None,
    ) -> dict[str, object]:
        """Return where an action stands with what is known: `{ready, missing, has, follow_up}`.

        `action` is its name or its branch ("CHECKLIST"). `known` holds values by field, or what the
        chat's row says of its requirements; `context` the request's own.
        """
        return self.actions.check(action, known=known or {}, context=context or {})

    def programs(self) -> dict[str, Program]:
        """Return each agent, ready to run. Raises InvalidInput where there is nothing to run,
        NotSupportedError for an agent of no known framework, or one that cannot be served."""
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
        return {name: self._program(agent, name).checked() for name, agent in self.agents.items()}

    def _program(
        self,
        agent: object,
        name: str,
        *,
        tools: Iterable[object] = (),
        gated: bool = False,
        adapter: FrameworkAdapter | None = None,
    ) -> AgentProgram:
        from sayso.adapters.program import AgentProgram

        return AgentProgram(
            agent,
            name=name,
            tools=[*self.tools, *tools],
            policy=self.policies,
            adapter=adapter,
            undeclared=self.undeclared,
            shows_reasoning=self.shows_reasoning,
            deps=self.deps,
            gatekeeper=self.actions if gated else None,
            source=self.mcp,
        )

    def _gated(self) -> dict[str, Program]:
        from sayso.gate.agent_tools import offer_value, request_action

        if not self.agents:
            [name] = self.agent_names
            program = self._gate_of(name, None)
            return {name: program, _FORMER_NAME: program}
        asks = [request_action(self.actions), offer_value(self.actions)]
        return {
            name: self._gate_of(name, self._program(agent, name, tools=asks, gated=True).checked())
            for name, agent in self.agents.items()
        }

    def _gate_of(self, name: str, app_agent: Program | None) -> Program:
        from sayso.adapters.function import SecondAgentAdapter
        from sayso.clock import SystemClock
        from sayso.gate.gate_agent import make_gate_agent
        from sayso.gate.gated_program import GatedProgram

        gate = make_gate_agent(self.actions)
        return GatedProgram(
            self.actions,
            reader(self.extractor),
            gate_agent=self._program(gate, name, gated=True),
            card_agent=self._program(gate, name, gated=True, adapter=SecondAgentAdapter()),
            app_agent=app_agent,
            clock=SystemClock(),
        )

    def engine(
        self,
        data_dir: Path | None = None,
        settings: EngineSettings | None = None,
        *,
        audit_key: SecretStr | None = None,
    ) -> Engine:
        """Build the engine of this app, not yet started."""
        from sayso.engine.runtime import EngineSettings

        store = open_store(self.store, data_dir, audit_key)
        return build_engine(self.programs(), store, settings or EngineSettings(), mcp=self.mcp)


def as_app(agent: object) -> App:
    """Return an App as it is; wrap a bare agent, or a dict of agents."""
    return agent if isinstance(agent, App) else App(agent)


def asgi(agent: object, settings: Settings | None = None) -> FastAPI:
    """Build an ASGI application that serves the API and the console, for any ASGI server.

    It starts the engine with the server and stops it with it.
    """
    from sayso.server.app import create_app
    from sayso.settings import Settings

    chosen = settings or Settings()
    app = as_app(agent)
    for warning in start_warnings(app):
        log.warning(warning)
    return create_app(
        app.engine(chosen.data_dir, audit_key=chosen.audit_key),
        chosen,
        exports=app.exports,
        starters=app.starters,
        mcp=app.mcp,
    )


def start_warnings(app: App) -> list[str]:
    """Return what whoever starts this app should know, a line each."""
    return [*filter(None, [undeclared_line(app)]), *caveat_lines(app)]


def undeclared_line(app: App) -> str:
    """Return one line that names the tools which run unasked although nobody has declared them;
    empty where there are none."""
    names = ", ".join(app.undeclared_tools)
    if not names:
        return ""
    return (
        f"Run without being asked, since nobody has declared them: {names}. "
        'Declare them with @tool, or give App(undeclared="ask").'
    )


def caveat_lines(app: App) -> list[str]:
    """Return a line for each thing of its agents that works with care."""
    from sayso.adapters.findings import FindingKind

    return [
        " ".join(filter(None, [f"{one.agent}: {one.text}", one.fix]))
        for one in app.findings()
        if one.kind is FindingKind.CAVEAT
    ]


def build_engine(
    programs: Mapping[str, Program],
    store: Store,
    settings: EngineSettings,
    *,
    mcp: Servers | None = None,
) -> Engine:
    from sayso.clock import SystemClock
    from sayso.engine.engine import Engine
    from sayso.feed.local import LocalFeed

    return Engine(
        store=store,
        feed=LocalFeed(),
        clock=SystemClock(),
        programs=programs,
        settings=settings,
        on_stop=mcp.aclose if mcp is not None else None,
        holds_calls=mcp,
    )


def open_store(
    where: Store | str | Path | None,
    data_dir: Path | None = None,
    audit_key: SecretStr | None = None,
) -> Store:
    """Return the store at a path, the one given, or the default one in the data directory. Its
    audit is written with this key, else with that of the environment or of the user's file."""
    from sayso.keys import audit_keys
    from sayso.settings import default_data_dir
    from sayso.store.store import SqlStore

    if where is not None and not isinstance(where, str | Path):
        return where
    if where == ":memory:":
        return SqlStore.in_memory()
    path = Path(where) if where is not None else (data_dir or default_data_dir()) / "sayso.db"
    secret = audit_key.get_secret_value() if audit_key is not None else None
    return SqlStore.sqlite(path, keys=audit_keys(secret))


def reader(extractor: object) -> ExtractorChain:
    """Return what reads messages: the rules, and this extractor or model beside them."""
    from sayso.gate.extraction import Extractor, ExtractorChain
    from sayso.reading.rule_extractor import RuleExtractor

    if extractor is None or isinstance(extractor, Extractor):
        return ExtractorChain(RuleExtractor(), extractor)
    from sayso.adapters.extractor import ModelExtractor

    return ExtractorChain(RuleExtractor(), ModelExtractor(extractor))  # type: ignore[arg-type]  # it says so


def _servers(given: Servers | Mapping[str, object] | str | Path | None) -> Servers | None:
    if given is None:
        return None
    from sayso.mcp import as_servers

    return as_servers(given)


def _agents(agent: object, name: str) -> dict[str, object]:
    if agent is None:
        return {}
    if isinstance(agent, Mapping):
        if name:
            raise InvalidInput("These agents have names.", fix="Leave out `name`.")
        if not all(str(key).strip() for key in agent):
            raise InvalidInput("An agent has an empty name.", fix="Give it a name.")
        return {str(key): each for key, each in agent.items()}
    return {name or agent_name(agent): agent}
