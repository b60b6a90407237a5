"""The contract of an adapter, and the program that makes an agent, its tools and its policy
runnable.

A framework is one file here: it turns a Segment into chunks and one SegmentEnd, and sends every
tool call of the agent through `segment.toolbox`. There is no other channel.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, nullcontext
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from pydantic import JsonValue

from sayso.adapters.finding import find_adapter
from sayso.adapters.pump import TextPump
from sayso.clock import SystemClock
from sayso.core.chunks import TaskStreamChunk
from sayso.core.digest import JsonObject
from sayso.core.errors import (
    AgentFailed,
    LeaseLost,
    NotSupportedError,
    SaysoError,
    StateUnreadable,
    StoreBusy,
    ToolMissing,
)
from sayso.core.interactions import Interaction
from sayso.core.ports import Clock
from sayso.core.segments import (
    AgentState,
    Capabilities,
    Completed,
    Failed,
    Recorder,
    SegmentEnd,
    SegmentStart,
    Waiting,
)
from sayso.core.sessions import Run, SavedState
from sayso.core.tasks import TaskRequest, UniversalMessage, tool_name
from sayso.tools.agents import AgentTool
from sayso.tools.builtin import BUILTIN_TOOLS
from sayso.tools.call import NeedsPerson, Returned
from sayso.tools.context import ToolContext
from sayso.tools.gatekeeper import Gatekeeper
from sayso.tools.journal import Journal
from sayso.tools.masking import Secrets
from sayso.tools.policies import Policies, as_policy
from sayso.tools.tool import Runnable, as_tool
from sayso.tools.toolbox import Toolbox
from sayso.tools.world import Stragglers, World

log = logging.getLogger("sayso.adapters")


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """What an adapter gets: the agent, the task, what was saved and answered, and the tools."""

    agent: object
    agent_name: str
    task: TaskRequest
    saved: SavedState | None
    answers: Mapping[str, Interaction]
    agent_state: AgentState | None
    history: Sequence[UniversalMessage]
    toolbox: Toolbox
    context: ToolContext
    deps: object = None

    async def make_deps(self) -> object:
        """What the application hands to the agent's own tools: an object, or what its function
        makes of the context."""
        if not inspect.isroutine(self.deps):
            return self.deps
        made = self.deps(self.context)
        return await made if inspect.isawaitable(made) else made

    @property
    def world(self) -> World:
        """The hooks: `checkpoint` (the state to go on from), `drain` and `say` (text and events in
        order)."""
        return self.toolbox.world

    def saved_state(self, adapter: str, version: str, blob: bytes) -> SavedState:
        """The adapter's own bytes, with the journal beside them."""
        return SavedState(
            adapter=adapter, version=version, blob=blob, journal=self.world.journal.dump()
        )


class FrameworkAdapter(Protocol):
    """What knows one framework. It holds no state: one instance serves all runs at once."""

    @property
    def name(self) -> str: ...

    @property
    def capabilities(self) -> Capabilities: ...

    def accepts(self, agent: object) -> bool: ...

    def execute_task_interactive(
        self, segment: Segment
    ) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
        """Stream chunks, then exactly one SegmentEnd. Errors may simply be raised."""
        ...


@runtime_checkable
class HasOwnTools(Protocol):
    """An adapter that can call one of the framework's own tools outside of a run of the agent."""

    def own_tool(
        self, segment: Segment, name: str
    ) -> AbstractAsyncContextManager[Runnable | None]: ...


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
    ) -> None:
        self._agent, self._deps, self._gatekeeper = agent, deps, gatekeeper
        self._adapter = adapter or find_adapter(agent)
        self._name = name or agent_name(agent)
        self._policy = as_policy(policy)
        self._clock = clock or SystemClock()
        given = [tool for tool in map(as_tool, tools) if not _asks(tool, self._name)]
        named = {tool.name for tool in given}
        self._tools = [*given, *(t for t in BUILTIN_TOOLS if t.name not in named)]
        self._policy.check_names(self._tools)
        #: Threads of cancelled segments, whose true results are still to be recorded.
        self.stragglers = Stragglers()

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
        return [tool.name for tool in self._tools]

    async def run_segment(
        self, start: SegmentStart, recorder: Recorder
    ) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
        """Stream chunks, then exactly one SegmentEnd. What an agent raises becomes Failed;
        LeaseLost is raised on."""
        secrets = Secrets()
        try:
            _check_written_by(self._adapter.name, start.run)
            async with aclosing(self._remembering(start, recorder, secrets)) as items:
                async for item in items:
                    yield item
                    if not isinstance(item, TaskStreamChunk):
                        return
        except (LeaseLost, StoreBusy):
            # Nothing of the agent's doing: whoever takes the run over goes on from its row.
            raise
        except SaysoError as exc:
            yield Failed(error=exc)
        except Exception as exc:
            secrets.log(log, f"agent {self._name!r} failed in run {start.run.id}", exc)
            yield Failed(error=agent_failed(self._name, exc, secrets))

    async def _remembering(
        self, start: SegmentStart, recorder: Recorder, secrets: Secrets
    ) -> AsyncGenerator[TaskStreamChunk | SegmentEnd, None]:
        """The segment. Where a run begins with a memory of another version, it begins again with
        the chat alone: a chat must outlive an upgrade."""
        begun = False
        try:
            async with aclosing(self._stream(start, recorder, secrets)) as items:  # type: ignore[type-var]  # async generators all
                async for item in items:
                    begun = True
                    yield item
            return
        except StateUnreadable as exc:
            if begun or start.run.saved is not None or start.agent_state is None:
                raise
            log.warning("the memory of %r is left behind: %s", self._name, exc.detail)
        start = replace(start, agent_state=None)
        async with aclosing(self._stream(start, recorder, secrets)) as items:  # type: ignore[type-var]
            async for item in items:
                yield item

    def _stream(
        self, start: SegmentStart, recorder: Recorder, secrets: Secrets
    ) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
        segment = self._segment(start, recorder, secrets)
        if start.run.task.task_type == "tool_retry":
            return retry_tool(segment, self._adapter)
        return self._adapter.execute_task_interactive(segment)

    async def finish_late(self) -> None:
        """Wait for the threads of cancelled segments to record how their calls ended."""
        await self.stragglers.wait()

    def _segment(self, start: SegmentStart, recorder: Recorder, secrets: Secrets) -> Segment:
        saved = start.run.saved
        world = World(
            start=start,
            recorder=recorder,
            journal=Journal.load(saved.journal if saved is not None else None),
            agent_name=self._name,
            clock=self._clock,
            stragglers=self.stragglers,
            secrets=secrets,
        )
        toolbox = Toolbox(self._tools_of(start.run.task), self._policy, world, self._gatekeeper)
        return Segment(
            agent=self._agent,
            agent_name=self._name,
            task=start.run.task,
            saved=saved,
            answers=start.answers,
            agent_state=start.agent_state,
            history=start.history,
            toolbox=toolbox,
            context=ToolContext(world, toolbox),
            deps=self._deps,
        )

    def _tools_of(self, task: TaskRequest) -> list[object]:
        """The application's tools and the task's own; a task that was stored names its tools."""
        known: dict[str, object] = {tool.name: tool for tool in self._tools}
        for given in task.available_tools:
            name = tool_name(given)
            if name in known:
                continue
            if isinstance(given, str):
                raise ToolMissing(f"The task needs the tool '{name}', which is not here.")
            known[name] = given
        return list(known.values())


async def retry_tool(
    segment: Segment, adapter: FrameworkAdapter
) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
    """A task of type "tool_retry": run that one tool again, through the policy, and say what came
    of it."""
    pump = TextPump(segment.task.task_id)
    segment.world.drain = pump.drain
    segment.world.checkpoint = lambda: segment.saved_state("tool_retry", "1", b"")
    async with aclosing(pump.run(_retry(segment, adapter, pump))) as items:
        async for item in items:
            yield item


async def _retry(segment: Segment, adapter: FrameworkAdapter, pump: TextPump) -> SegmentEnd:
    wanted = segment.task.context
    name, arguments = wanted.get("tool_name"), wanted.get("arguments")
    if not isinstance(name, str) or not isinstance(arguments, dict):
        raise NotSupportedError(
            "A tool_retry task needs `tool_name` and `arguments` in its context."
        )
    async with _own_tool(segment, adapter, name) as tool:
        came = await segment.toolbox.call(
            "retry", name, arguments, agent_name=segment.agent_name, tool=tool
        )
    match came:
        case NeedsPerson(requests):
            return Waiting(saved=segment.saved_state("tool_retry", "1", b""), requests=requests)
        case Returned():
            text = _retry_words(name, came)
            await pump.say(text)
            await pump.drain()
            return Completed(output=text)


def _own_tool(
    segment: Segment, adapter: FrameworkAdapter, name: str
) -> AbstractAsyncContextManager[Runnable | None]:
    """The framework's own tool of this name, where it is not one of ours."""
    ours = any(tool.name == name for tool in segment.toolbox.tools)
    if ours or not isinstance(adapter, HasOwnTools):
        return nullcontext()
    return adapter.own_tool(segment, name)


def _retry_words(name: str, came: Returned) -> str:
    status = came.result.get("status") if isinstance(came.result, dict) else None
    if came.error is not None or status in ("error", "critical_failure"):
        said = came.error or _text(came.result, "message")
        return f"{name} did not succeed this time either: {said}"
    if status in ("rejected", "denied", "dismissed", "expired"):
        return f"{name} was not run again ({status})."
    return f"{name} ran again and succeeded."


def agent_name(agent: object) -> str:
    """The agent's own name, its application's, its function's, or its class's."""
    named = getattr(agent, "name", None) or getattr(agent, "app_name", None)
    return str(named or getattr(agent, "__name__", type(agent).__name__))


def agent_failed(name: str, exc: BaseException, secrets: Secrets) -> AgentFailed:
    """What people are told: the error's own words, never its traceback."""
    words = secrets.text(f"{type(exc).__name__}: {exc}")
    return AgentFailed(f"The agent '{name}' stopped: {words}")


def _asks(tool: Runnable, agent: str) -> bool:
    """Whether this tool hands a task to that agent, which does not need it for itself."""
    return isinstance(tool, AgentTool) and tool.agent == agent


def _check_written_by(adapter: str, run: Run) -> None:
    saved = run.saved
    if saved is None or run.task.task_type == "tool_retry":
        return
    if saved.adapter != adapter:
        raise StateUnreadable(
            f"The run was saved by the adapter '{saved.adapter}' ({saved.version}); "
            f"its agent now needs '{adapter}'."
        )


def _text(value: JsonValue, key: str) -> str:
    body: JsonObject = value if isinstance(value, dict) else {}
    return str(body.get(key) or "no reason was given")
