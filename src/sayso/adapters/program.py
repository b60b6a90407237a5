"""An agent with its tools and its policy, made ready to run segment by segment."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import replace

from sayso.adapters.agent_name import agent_name
from sayso.adapters.contract import FrameworkAdapter, OwnTools, Segment
from sayso.adapters.findings import AppSide, Finding, refuse, works
from sayso.adapters.model_trouble import model_unavailable
from sayso.adapters.one_call import call_tool_of_ui, retry_tool
from sayso.adapters.registry import find_adapter, newer_than_tested
from sayso.clock import SystemClock
from sayso.core.digest import JsonObject
from sayso.core.errors import (
    AgentFailed,
    InvalidInput,
    LeaseLost,
    NotSupportedError,
    SaysoError,
    StateUnreadable,
    ToolMissing,
)
from sayso.core.policy_rules import Verdict
from sayso.core.ports import Clock
from sayso.core.raised import told
from sayso.core.segments import (
    Capabilities,
    Failed,
    Recorder,
    SegmentEnd,
    SegmentStart,
)
from sayso.core.sessions import Run
from sayso.core.tasks import TaskStreamChunk, tool_name
from sayso.core.ui_calls import UI_TASK, UiCall, failed_result, with_notes
from sayso.tools.agents import AgentTool
from sayso.tools.builtin import BUILTIN_TOOLS
from sayso.tools.context import ToolContext
from sayso.tools.gatekeeper import Gatekeeper, NoGate
from sayso.tools.journal import Journal
from sayso.tools.masking import Secrets
from sayso.tools.policies import Policies, as_policy
from sayso.tools.segment_env import SegmentEnv
from sayso.tools.signature import ArgumentsInvalid
from sayso.tools.threads import DetachedThreads, Threads
from sayso.tools.tool import Runnable, ToolSource, as_tool
from sayso.tools.tool_ui import UiSource
from sayso.tools.toolbox import Toolbox

log = logging.getLogger("sayso.adapters")


class AgentProgram:
    """An agent made ready to run (core.segments.Program): its adapter, its tools and its policy."""

    def __init__(
        self,
        agent: object,
        *,
        name: str | None = None,
        tools: Sequence[object] = (),
        policy: Policies = None,
        adapter: FrameworkAdapter | None = None,
        clock: Clock | None = None,
        deps: object = None,
        gatekeeper: Gatekeeper | None = None,
        undeclared: Verdict | None = None,
        shows_reasoning: bool = False,
        source: ToolSource | None = None,
    ) -> None:
        self._source = source
        self._agent, self._deps, self._gatekeeper = agent, deps, gatekeeper
        self._adapter = adapter or find_adapter(agent)
        self._name = name or agent_name(agent)
        self._policy = as_policy(policy)
        if undeclared is not None:
            self._policy = replace(self._policy, undeclared=undeclared)
        self._clock = clock or SystemClock()
        self._shows_reasoning = shows_reasoning
        given = [tool for tool in map(as_tool, tools) if not _delegates_to(tool, self._name)]
        named = {tool.name for tool in given}
        self._tools = [*given, *(t for t in BUILTIN_TOOLS if t.name not in named)]
        self._policy.check_names(self._tools)
        #: Threads of cancelled segments, whose true results are still to be recorded.
        self.detached_threads = DetachedThreads()
        self._threads = Threads()

    @property
    def name(self) -> str:
        return self._name

    @property
    def adapter_name(self) -> str:
        return self._adapter.name

    @property
    def capabilities(self) -> Capabilities:
        return self._adapter.capabilities

    @property
    def tool_names(self) -> Sequence[str]:
        return [tool.name for tool in self._known_tools()]

    @property
    def undeclared_tools(self) -> list[str]:
        """Return the tools that run unasked although no rule and no declaration says so."""
        if self._policy.undeclared not in (None, Verdict.ALLOW):
            return []
        known = {tool.name: tool.traits for tool in self._known_tools()}
        if isinstance(self._adapter, OwnTools):
            known = {**self._adapter.own_tools(self._agent), **known}
        return sorted(n for n, traits in known.items() if not self._policy.speaks_of(n, traits))

    def findings(self) -> list[Finding]:
        """Look through the agent: what works, what works with care, and what cannot be served."""
        given = [tool for tool in self._tools if tool not in BUILTIN_TOOLS]
        app = AppSide(agent_name=self._name, tools=given, deps=self._deps)
        found = self._adapter.check(self._agent, app)
        return [
            works(self._name, f"It is served by the adapter '{self.adapter_name}'."),
            *newer_than_tested(self._agent, self._name),
            *found,
        ]

    def checked(self) -> AgentProgram:
        """Return this program. Raises NotSupportedError where its agent cannot be served."""
        refuse(self.findings())
        return self

    async def run_segment(
        self, start: SegmentStart, recorder: Recorder
    ) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
        """Stream chunks, then exactly one SegmentEnd. What an agent raises becomes Failed;
        LeaseLost is raised on."""
        secrets = Secrets()
        try:
            _check_written_by(self._adapter.name, start.run)
            async with aclosing(self._stream_or_forget(start, recorder, secrets)) as items:
                async for item in items:
                    yield item
                    if not isinstance(item, TaskStreamChunk):
                        return
        except LeaseLost:
            # Not the agent's failure: whoever takes the run over goes on from its row.
            raise
        except SaysoError as exc:
            yield Failed(error=exc)
        except Exception as exc:
            secrets.log(log, f"agent {self._name!r} failed in run {start.run.id}", exc)
            yield Failed(error=agent_failed(self._name, exc, secrets))

    async def _stream_or_forget(
        self, start: SegmentStart, recorder: Recorder, secrets: Secrets
    ) -> AsyncGenerator[TaskStreamChunk | SegmentEnd, None]:
        """Stream the segment. Where a run begins with a memory of another version, it begins again
        with the chat alone: a chat must outlive an upgrade."""
        begun = False
        try:
            async with aclosing(self._stream(start, recorder, secrets)) as items:
                async for item in items:
                    begun = True
                    yield item
            return
        except StateUnreadable as exc:
            if begun or start.run.saved is not None or start.agent_state is None:
                raise
            log.warning("the memory of %r is left behind: %s", self._name, exc.detail)
        start = replace(start, agent_state=None)
        async with aclosing(self._stream(start, recorder, secrets)) as items:
            async for item in items:
                yield item

    async def _stream(
        self, start: SegmentStart, recorder: Recorder, secrets: Secrets
    ) -> AsyncGenerator[TaskStreamChunk | SegmentEnd, None]:
        """Stream the segment. Where its model is not available, it ends with what to go on from."""
        tools = await self._tools_of(start.run)
        segment = self._segment(start, recorder, secrets, tools)
        out = self._begun(segment)
        try:
            async with aclosing(out) as items:  # type: ignore[type-var]  # an async generator
                async for item in items:
                    yield item
        except LeaseLost:
            raise
        except Exception as exc:
            trouble = model_unavailable(exc, secrets)
            if trouble is None:
                raise
            segment.env.journal.break_off()
            yield Failed(error=trouble, saved=segment.env.checkpoint())

    def _begun(self, segment: Segment) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
        match segment.task.task_type:
            case "tool_retry":
                return retry_tool(segment, self._adapter)
            case "tool_ui_call":
                return call_tool_of_ui(segment, self._uis)
            case _:
                return self._adapter.execute_task_interactive(segment)

    # ── what tools' own UIs ask for (core.ui_calls.ServesUis) ──

    async def call_for_ui(self, call: UiCall, preferences: JsonObject) -> JsonObject | None:
        tool = self._uis.tool_for_ui(call.server, call.tool)
        try:
            arguments = tool.check(call.arguments)
        except ArgumentsInvalid as exc:
            raise InvalidInput(f"The arguments of '{call.tool}' do not fit. {exc}") from exc
        gate = self._gatekeeper or NoGate()
        if not tool.leaves_nothing or gate.check_call(tool.name, arguments, None) is not None:
            return None
        decision = self._policy.decide(tool, arguments, person=call.by, preferences=preferences)
        if decision.verdict is Verdict.DENY:
            return failed_result(decision.reason or "No rule lets this tool run.")
        if decision.verdict is Verdict.ASK:
            return None
        return await self._uis.call_for_ui(call.server, call.tool, arguments, call.by)

    async def read_for_ui(self, server: str, uri: str, person: str | None) -> JsonObject:
        return await self._uis.read_for_ui(server, uri, person)

    @property
    def _uis(self) -> UiSource:
        source: object = self._source
        if not isinstance(source, UiSource):
            raise NotSupportedError("Nothing here has tools with UIs of their own.", fix="")
        return source

    def _known_tools(self) -> list[Runnable]:
        """Its tools as far as they are known before any run; what the application has itself goes
        before what a source offers under the same name."""
        offered = self._source.known if self._source is not None else ()
        return list({tool.name: tool for tool in (*offered, *self._tools)}.values())

    async def finish_late(self) -> None:
        """Wait for the threads of cancelled segments to record how their calls ended."""
        await self.detached_threads.wait()

    def _segment(
        self,
        start: SegmentStart,
        recorder: Recorder,
        secrets: Secrets,
        tools: Sequence[object],
    ) -> Segment:
        saved = start.run.saved
        env = SegmentEnv(
            start=start,
            recorder=recorder,
            journal=Journal.load(saved.journal if saved is not None else None),
            agent_name=self._name,
            clock=self._clock,
            detached_threads=self.detached_threads,
            threads=self._threads,
            secrets=secrets,
            shows_reasoning=self._shows_reasoning,
        )
        toolbox = Toolbox(tools, self._policy, env, self._gatekeeper)
        return Segment(
            agent=self._agent,
            agent_name=self._name,
            task=with_notes(start.run.task),
            saved=saved,
            answers=start.answers,
            agent_state=start.agent_state,
            history=start.history,
            toolbox=toolbox,
            context=ToolContext(env, toolbox),
            deps=self._deps,
        )

    async def _tools_of(self, run: Run) -> list[object]:
        """Return the application's tools and the task's own; a task that was stored names its
        tools."""
        offered = await self._source.tools(run.person) if self._source is not None else ()
        known: dict[str, object] = {tool.name: tool for tool in (*offered, *self._tools)}
        for given in run.task.available_tools:
            name = tool_name(given)
            if name in known:
                continue
            if isinstance(given, str):
                raise ToolMissing(f"The task needs the tool '{name}', which is not here.")
            known[name] = given
        return list(known.values())


def agent_failed(name: str, exc: BaseException, secrets: Secrets) -> AgentFailed:
    """Return what people are told: the error's own words, never its traceback."""
    words = secrets.text(told(exc))
    return AgentFailed(f"The agent '{name}' stopped: {words}")


def _delegates_to(tool: Runnable, agent: str) -> bool:
    """Tell whether this tool gives a task to that agent, which does not need it for itself."""
    return isinstance(tool, AgentTool) and tool.agent == agent


def _check_written_by(adapter: str, run: Run) -> None:
    saved = run.saved
    if saved is None or run.task.task_type in ("tool_retry", UI_TASK):
        return
    if saved.adapter != adapter:
        raise StateUnreadable(
            f"The run was saved by the adapter '{saved.adapter}' ({saved.version}); "
            f"its agent now needs '{adapter}'."
        )
