"""The records of calls that act, and of work done at most once (`ctx.once`): a stored end is
returned, and what became of an interrupted attempt is never guessed."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn, assert_never

from pydantic import JsonValue

from sayso.core.effects import (
    SKIPPED,
    Effect,
    EffectEnd,
    EffectStart,
    EffectState,
    EndSource,
    executed_digest,
    uncertain_key,
    uncertain_request,
)
from sayso.core.events import EventData, ToolCallStatus, ToolReturned
from sayso.core.interactions import CardRequest, Interaction
from sayso.core.messages import message, recalled
from sayso.tools.answer_messages import error_result
from sayso.tools.body_results import as_result, raised
from sayso.tools.calls import Call
from sayso.tools.idempotency import Done, Found, NotDone
from sayso.tools.journal import Step
from sayso.tools.masking import Mask
from sayso.tools.segment_env import SegmentEnv
from sayso.tools.suspension import StepFailed, is_unwinding
from sayso.tools.tool import Traits


@dataclass(frozen=True, slots=True)
class Ended:
    """The effect has ended like this."""

    effect: Effect


@dataclass(frozen=True, slots=True)
class RunAgain:
    """The call may run (again), as this attempt."""

    attempt: int


@dataclass(frozen=True, slots=True)
class AskWhatHappened:
    """Only a person can say whether it happened."""

    request: CardRequest


def is_asked_about(env: SegmentEnv, call: Call, *, by_a_person: bool) -> bool:
    """Return whether a person is asked where nobody knows if this call has acted: a person let it
    run, its tool declares that it acts, or it is part of such a call."""
    traits = call.tool.traits
    if traits.idempotent:
        return False  # it can simply be made again
    return (
        by_a_person
        or traits.declares_that_it_acts
        or any(
            outer.shown_digest is not None or outer.business_key is not None
            for outer in env.effects.values()
            if outer.state is EffectState.STARTED and call.key.startswith(f"{outer.key}>")
        )
    )


def was_asked_about(env: SegmentEnv, key: str) -> bool:
    """Return whether a person has said what became of this call's newest attempt."""
    effect = env.effects.get(key)
    return effect is not None and env.answer(uncertain_key(key, effect.attempt)) is not None


async def settle(
    env: SegmentEnv,
    effect: Effect,
    *,
    idempotent: bool,
    mask: Mask,
    agent_name: str,
    call_id: str | None,
    look_up: Callable[[], Awaitable[Found]] | None = None,
) -> Ended | RunAgain | AskWhatHappened:
    """Return what to do about an effect that an earlier segment, an earlier owner of this one, or
    an exception has left."""
    match effect.state:
        case EffectState.NOT_EXECUTED if effect.never_began:
            return RunAgain(effect.attempt + 1)
        case EffectState.DONE | EffectState.FAILED | EffectState.NOT_EXECUTED:
            return Ended(effect)
        case EffectState.STARTED | EffectState.UNCERTAIN:
            pass
        case _:
            assert_never(effect.state)
    it = env.answer(uncertain_key(effect.key, effect.attempt))
    if it is not None:
        return await record_persons_word(env, effect, it, mask, call_id)
    if effect.is_told:
        return Ended(effect)  # its agent was told so, and went on
    if idempotent:
        return RunAgain(effect.attempt + 1)
    found = await look_up() if look_up is not None else None
    if found is not None:
        end, told = _as_found(effect, found, mask, call_id)
        await env.end_effect(effect, end, *told)
        return Ended(env.effects[effect.key])
    if effect.state is EffectState.STARTED:
        unclear = _returned(effect, mask, call_id, ToolCallStatus.UNCERTAIN)
        await env.end_effect(effect, EffectEnd(state=EffectState.UNCERTAIN), *unclear)
    return AskWhatHappened(uncertain_card(effect, mask, agent_name=agent_name, call_id=call_id))


async def record_persons_word(
    env: SegmentEnv, effect: Effect, it: Interaction, mask: Mask, call_id: str | None
) -> Ended | RunAgain:
    """Record what a person said became of it."""
    said = end_said_by(it)
    if isinstance(said, RunAgain):
        return RunAgain(effect.attempt + 1)
    is_known = said.state is EffectState.DONE
    status = ToolCallStatus.DONE if is_known else ToolCallStatus.UNCERTAIN
    result = mask.value(said.result) if is_known else None
    told = _returned(effect, mask, call_id, status, result=result, error=said.error)
    await env.end_effect(effect, said, *told)
    return Ended(env.effects[effect.key])


def end_said_by(it: Interaction) -> RunAgain | EffectEnd:
    """Return what a person said became of a call. No answer of theirs alone lets it run."""
    data = it.response.response_data if it.response is not None else None
    choice = data.selected_option if data is not None else None
    if choice == "run_again":
        return RunAgain(1)
    if choice == "mark_done" and data is not None:
        result = data.values.get("result")
        return EffectEnd(state=EffectState.DONE, result=result, told_by=EndSource.PERSON)
    return EffectEnd(
        state=EffectState.NOT_EXECUTED,
        error=SKIPPED,
        result=error_result(SKIPPED),
        told_by=EndSource.PERSON,
    )


def _as_found(
    effect: Effect, found: Done | NotDone, mask: Mask, call_id: str | None
) -> tuple[EffectEnd, tuple[EventData, ...]]:
    """Return how an attempt ended, as its tool has looked it up."""
    if isinstance(found, Done):
        result = as_result(found.result)
        end = EffectEnd(state=EffectState.DONE, result=result)
        status = ToolCallStatus.DONE
        return end, _returned(effect, mask, call_id, status, result=mask.value(result))
    error = effect.error or "It was looked up: this did not run."
    end = EffectEnd(state=EffectState.NOT_EXECUTED, error=error, result=error_result(error))
    status, said = ToolCallStatus.NOT_EXECUTED, mask.text(error)
    return end, _returned(effect, mask, call_id, status, error=said)


def uncertain_card(
    effect: Effect, mask: Mask, *, agent_name: str, call_id: str | None
) -> CardRequest:
    """Return the card that asks what became of an attempt."""
    name = effect.tool_name
    begun = "approved" if effect.shown_digest is not None else "started"
    what = message(f"effect.was_{begun}", tool=name)
    if effect.error is not None:
        what = message("effect.it_said", what=what, words=recalled(mask.text(effect.error)))
    arguments = mask.object(effect.arguments)
    return uncertain_request(
        effect, what, arguments=arguments, agent_name=agent_name, call_id=call_id
    )


def _returned(
    effect: Effect,
    mask: Mask,
    call_id: str | None,
    status: ToolCallStatus,
    *,
    result: JsonValue = None,
    error: str | None = None,
) -> tuple[EventData, ...]:
    if call_id is None:
        return ()
    return (
        ToolReturned(
            tool_call_id=call_id,
            status=status,
            result=result,
            error=error,
            arguments=mask.object(effect.arguments),
        ),
    )


def stored_result(effect: Effect) -> JsonValue:
    """Return what the model is told of an effect that has ended."""
    if effect.state is EffectState.DONE or effect.result is not None:
        return effect.result
    return error_result(effect.error or "It failed.")


async def run_once(
    env: SegmentEnv,
    step: Step,
    function: Callable[[], object],
    wait: Callable[[Sequence[CardRequest]], Awaitable[NoReturn]],
) -> JsonValue:
    """Return the function's value as JSON. `wait` waits for a person, who must say whether it
    happened."""
    attempt = 1
    effect = env.effects.get(step.key)
    if effect is not None:
        settled = await settle(
            env,
            effect,
            idempotent=False,
            mask=Mask((), {}),
            agent_name=env.agent_name,
            call_id=None,
        )
        match settled:
            case AskWhatHappened(request):
                await wait([request])
            case RunAgain(again):
                attempt = again
            case Ended(ended):
                if ended.state is not EffectState.DONE:
                    raise StepFailed.from_error(
                        step.title,
                        ended.error or "it failed",
                        was_asked_about=was_asked_about(env, step.key),
                    )
                step.finish()
                return ended.result
    return await _run(env, step, function, attempt, wait)


async def _run(
    env: SegmentEnv,
    step: Step,
    function: Callable[[], object],
    attempt: int,
    wait: Callable[[Sequence[CardRequest]], Awaitable[NoReturn]],
) -> JsonValue:
    await env.start_effect(
        EffectStart(
            key=step.key,
            attempt=attempt,
            tool_name=step.name,
            arguments={},
            executed_digest=executed_digest(step.name, {}),
        )
    )
    effect = env.effects[step.key]
    try:
        found = function()
        returned = await found if inspect.isawaitable(found) else found
    except BaseException as exc:
        if is_unwinding(exc):
            raise
        # Work done once counts as acting: a person is asked where nobody knows.
        ran = raised(exc, Traits(), asks=True)
        end = EffectEnd(state=ran.state, result=ran.result, error=ran.error)
        await env.end_effect(effect, end)
        if ran.is_open:
            return await run_once(env, step, function, wait)
        raise step.fail(exc) from exc
    result = as_result(returned)
    await env.end_effect(effect, EffectEnd(state=EffectState.DONE, result=result))
    step.finish()
    return result
