"""Running a body: "started" is committed before it, its true end after it, whatever becomes of the
segment."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pydantic import JsonValue

from sayso.core.effects import Effect, EffectEnd, EffectStart, EffectState, GrantUse
from sayso.core.errors import Critical, LeaseLost, TooDeep, ToolUnavailable
from sayso.core.events import EventData, ToolCallStatus, ToolReturned
from sayso.core.interactions import Proposal
from sayso.tools import telling
from sayso.tools.call import Call
from sayso.tools.outcomes import error_of, error_result
from sayso.tools.pause import Pause, ProposalStale, StepFailed, Stopped, ToolMistake, Unanswered
from sayso.tools.results import as_result, error_text, is_error
from sayso.tools.world import World, log

if TYPE_CHECKING:
    from sayso.tools.toolbox import Toolbox


@dataclass(frozen=True, slots=True, kw_only=True)
class Approved:
    """Under what a body runs: the proposal a person approved, or nothing where none was needed."""

    proposal: Proposal | None = None
    shown_digest: str | None = None
    executed_digest: str | None = None
    #: The leave under which a gated action runs.
    grant: GrantUse | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """How a body ended."""

    state: EffectState
    result: JsonValue
    error: str | None = None
    exception: BaseException | None = None
    #: How long it ran; None where it had waited in its middle.
    seconds: float | None = None


async def run_body(
    toolbox: Toolbox, world: World, call: Call, approval: Approved, attempt: int
) -> Ran:
    """Run the body once. Pause and ProposalStale come out of it; every other end is a Ran."""
    from sayso.tools.context import ToolContext  # the context calls tools through the toolbox

    scope = f"{call.key}>"
    ctx = ToolContext(world, toolbox, scope=scope, call_key=call.key, proposal=approval.proposal)
    # What a gate holds leaves a record whatever it says of itself: its leave is used up with it.
    acts = not call.tool.traits.read_only or approval.grant is not None
    if acts:
        await world.start_effect(
            EffectStart(
                key=call.key,
                attempt=attempt,
                tool_name=call.tool.name,
                arguments=call.arguments,
                shown_digest=approval.shown_digest,
                executed_digest=approval.executed_digest,
                tool_call_id=call.id,
                grant=approval.grant,
            )
        )
    effect = world.effects[call.key] if acts else None
    try:
        ran = await _guarded(world, call, effect, call.tool.start(call.arguments, ctx))
    except Pause:
        world.journal.paused[call.key] = attempt
        raise
    except ProposalStale as exc:
        world.journal.forget(scope)
        if effect is not None:
            end = EffectEnd(
                state=EffectState.NOT_EXECUTED, error=str(exc) or "The proposal is stale."
            )
            await world.end_effect(effect, end)
        raise
    except Stopped as exc:
        if effect is not None:
            end = EffectEnd(state=EffectState.NOT_EXECUTED, error=exc.reason)
            await world.end_effect(effect, end)
        raise
    world.journal.forget(scope)
    await _record(world, call, effect, ran)
    return ran


async def _guarded(world: World, call: Call, effect: Effect | None, body: Awaitable[object]) -> Ran:
    """Await the body. A cancelled segment still records what became of an effect that had
    started."""
    if not call.tool.in_thread:
        try:
            return await _timed(world, call, body)
        except asyncio.CancelledError:
            if effect is not None:
                await _interrupted(world, call, effect)
            raise
    thread = asyncio.ensure_future(_timed(world, call, body))
    try:
        return await asyncio.shield(thread)
    except asyncio.CancelledError:
        # A thread cannot be stopped: its result is recorded when it comes.
        if not thread.cancelled():
            world.stragglers.adopt(_late(world, call, effect, thread))
        raise


async def _timed(world: World, call: Call, body: Awaitable[object]) -> Ran:
    has_waited = call.key in world.journal.paused
    began = world.clock.now()
    ran = await _ended(body)
    if has_waited or ran.state is EffectState.NOT_EXECUTED:
        return ran
    return replace(ran, seconds=max((world.clock.now() - began).total_seconds(), 0.0))


async def _ended(body: Awaitable[object]) -> Ran:
    try:
        result = as_result(await body)
    except ToolUnavailable as exc:
        said = error_result(exc.detail, suggestion=exc.fix)
        return Ran(state=EffectState.NOT_EXECUTED, result=said, error=exc.detail, exception=exc)
    except (ProposalStale, Critical, LeaseLost):
        raise
    except TooDeep as exc:
        said = error_of(exc)
        return Ran(state=EffectState.FAILED, result=said, error=exc.detail, exception=exc)
    except ToolMistake as exc:
        said = error_result(exc.message, suggestion=exc.suggestion)
        if exc.details:
            said["details"] = exc.details
        return Ran(state=EffectState.FAILED, result=said, error=exc.message, exception=exc)
    except Unanswered as exc:
        return Ran(state=EffectState.DONE, result={"status": exc.status})
    except StepFailed as exc:
        error = f"{exc.error_type}: {exc.message}"
        return Ran(state=EffectState.FAILED, result=error_result(error), error=error, exception=exc)
    except Exception as exc:
        error = f"{type(exc).__name__}: {exc}"
        return Ran(state=EffectState.FAILED, result=error_result(error), error=error, exception=exc)
    if is_error(result):
        return Ran(state=EffectState.FAILED, result=result)
    return Ran(state=EffectState.DONE, result=result)


async def _record(world: World, call: Call, effect: Effect | None, ran: Ran) -> None:
    events = _events(world, call, effect, ran)
    if effect is None:
        await world.show(*events)
        return
    await world.drain()
    error = ran.error
    if error is None and ran.state is not EffectState.DONE:
        error = error_text(ran.result)
    await world.end_effect(
        effect, EffectEnd(state=ran.state, result=ran.result, error=error), *events
    )


def _events(world: World, call: Call, effect: Effect | None, ran: Ran) -> list[EventData]:
    status = {
        EffectState.FAILED: ToolCallStatus.FAILED,
        EffectState.NOT_EXECUTED: ToolCallStatus.NOT_EXECUTED,
    }.get(ran.state, ToolCallStatus.DONE)
    failed = ran.error or (error_text(ran.result) if ran.state is not EffectState.DONE else None)
    return telling.came_out(
        call,
        world.run.id,
        status,
        ran.result,
        error=failed,
        arguments=call.arguments,
        effect=effect,
        ran_seconds=ran.seconds,
    )


async def _interrupted(world: World, call: Call, effect: Effect) -> None:
    said = "It was stopped while it ran; it is not known how far it came."
    end = EffectEnd(state=EffectState.UNCERTAIN, error=said)
    returned = ToolReturned(tool_call_id=call.id, status=ToolCallStatus.UNCERTAIN, error=said)
    try:
        await asyncio.shield(world.end_effect(effect, end, returned))
    except Exception:  # then "started" stands, which a takeover reads in the same way
        log.exception("the interruption of %r could not be recorded", call.tool.name)


async def _late(
    world: World, call: Call, effect: Effect | None, thread: asyncio.Future[Ran]
) -> None:
    try:
        ran = await thread
    except (Exception, Pause, Stopped):
        return
    if effect is not None:
        await world.end_effect(
            effect,
            EffectEnd(state=ran.state, result=ran.result, error=ran.error),
            *_events(world, call, effect, ran),
        )
