"""One segment, from its claim to its one end."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass

import structlog

from sayso.core.chunks import TaskStreamChunk
from sayso.core.digest import JsonObject
from sayso.core.errors import (
    AgentFailed,
    AgentStuck,
    LeaseLost,
    PersonNeeded,
    SaysoError,
    StoreBusy,
)
from sayso.core.events import ErrorShown
from sayso.core.feed import Feed, Frame
from sayso.core.interactions import CardRequest
from sayso.core.ports import Clock, Store
from sayso.core.segments import (
    Cancelled,
    Completed,
    Failed,
    Program,
    ResumePolicy,
    SegmentEnd,
    Waiting,
)
from sayso.core.sessions import Run, RunState
from sayso.core.tasks import ExecutionMode
from sayso.core.transactions import Claimed, Finished, Lease, Settled, Waited
from sayso.engine.recorder import StoreRecorder
from sayso.engine.text import TextKeeper, TextWriter

log = structlog.get_logger("sayso.engine")


@dataclass(frozen=True, slots=True, kw_only=True)
class Workplace:
    """What every segment of a worker is run with."""

    store: Store
    feed: Feed
    clock: Clock
    keeper: TextKeeper
    #: Publishes what was committed, and starts what a commit has claimed.
    told: Callable[[str, Settled | Waited | Finished | Sequence[Frame]], None]
    #: The lease to claim what comes next with, or None when this worker has no room.
    lease: Callable[[], Lease | None]
    #: Called after the first words of a text: lets whoever serves the clients have the processor.
    give_way: Callable[[], None]
    #: A run that was taken over more often than this without having got anywhere fails.
    most_takeovers: int


async def run_segment(
    claimed: Claimed, program: Program, place: Workplace, *, deadline: Callable[[], float]
) -> None:
    """Run one segment and write its end. A lost lease writes nothing; a cancellation leaves the row
    to its canceller."""
    run, fence = claimed.start.run, claimed.fence
    writer = TextWriter(
        fence,
        place.feed,
        place.clock,
        place.keeper,
        agent=program.name,
        give_way=place.give_way,
    )
    recorder = StoreRecorder(
        place.store,
        fence,
        writer,
        told=lambda outcome: place.told(fence.app_id, outcome),
        deadline=deadline,
    )
    try:
        end = _given_up(run, place.most_takeovers) or await end_of(
            program.run_segment(claimed.start, recorder),
            recorder.take,
            run.task.execution_config.timeout_seconds,
        )
        await _write_end(end, claimed, program, place, recorder)
    except LeaseLost:
        log.info("segment.lease_lost", run_id=run.id, chat_id=run.chat_id, fence=fence.number)
    except StoreBusy as exc:
        # Nothing was written: the lease ends, and whoever takes the run over goes on from its row.
        log.warning("segment.given_up", run_id=run.id, chat_id=run.chat_id, error=exc.detail)
    finally:
        writer.close()


async def end_of(
    stream: AsyncIterator[TaskStreamChunk | SegmentEnd],
    take: Callable[[TaskStreamChunk], Awaitable[None]],
    timeout_seconds: float | None,
) -> SegmentEnd:
    """The one end of a stream, within its time; `take` is given its chunks. Raises LeaseLost,
    StoreBusy: whoever takes the run over goes on from its row."""
    limit = asyncio.timeout(timeout_seconds)
    try:
        async with limit, aclosing(stream) as chunks:  # type: ignore[type-var]  # adapters give async generators
            async for out in chunks:
                if not isinstance(out, TaskStreamChunk):
                    return out
                await take(out)
    except (LeaseLost, StoreBusy, asyncio.CancelledError):
        raise
    except SaysoError as exc:
        return Failed(error=exc)
    except Exception as exc:
        if limit.expired():
            said = f"The agent did not come to an end in {timeout_seconds:g} seconds."
            return Failed(error=AgentFailed(said))
        # Whatever an agent raises is told to its people, not to the worker.
        log.error("agent.failed", error=repr(exc), traceback=traceback.format_exc())
        return Failed(error=AgentFailed(f"{type(exc).__name__}: {exc}"))
    return Failed(error=AgentFailed("The agent's stream ended without saying how."))


def without_people(end: Waiting) -> Waiting | Failed:
    """What a wait becomes where nobody may be asked. Another agent may be."""
    cards = [request for request in end.requests if isinstance(request, CardRequest)]
    if not cards:
        return end
    asked = ", ".join(request.card.title or request.ui_tool_id for request in cards)
    return Failed(error=PersonNeeded(f"The agent asked: {asked}."))


def error_card(error: SaysoError, *, message_id: str, agent: str, run_id: str) -> ErrorShown:
    """The card that shows why a run failed, in seed 1's form of a critical failure."""
    return ErrorShown(
        message_id=message_id,
        ui_tool_id="critical_failure",
        agent_name=agent,
        run_id=run_id,
        payload={
            "title": error.title,
            "status": "critical_failure",
            "message": error.title,
            "details": error.detail,
            "code": error.code,
            "resolution_steps": [error.fix] if error.fix else [],
            "sayso": {"card": "critical_failure", "run_id": run_id},
        },
    )


def error_body(error: SaysoError) -> JsonObject:
    return {"code": error.code, "title": error.title, "detail": error.detail, "fix": error.fix}


def _given_up(run: Run, most_takeovers: int) -> Failed | None:
    if run.takeovers <= most_takeovers:
        return None
    said = f"The run was taken over {run.takeovers} times and never got any further."
    return Failed(error=AgentStuck(said))


async def _write_end(
    end: SegmentEnd, claimed: Claimed, program: Program, place: Workplace, recorder: StoreRecorder
) -> None:
    run, fence, store = claimed.start.run, claimed.fence, place.store
    mode = run.task.execution_config.execution_mode
    if isinstance(end, Waiting) and mode is ExecutionMode.ASYNC_STREAM:
        end = without_people(end)
    outcome: Waited | Finished
    with recorder.closing() as events:
        match end:
            case Waiting(saved=saved, requests=requests):
                outcome = await store.wait(
                    fence,
                    saved,
                    requests,
                    resume_each=program.capabilities.resume is ResumePolicy.EACH,
                    events=events,
                    lease=place.lease(),
                )
            case Completed(memory=memory, output=output):
                outcome = await store.finish(
                    fence,
                    RunState.COMPLETED,
                    events=events,
                    memory=memory,
                    output=output,
                    lease=place.lease(),
                )
            case Cancelled(reason=reason):
                outcome = await store.finish(
                    fence, RunState.CANCELLED, events=events, reason=reason, lease=place.lease()
                )
            case Failed(error=error):
                log.warning("run.failed", run_id=run.id, chat_id=run.chat_id, code=error.code)
                card = error_card(
                    error, message_id=place.clock.new_id(), agent=program.name, run_id=run.id
                )
                # The parent of a child run is told, and says what it makes of it.
                shown = [card] if run.parent_run_id is None else []
                outcome = await store.finish(
                    fence,
                    RunState.FAILED,
                    events=[*events, *shown],
                    error=error_body(error),
                    lease=place.lease(),
                )
    place.told(fence.app_id, outcome)
