"""Calls that were made before: the same call in this run, or one under the same business key.

An equal call after a person's no gets that no for its answer; a person is asked about an equal call
that may have acted; what was done under a business key is not done again.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from pydantic import JsonValue

from sayso.core.digest import JsonObject, canonical_json
from sayso.core.effects import Effect, EffectEnd, EffectState, uncertain_key
from sayso.core.errors import AlreadyUnderWay, InvalidInput
from sayso.core.events import ToolCallStatus
from sayso.core.interactions import Interaction, InteractionState, InteractionType
from sayso.tools.answer_messages import approval_answer, error_of, refusal_result
from sayso.tools.call_events import end_call, show_call
from sayso.tools.calls import Call, CallSuspended, Returned, key_of
from sayso.tools.effects import RunAgain, end_said_by, record_persons_word, uncertain_card
from sayso.tools.segment_env import SegmentEnv


async def answered_before(env: SegmentEnv, call: Call) -> Returned | None:
    """End a call that was answered before, by a person's no or by what was done under its key. None
    where neither is so."""
    no = _refusal_before(env, call)
    if no is not None:
        refusal = refusal_result(approval_answer(no))
        return await end_call(env, call, ToolCallStatus.REJECTED, refusal, arguments=call.arguments)
    holder = await _holder_of_key(env, call)
    return await end_as_holder(env, call, holder) if holder is not None else None


async def end_as_holder(env: SegmentEnv, call: Call, holder: Effect) -> Returned:
    """End a call whose business key another call holds."""
    if holder.state is EffectState.DONE:
        notes = (_done_already(holder),)
        return await end_call(env, call, ToolCallStatus.DONE, holder.result, notes=notes)
    exc = _already_under_way(holder)
    said = f"{type(exc).__name__}: {exc.detail}"
    return await end_call(env, call, ToolCallStatus.NOT_EXECUTED, error_of(exc), error=said)


async def ask_about_unclear(env: SegmentEnv, call: Call) -> Returned | CallSuspended | None:
    """Ask a person about an equal call that may have acted. None where there is none, or where they
    have said that this one is to run."""
    unclear = _unclear_before(env, call)
    if unclear is None:
        return None
    key = uncertain_key(unclear.key, unclear.attempt)
    it = env.answer(key)
    if it is None:
        await show_call(env, call, waits=True)
        card = uncertain_card(unclear, call.mask, agent_name=call.agent_name, call_id=call.id)
        return CallSuspended((card,))
    said = end_said_by(it)
    assert isinstance(said, EffectEnd)  # of one that was let run again nothing is unclear
    if said.state is EffectState.DONE:
        row = env.call_id(unclear.key)
        await record_persons_word(env, unclear, it, call.mask, row)
        return await end_call(env, call, ToolCallStatus.DONE, said.result)
    ended = await end_call(env, call, ToolCallStatus.NOT_EXECUTED, said.result, error=said.error)
    return replace(ended, was_asked_about=True)


def _refusal_before(env: SegmentEnv, call: Call) -> Interaction | None:
    """Return a person's no to an equal call of this run, unless they have written again since
    then."""
    nos = [
        it
        for it in env.start.answers.values()
        if it.state is InteractionState.REJECTED
        and it.proposal is not None
        and it.proposal.tool_name == call.tool.name
        and is_equal(it.proposal.arguments, call.arguments)
    ]
    no = max(nos, key=_settled_at, default=None)
    return no if no is not None and not _written_since(env, no) else None


def _unclear_before(env: SegmentEnv, call: Call) -> Effect | None:
    """Return an equal call of this run whose agent was told that it may have acted, unless a person
    has let it run again since."""
    if call.tool.traits.idempotent:
        return None
    equal = [
        effect
        for effect in env.effects.values()
        if effect.is_told
        and effect.key != call.key
        and effect.tool_name == call.tool.name
        and is_equal(effect.arguments, call.arguments)
        and not _let_run_again(env, effect)
    ]
    return max(equal, key=lambda effect: effect.started_at, default=None)


async def _holder_of_key(env: SegmentEnv, call: Call) -> Effect | None:
    """Return what was begun or done under the business key of this call, in whatever chat."""
    key = key_of(call)
    return await env.recorder.effect_under(key) if key is not None else None


def _done_already(holder: Effect) -> str:
    """Return the note on a result that is an earlier call's. It names no chat: that may be another
    person's."""
    at = holder.ended_at or holder.started_at
    return f"This was done already, on {at:%Y-%m-%d at %H:%M} UTC, and was not done again."


def _already_under_way(holder: Effect) -> AlreadyUnderWay:
    at = f"{holder.started_at:%Y-%m-%d at %H:%M} UTC"
    return AlreadyUnderWay(
        f"'{holder.tool_name}' was begun for the same thing on {at}, and it is not known how it "
        "ended. Nothing was done now."
    )


def is_equal(one: JsonObject, other: JsonObject) -> bool:
    """Compare as JSON: 1 and 1.0 are one number, true is not a number."""
    return one == other and _canonical(one) == _canonical(other)


def _canonical(value: JsonValue) -> object:
    try:
        return canonical_json(value)
    except InvalidInput:  # a number that it cannot write
        return value


def _let_run_again(env: SegmentEnv, effect: Effect) -> bool:
    it = env.answer(uncertain_key(effect.key, effect.attempt))
    return it is not None and isinstance(end_said_by(it), RunAgain)


def _settled_at(it: Interaction) -> datetime:
    return it.settled_at or it.created_at


def _written_since(env: SegmentEnv, no: Interaction) -> bool:
    """Return whether a person has answered a question since, in whatever words."""
    return any(
        it.type is InteractionType.USER_INPUT
        and it.state is InteractionState.COMPLETED
        and _settled_at(it) >= _settled_at(no)
        for it in env.start.answers.values()
    )
