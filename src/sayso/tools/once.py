"""Work that is done at most once for its key, with an effect record of its own (`ctx.once`)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence

from pydantic import JsonValue

from sayso.core.effects import EffectEnd, EffectStart, EffectState
from sayso.core.interactions import CardRequest
from sayso.tools.effects import AskWhatHappened, Ended, RunAgain, settle
from sayso.tools.journal import Step
from sayso.tools.masking import Mask
from sayso.tools.pause import StepFailed
from sayso.tools.results import as_result
from sayso.tools.world import World


async def run_once(
    world: World,
    step: Step,
    function: Callable[[], object],
    pause: Callable[[Sequence[CardRequest]], BaseException],
) -> JsonValue:
    """The function's value as JSON; `pause` makes what is raised where a person must say whether it
    happened."""
    attempt = 1
    effect = world.effects.get(step.key)
    if effect is not None:
        settled = await settle(
            world,
            effect,
            idempotent=False,
            mask=Mask((), {}),
            agent_name=world.agent_name,
            call_id=None,
        )
        match settled:
            case AskWhatHappened(request):
                raise pause([request])
            case RunAgain(again):
                attempt = again
            case Ended(ended):
                if ended.state is not EffectState.DONE:
                    raise StepFailed.told(step.title, ended.error or "it failed")
                step.finish()
                return ended.result
    return await _run(world, step, function, attempt)


async def _run(world: World, step: Step, function: Callable[[], object], attempt: int) -> JsonValue:
    await world.start_effect(
        EffectStart(key=step.key, attempt=attempt, tool_name=step.name, arguments={})
    )
    effect = world.effects[step.key]
    try:
        found = function()
        result = as_result(await found if inspect.isawaitable(found) else found)
    except Exception as exc:
        error = f"{type(exc).__name__}: {exc}"
        await world.end_effect(effect, EffectEnd(state=EffectState.FAILED, error=error))
        raise step.fail(exc) from exc
    await world.end_effect(effect, EffectEnd(state=EffectState.DONE, result=result))
    step.finish()
    return result
