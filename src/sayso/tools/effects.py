"""What is known of a call that acts: a stored end is returned, a crash in its middle is never
guessed over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from pydantic import JsonValue

from sayso.core.cards import UncertainEffectCard
from sayso.core.effects import Effect, EffectEnd, EffectState, uncertain_key
from sayso.core.events import EventData, ToolCallStatus, ToolReturned
from sayso.core.interactions import CardRequest
from sayso.tools.masking import Mask
from sayso.tools.outcomes import error_result
from sayso.tools.world import World


@dataclass(frozen=True, slots=True)
class Ended:
    """It has ended: this is how."""

    effect: Effect


@dataclass(frozen=True, slots=True)
class RunAgain:
    """It may be run (again), as this attempt."""

    attempt: int


@dataclass(frozen=True, slots=True)
class AskWhatHappened:
    """Nobody but a person can say whether it happened."""

    request: CardRequest


async def settle(
    world: World,
    effect: Effect,
    *,
    idempotent: bool,
    mask: Mask,
    agent_name: str,
    call_id: str | None,
) -> Ended | RunAgain | AskWhatHappened:
    """What to do about an effect that an earlier segment, or an earlier owner of this one, has
    left."""
    match effect.state:
        case EffectState.DONE | EffectState.FAILED | EffectState.NOT_EXECUTED:
            return Ended(effect)
        case EffectState.STARTED | EffectState.UNCERTAIN:
            return await _settle_open(
                world,
                effect,
                idempotent=idempotent,
                mask=mask,
                agent_name=agent_name,
                call_id=call_id,
            )
        case _:
            assert_never(effect.state)


async def _settle_open(
    world: World,
    effect: Effect,
    *,
    idempotent: bool,
    mask: Mask,
    agent_name: str,
    call_id: str | None,
) -> Ended | RunAgain | AskWhatHappened:
    it = world.answer(uncertain_key(effect.key, effect.attempt))
    if it is None:
        if idempotent:
            return RunAgain(effect.attempt + 1)
        if effect.state is EffectState.STARTED:
            end = EffectEnd(state=EffectState.UNCERTAIN)
            await world.end_effect(
                effect, end, *_returned(call_id, ToolCallStatus.UNCERTAIN, None, None)
            )
        return AskWhatHappened(_card(effect, mask, agent_name, call_id))
    data = it.response.response_data if it.response is not None else None
    choice = data.selected_option if data is not None else None
    if choice == "run_again":
        return RunAgain(effect.attempt + 1)
    if choice == "mark_done" and data is not None:
        result = data.values.get("result")
        await world.end_effect(
            effect,
            EffectEnd(state=EffectState.DONE, result=result),
            *_returned(call_id, ToolCallStatus.DONE, mask.value(result), None),
        )
    else:
        said = "It is not known whether this ran; a person chose to skip it."
        await world.end_effect(
            effect,
            EffectEnd(state=EffectState.NOT_EXECUTED, error=said, result=error_result(said)),
            *_returned(call_id, ToolCallStatus.NOT_EXECUTED, None, said),
        )
    return Ended(world.effects[effect.key])


def _card(effect: Effect, mask: Mask, agent_name: str, call_id: str | None) -> CardRequest:
    name = effect.tool_name
    begun = "was approved" if effect.shown_digest is not None else "was started"
    card = UncertainEffectCard(
        title=f"Did {name} run?",
        agent_message=f"{name} {begun} and may already have run when it was interrupted.",
        tool_name=name,
        tool_params=mask.object(effect.arguments),
        started_at=effect.started_at,
        attempt=effect.attempt,
    )
    return CardRequest(
        call_key=uncertain_key(effect.key, effect.attempt),
        card=card,
        ui_tool_id=card.card.value,
        agent_name=agent_name,
        tool_call_id=call_id,
    )


def _returned(
    call_id: str | None, status: ToolCallStatus, result: JsonValue, error: str | None
) -> tuple[EventData, ...]:
    if call_id is None:
        return ()
    return (ToolReturned(tool_call_id=call_id, status=status, result=result, error=error),)


def stored_result(effect: Effect) -> JsonValue:
    """What the model is told of an effect that has ended."""
    if effect.state is EffectState.DONE or effect.result is not None:
        return effect.result
    return error_result(effect.error or "It failed.")
