"""Runs one segment, from its claim to its one end."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import timedelta

from sayso.core.children import Request
from sayso.core.digest import JsonObject
from sayso.core.errors import (
    AgentFailed,
    AgentStuck,
    LeaseLost,
    ModelUnavailable,
    PersonNeeded,
    SaysoError,
)
from sayso.core.feed import Feed, Frame
from sayso.core.fitting import check_request
from sayso.core.interactions import CardRequest
from sayso.core.messages import message
from sayso.core.model_trouble import GiveUp, TryAgain, decide_retry
from sayso.core.ports import Clock, Store
from sayso.core.raised import told
from sayso.core.segments import (
    Cancelled,
    Completed,
    Failed,
    GivenUp,
    Program,
    ResumePolicy,
    SegmentEnd,
    Waiting,
)
from sayso.core.sessions import Run, RunState
from sayso.core.store_results import Claimed, Finished, Lease, Postponed, Settled, Waited
from sayso.core.tasks import ExecutionMode, TaskStreamChunk
from sayso.engine.effect_writer import EffectWriter
from sayso.engine.failures import broken_off, error_body, error_card, retry_card
from sayso.engine.recorder import STORE_REFUSALS, StoreRecorder
from sayso.engine.text_stream import TextBuffer, TextWriter
from sayso.logs import logger

log = logger("sayso.engine")


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentContext:
    """What every segment of a worker is run with."""

    store: Store
    feed: Feed
    clock: Clock
    texts: TextBuffer
    effect_writer: EffectWriter
    #: Publishes what was committed, and starts what a commit has claimed.
    on_commit: Callable[[str, Settled | Waited | Finished | Postponed | Sequence[Frame]], None]
    #: The lease to claim what comes next with, or None when this worker has no room.
    lease: Callable[[], Lease | None]
    #: Called after the first words of a text, so that the server's thread can send them.
    yield_cpu: Callable[[], None]
    #: A run that was taken over more often than this without having got anywhere fails.
    most_takeovers: int


async def run_segment(
    claimed: Claimed, program: Program, context: SegmentContext, *, deadline: Callable[[], float]
) -> None:
    """Run one segment and write its end. A lost lease writes nothing; a cancellation leaves the row
    to its canceller."""
    run, fence = claimed.start.run, claimed.fence
    writer = TextWriter(
        fence,
        context.feed,
        context.clock,
        context.texts,
        agent=program.name,
        yield_cpu=context.yield_cpu,
    )
    recorder = StoreRecorder(
        context.store,
        fence,
        writer,
        context.effect_writer,
        on_commit=lambda outcome: context.on_commit(fence.app_id, outcome),
        deadline=deadline,
    )
    try:
        end = _taken_over_too_often(run, context.most_takeovers) or await run_to_end(
            program.run_segment(claimed.start, recorder),
            recorder.take,
            run.task.execution_config.timeout_seconds,
        )
        recorder.raise_refused()
        await _write_end(end, claimed, program, context, recorder)
    except LeaseLost:
        log.info("segment.lease_lost", run_id=run.id, chat_id=run.chat_id, fence=fence.number)
    except (GivenUp, BaseExceptionGroup, *STORE_REFUSALS) as exc:
        if isinstance(exc, BaseExceptionGroup) and exc.subgroup(GivenUp) is None:
            raise
        # The lease ends, and the worker that takes the run over goes on from its row.
        log.warning("segment.given_up", run_id=run.id, chat_id=run.chat_id, error=str(exc))
    finally:
        writer.close()


async def run_to_end(
    stream: AsyncIterator[TaskStreamChunk | SegmentEnd],
    take: Callable[[TaskStreamChunk], Awaitable[None]],
    timeout_seconds: float | None,
) -> SegmentEnd:
    """Read a stream to its one end, within its time; `take` is given its chunks. Raises LeaseLost,
    where another worker goes on from the run's row."""
    limit = asyncio.timeout(timeout_seconds)
    try:
        async with limit, aclosing(stream) as chunks:  # type: ignore[type-var]  # adapters give async generators
            async for out in chunks:
                if not isinstance(out, TaskStreamChunk):
                    return _with_valid_cards(out)
                await take(out)
    except (LeaseLost, asyncio.CancelledError):
        raise
    except SaysoError as exc:
        return Failed(error=exc)
    except Exception as exc:
        if limit.expired():
            detail = f"The agent did not come to an end in {timeout_seconds:g} seconds."
            return Failed(error=AgentFailed(detail))
        # Whatever an agent raises ends its run; the worker goes on.
        log.error("agent.failed", error=repr(exc), traceback=traceback.format_exc())
        return Failed(error=AgentFailed(told(exc)))
    return Failed(error=AgentFailed("The agent's stream ended without saying how."))


def _with_valid_cards(end: SegmentEnd) -> SegmentEnd:
    """Return the end as it is. Raises for a card that nobody could ever answer, so that the run
    fails now, and not when somebody tries."""
    for request in end.requests if isinstance(end, Waiting) else ():
        if isinstance(request, CardRequest):
            check_request(request)
    return end


def fail_if_person_needed(end: Waiting) -> Waiting | Failed:
    """Return what a wait becomes where no person may be asked. Another agent may be."""
    cards = [request for request in end.requests if isinstance(request, CardRequest)]
    if not cards:
        return end
    asked = ", ".join(request.card.title or request.ui_tool_id for request in cards)
    return Failed(error=PersonNeeded(f"The agent asked: {asked}."))


def _described(request: Request, metadata: JsonObject) -> Request:
    return replace(request, metadata=metadata) if isinstance(request, CardRequest) else request


def _taken_over_too_often(run: Run, most_takeovers: int) -> Failed | None:
    if run.takeovers <= most_takeovers:
        return None
    detail = f"The run was taken over {run.takeovers} times and never got any further."
    return Failed(error=AgentStuck(detail))


async def _write_end(
    end: SegmentEnd,
    claimed: Claimed,
    program: Program,
    context: SegmentContext,
    recorder: StoreRecorder,
) -> None:
    """Write how the segment ended. What cannot be written at all fails the run, in words: else it
    would be taken over and come to the same end for ever."""
    try:
        await _write(end, claimed, program, context, recorder)
    except (LeaseLost, *STORE_REFUSALS):
        raise
    except Exception as exc:
        log.error("segment.unwritable", run_id=claimed.fence.run_id, exc_info=exc)
        error = exc if isinstance(exc, SaysoError) else AgentFailed(told(exc))
        await _write(Failed(error=error), claimed, program, context, recorder)


async def _write(
    end: SegmentEnd,
    claimed: Claimed,
    program: Program,
    context: SegmentContext,
    recorder: StoreRecorder,
) -> None:
    run, fence, store = claimed.start.run, claimed.fence, context.store
    mode = run.task.execution_config.execution_mode
    if isinstance(end, Waiting) and mode is ExecutionMode.ASYNC_STREAM:
        end = fail_if_person_needed(end)
    if isinstance(end, Failed) and isinstance(end.error, ModelUnavailable):
        return await _write_trouble(end, claimed, program, context, recorder)
    outcome: Waited | Finished
    with recorder.closing() as events:
        match end:
            case Waiting(saved=saved, requests=requests):
                outcome = await store.wait(
                    fence,
                    saved,
                    [_described(request, recorder.metadata) for request in requests],
                    resume_each=program.capabilities.resume is ResumePolicy.EACH,
                    events=events,
                    usage=recorder.usage,
                    lease=context.lease(),
                )
            case Completed(memory=memory, output=output):
                outcome = await store.finish(
                    fence,
                    RunState.COMPLETED,
                    events=events,
                    usage=recorder.usage,
                    memory=memory,
                    output=output,
                    lease=context.lease(),
                )
            case Cancelled(reason=reason):
                outcome = await store.finish(
                    fence,
                    RunState.CANCELLED,
                    events=events,
                    reason=reason,
                    usage=recorder.usage,
                    lease=context.lease(),
                )
            case Failed(error=error):
                log.warning("run.failed", run_id=run.id, chat_id=run.chat_id, code=error.code)
                card = error_card(
                    error, message_id=context.clock.new_id(), agent=program.name, run_id=run.id
                )
                # The parent of a child run gets the error, and decides what to show.
                shown = [card] if run.parent_run_id is None else []
                outcome = await store.finish(
                    fence,
                    RunState.FAILED,
                    events=[*events, *shown],
                    usage=recorder.usage,
                    error=error_body(error),
                    lease=context.lease(),
                )
    context.on_commit(fence.app_id, outcome)


async def _write_trouble(
    end: Failed,
    claimed: Claimed,
    program: Program,
    context: SegmentContext,
    recorder: StoreRecorder,
) -> None:
    """Write that the model was not available: the run tries again when it is due, or fails and
    offers that to a person. What was half said has broken off."""
    run, fence, store, error = claimed.start.run, claimed.fence, context.store, end.error
    assert isinstance(error, ModelUnavailable)
    # What is only shown once more is no way forward: a trouble would begin anew for ever.
    got_further = recorder.got_further and end.saved != run.saved
    decided = decide_retry(run, error, got_further=got_further, now=context.clock.steady())
    log.warning("run.model_unavailable", run_id=run.id, chat_id=run.chat_id, detail=error.detail)
    outcome: Postponed | Finished
    with recorder.closing() as closing:
        events = [broken_off(event) for event in closing]
        match decided:
            case TryAgain(seconds=seconds):
                due = context.clock.now() + timedelta(seconds=seconds)
                outcome = await store.postpone(
                    fence,
                    end.saved,
                    decided,
                    reason=message("run.trying_again", at=due.isoformat()),
                    events=events,
                    usage=recorder.usage,
                )
            case GiveUp():
                shown = [] if run.parent_run_id else [retry_card(error, fence, program.name)]
                outcome = await store.finish(
                    fence,
                    RunState.FAILED,
                    events=[*events, *shown],
                    usage=recorder.usage,
                    error=error_body(error),
                    saved=end.saved if run.parent_run_id is None else None,
                    lease=context.lease(),
                )
    context.on_commit(fence.app_id, outcome)
