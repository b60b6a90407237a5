"""The function adapter: a plain `async def agent(ctx)` is an agent, resumed by replaying its
journal.

After an answer the function runs again from its first line; every step that it had reached returns
what it returned before.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace

import orjson
from pydantic_core import to_jsonable_python

from sayso.adapters.contract import Segment
from sayso.adapters.findings import AppSide, Finding
from sayso.adapters.text_queue import stream_segment
from sayso.core.errors import NotSupportedError, StateUnreadable
from sayso.core.segments import (
    Cancelled,
    Capabilities,
    Completed,
    ResumePolicy,
    SegmentEnd,
    Waiting,
)
from sayso.core.sessions import SavedState
from sayso.core.tasks import TaskStreamChunk, UniversalMessage
from sayso.tools.context import ToolContext
from sayso.tools.replay import come_to_end
from sayso.tools.suspension import Stopped, Suspend, Unanswered

STATE_VERSION = "1"


class FunctionAdapter:
    name = "function"
    # A function gets each tool's own result: there is no model to tell of an edit.
    capabilities = Capabilities(resume=ResumePolicy.EACH, tells_edits=False)

    def accepts(self, agent: object) -> bool:
        if _is_async(agent):
            return True
        if inspect.isroutine(agent):
            name = getattr(agent, "__name__", agent)
            raise NotSupportedError(
                f"The agent '{name}' is a plain `def`: it could not wait for people.",
                fix="Write `async def`; blocking work belongs in a plain `def` tool.",
            )
        return False

    def check(self, agent: object, app: AppSide) -> Sequence[Finding]:
        return ()

    def execute_task_interactive(
        self, segment: Segment
    ) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
        return stream_segment(segment, lambda _: _run(segment, self.name))


class SecondAgentAdapter(FunctionAdapter):
    """A function that goes on in a run where another agent has come to its end.

    It is given that agent's memory in the place of a blob, and keeps it for the end of the run. Its
    steps have keys of their own: the other's calls are not taken for its own."""

    name = "function_second"

    def accepts(self, agent: object) -> bool:
        return False  # no application has such an agent

    def execute_task_interactive(
        self, segment: Segment
    ) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
        context = ToolContext(segment.env, segment.toolbox, scope="second/")
        return super().execute_task_interactive(replace(segment, context=context))


async def _run(segment: Segment, adapter: str) -> SegmentEnd:
    kept = segment.saved
    if kept is not None and kept.version != STATE_VERSION:
        raise StateUnreadable(
            f"The state has version {kept.version}; this Sayso reads {STATE_VERSION}."
        )
    memory = kept.blob if kept is not None else b""

    def saved() -> SavedState:
        return segment.saved_state(adapter, STATE_VERSION, memory)

    segment.env.checkpoint = saved
    journal, ctx = segment.env.journal, segment.context
    segment.env.history = await _history(segment)
    try:
        await come_to_end(_call(segment.agent, ctx, segment.task.words), ctx)
    except Suspend as pause:
        journal.check_all_passed("")
        return Waiting(saved=saved(), requests=pause.requests)
    except Stopped as stopped:
        return Cancelled(reason=stopped.reason)
    except Unanswered:
        journal.check_not_diverged()
        return Completed(output=ctx.said, memory=memory or None)
    journal.check_all_passed("")
    await segment.env.flush_text()
    return Completed(output=ctx.said, memory=memory or None)


async def _history(segment: Segment) -> Sequence[UniversalMessage]:
    """Return the chat before this task, the same in every segment: the journal only says where in
    the chat's log it ends."""
    env, journal = segment.env, segment.env.journal
    if journal.history is not None:
        return [UniversalMessage.model_validate(message) for message in journal.history]
    if journal.history_at is None:
        journal.history_at = env.start.history_at if segment.history else 0
    if segment.history or not journal.history_at:
        return segment.history
    return await env.recorder.history(journal.history_at)


async def _call(agent: object, ctx: ToolContext, message: str) -> None:
    """Call the function, and say what it yields or returns."""
    assert callable(agent)
    arguments = (ctx, message) if _takes_message(agent) else (ctx,)
    made = agent(*arguments)
    if inspect.isasyncgen(made):
        async with aclosing(made) as texts:
            async for text in texts:
                await ctx.say(str(text))
        return
    returned = await made
    await asyncio.sleep(0)  # a task that it began last comes to its first step
    if returned is not None:
        await ctx.say(returned if isinstance(returned, str) else _as_text(returned))


def _takes_message(agent: Callable[..., object]) -> bool:
    required = [
        parameter
        for parameter in inspect.signature(agent).parameters.values()
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]
    return len(required) > 1


def _is_async(agent: object) -> bool:
    return any(
        inspect.iscoroutinefunction(it) or inspect.isasyncgenfunction(it)
        for it in (agent, getattr(agent, "__call__", None))  # noqa: B004  # objects that are agents
    )


def _as_text(value: object) -> str:
    return orjson.dumps(to_jsonable_python(value)).decode()
