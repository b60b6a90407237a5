"""A turn of two agents in one run: the application's answers what was nothing to the gate, then the
gate's shows its open card again, so that it stands last.

The run's saved state is that of whichever of them it waits in. What the first keeps for the chat is
carried through the second to the end of the run.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from sayso.core.cards import RequirementsCard
from sayso.core.requirements import state_in, status_of
from sayso.core.segments import Completed, Program, Recorder, SegmentEnd, SegmentStart
from sayso.core.sessions import SavedState
from sayso.core.tasks import TaskStreamChunk
from sayso.gate.actions import Actions


async def answer_then_card(
    agent: Program, card: Program, actions: Actions, start: SegmentStart, recorder: Recorder
) -> AsyncGenerator[TaskStreamChunk | SegmentEnd, None]:
    """Stream a segment of such a turn. `card` keeps the bytes of the state that it begins with
    (adapters.function.SecondAgentAdapter)."""
    saved = start.run.saved
    if saved is None or saved.adapter != card.adapter_name:
        answered: Completed | None = None
        async with aclosing(agent.run_segment(start, recorder)) as items:  # type: ignore[type-var]  # async generators all
            async for item in items:
                if not isinstance(item, Completed):
                    yield item
                    continue
                answered = item
        if answered is None:
            return
        known = await recorder.requirements()
        start = replace(start, requirements=known)
        if _was_asked(start) or not _is_ready(start, actions):
            yield answered
            return
        first = SavedState(
            adapter=card.adapter_name, version="1", blob=answered.memory or b"", journal=b""
        )
        start = replace(start, run=replace(start.run, saved=first))
    async with aclosing(card.run_segment(start, recorder)) as items:  # type: ignore[type-var]  # async generators all
        async for item in items:
            yield item


def _was_asked(start: SegmentStart) -> bool:
    """Return whether the agent itself has asked the person to confirm, and been answered."""
    return any(isinstance(it.card, RequirementsCard) for it in start.answers.values())


def _is_ready(start: SegmentStart, actions: Actions) -> bool:
    """Return whether what stood on the card still has all that it needs: it may have been cleared
    beside the chat meanwhile."""
    state = state_in(start.requirements)
    wanted = state.turn.actions if state.turn is not None else ()
    return all(status_of(actions.by_name[name].spec, state).ready for name in wanted)
