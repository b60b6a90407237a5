"""Run a tool's functions: its body, and `prepare` and `reconcile`, which do not act.

The start of a body is committed before it runs and its true end after it, whatever becomes of the
segment.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import dataclass, replace

from sayso.core.digest import JsonObject
from sayso.core.effects import (
    LEFT_BEHIND,
    Effect,
    EffectEnd,
    EffectStart,
    EffectState,
    executed_digest,
)
from sayso.core.errors import Critical, LeaseLost, SystemAway, TooDeep
from sayso.core.events import EventData, ToolCallStatus, ToolReturned
from sayso.core.json_limits import check_depth
from sayso.core.raised import told, words_of
from sayso.core.record import Outcome, OutcomeState
from sayso.core.segments import GivenUp
from sayso.tools import call_events
from sayso.tools.answer_messages import critical_result, error_of, error_result, sentences
from sayso.tools.approvals import Approved
from sayso.tools.body_results import Ran, a_body, as_result, error_text, is_error, raised
from sayso.tools.calls import Call, ToolCaller, key_of
from sayso.tools.context import ToolContext
from sayso.tools.effects import is_asked_about
from sayso.tools.idempotency import Found
from sayso.tools.replay import come_to_end
from sayso.tools.segment_env import SegmentEnv, log
from sayso.tools.suspension import (
    ProposalStale,
    Stopped,
    Suspend,
    ToolMistake,
    Unanswered,
    is_unwinding,
)
from sayso.tools.threads import ThreadSlot
from sayso.tools.tool import Prepared, Tool, Traits


async def run_body(
    caller: ToolCaller, env: SegmentEnv, call: Call, approval: Approved, attempt: int
) -> Ran:
    """Run the body once. It raises Suspend or ProposalStale; every other end is a Ran."""
    scope = f"{call.key}>"
    ctx = ToolContext(env, caller, scope=scope, call_key=call.key, proposal=approval.proposal)
    # What uses up a grant, or a person's rule lets run, is recorded even where it only reads.
    by_rule = call.allowed.standing is not None
    acts = not call.tool.traits.read_only or approval.grant is not None or by_rule
    # Before "started" is committed: a call that waits for its thread has not begun.
    slot = await env.threads.take(env.run.chat_id) if call.tool.in_thread else None
    try:
        if acts:
            await env.start_effect(
                EffectStart(
                    key=call.key,
                    attempt=attempt,
                    tool_name=call.tool.name,
                    arguments=call.arguments,
                    shown_digest=approval.shown_digest,
                    executed_digest=executed_digest(
                        call.tool.name, call.mask.object(call.arguments)
                    ),
                    tool_call_id=call.id,
                    business_key=key_of(call),
                    grant=approval.grant,
                    allowed=call.allowed,
                )
            )
        asks = is_asked_about(env, call, by_a_person=approval.is_by_a_person or attempt > 1)
        body = _ended(
            come_to_end(call.tool.start(call.arguments, ctx), ctx), call.tool.traits, asks=asks
        )
    except BaseException:
        if slot is not None:
            slot.release()
        raise
    effect = env.effects[call.key] if acts else None
    try:
        ran = await _guarded(env, call, effect, body, slot)
    except Suspend:
        env.journal.paused[call.key] = attempt
        raise
    except ProposalStale as exc:
        env.journal.forget(scope)
        if effect is not None:
            end = EffectEnd(
                state=EffectState.NOT_EXECUTED, error=words_of(exc) or "The proposal is stale."
            )
            await env.end_effect(effect, end)
        raise
    except Stopped as exc:
        if effect is not None:
            end = EffectEnd(state=EffectState.NOT_EXECUTED, error=exc.reason)
            await env.end_effect(effect, end)
        raise
    env.journal.forget(scope)
    await _record(env, call, effect, ran)
    return ran


async def _guarded(
    env: SegmentEnv,
    call: Call,
    effect: Effect | None,
    body: Awaitable[Ran],
    slot: ThreadSlot | None,
) -> Ran:
    """Await the body. A cancelled segment still records what became of an effect that had started;
    a thread releases its slot when it ends, whoever waits for it."""
    if slot is None:
        try:
            return await _timed(env, call, body)
        except asyncio.CancelledError:
            if effect is not None:
                await _interrupted(env, call, effect)
            raise
    thread = asyncio.ensure_future(_timed(env, call, body))
    thread.add_done_callback(lambda _: slot.release())
    try:
        return await asyncio.shield(thread)
    except asyncio.CancelledError:
        # A thread cannot be stopped: its result is recorded when it comes.
        if not thread.cancelled():
            env.detached_threads.adopt(call.id, _late(env, call, effect, thread))
        raise


async def _timed(env: SegmentEnv, call: Call, body: Awaitable[Ran]) -> Ran:
    has_waited = call.key in env.journal.paused
    began = env.clock.now()
    ran = await body
    if has_waited or ran.state is EffectState.NOT_EXECUTED:
        return ran
    return replace(ran, seconds=max((env.clock.now() - began).total_seconds(), 0.0))


async def _ended(body: Awaitable[object], traits: Traits, *, asks: bool) -> Ran:
    try:
        with a_body():
            returned = await body
    except (ProposalStale, Critical, LeaseLost):
        raise
    except Unanswered as exc:
        return Ran(state=EffectState.DONE, result={"status": exc.status})
    except BaseException as exc:
        if is_unwinding(exc):
            raise
        return raised(exc, traits, asks=asks)
    # A body that returned has run, whatever becomes of its result.
    result = as_result(returned)
    return Ran(state=EffectState.FAILED if is_error(result) else EffectState.DONE, result=result)


async def _record(env: SegmentEnv, call: Call, effect: Effect | None, ran: Ran) -> None:
    events = _events(env, call, effect, ran)
    if effect is None:
        await env.show(*events)
        return
    await env.flush_text()
    await env.end_effect(effect, _end_of(ran), *events)


def _end_of(ran: Ran) -> EffectEnd:
    error = ran.error
    if error is None and ran.state is not EffectState.DONE:
        error = error_text(ran.result)
    return EffectEnd(state=ran.state, result=ran.result, error=error)


def _events(env: SegmentEnv, call: Call, effect: Effect | None, ran: Ran) -> list[EventData]:
    status = {
        EffectState.FAILED: ToolCallStatus.FAILED,
        EffectState.UNCERTAIN: ToolCallStatus.UNCERTAIN,
        EffectState.NOT_EXECUTED: ToolCallStatus.NOT_EXECUTED,
    }.get(ran.state, ToolCallStatus.DONE)
    return call_events.call_ended(
        call,
        env.run.id,
        status,
        ran.result,
        error=_end_of(ran).error,
        arguments=call.arguments,
        effect=effect,
        ran_seconds=ran.seconds,
        outcome=None if effect is not None else _outcome(call, status),
    )


def _outcome(call: Call, status: ToolCallStatus) -> Outcome | None:
    """Return the outcome of a call that has no effect of its own; an effect's is told from its
    row."""
    is_done = status is ToolCallStatus.DONE
    return call.allowed.outcome_of(OutcomeState.RAN if is_done else OutcomeState.FAILED)


async def _interrupted(env: SegmentEnv, call: Call, effect: Effect) -> None:
    end = EffectEnd(state=EffectState.UNCERTAIN, error=LEFT_BEHIND)
    returned = ToolReturned(
        tool_call_id=call.id, status=ToolCallStatus.UNCERTAIN, error=LEFT_BEHIND
    )
    with suppress(GivenUp):  # the recorder keeps it and writes it later
        await env.end_effect(effect, end, returned)


async def _late(
    env: SegmentEnv, call: Call, effect: Effect | None, thread: asyncio.Future[Ran]
) -> None:
    try:
        ran = await thread
    except (Exception, Suspend, Stopped):
        return
    if effect is not None:
        with suppress(GivenUp):  # the recorder keeps it and writes it later
            await env.end_effect(effect, _end_of(ran), *_events(env, call, effect, ran))


@dataclass(frozen=True, slots=True)
class NotPrepared:
    """`prepare` refuses, or failed: in words for a person, and as the model is told."""

    words: str
    result: JsonObject
    error: str
    raises: bool = True


async def prepare(caller: ToolCaller, env: SegmentEnv, call: Call) -> Prepared | NotPrepared | None:
    """Return what the card shows, or why it cannot be shown."""
    ctx = ToolContext(env, caller, scope=f"{call.key}?>", call_key=call.key, may_ask=False)
    try:
        found = await call.tool.propose(call.arguments, ctx)
        check_depth(found, f"What {call.tool.name} shows before it acts")
        return found
    except TooDeep as exc:
        return NotPrepared(call.mask.text(exc.detail), error_of(exc), exc.detail)
    except ToolMistake as exc:
        # A refusal before anything ran is a value for the agent, as a rejection is.
        result = error_result(exc.message, suggestion=exc.suggestion)
        words = sentences(exc.message, exc.suggestion)
        return NotPrepared(call.mask.text(words), result, exc.message, raises=False)
    except SystemAway as exc:
        words = sentences(exc.detail, exc.details)
        return NotPrepared(call.mask.text(words), critical_result(exc), exc.detail, raises=False)
    except BaseException as exc:
        if is_unwinding(exc):
            raise
        words = f"{call.tool.name} could not be prepared: {words_of(exc)}"
        error = told(exc)
        return NotPrepared(call.mask.text(words), error_result(words), error)


async def look_up(caller: ToolCaller, env: SegmentEnv, call: Call) -> Found:
    """Return what became of a call, as its tool's `reconcile` finds it; None where it raises."""
    tool, scope = call.tool, f"{call.key}!look>"
    if not isinstance(tool, Tool):
        return None
    ctx = ToolContext(env, caller, scope=scope, call_key=call.key, may_ask=False)
    try:
        return await tool.look_up(call.arguments, ctx, key_of(call) or ctx.idempotency_key)
    except BaseException as exc:
        if is_unwinding(exc):
            raise
        env.secrets.log(log, f"reconcile of {tool.name!r} could not tell", exc)
        return None
    finally:
        env.journal.forget(scope)
