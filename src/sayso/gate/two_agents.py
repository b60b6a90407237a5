"""Turns of two agents in one run, the application's and the gate's own: an answer and then the open
card again, or what was agreed to and then the answer.

The run's saved state is that of whichever of them it waits in. The gate's agent keeps the bytes
that its state begins with (adapters.function.SecondAgentAdapter), which are handed on to its end.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from sayso.core.cards import RequirementsCard
from sayso.core.requirements import state_in, status_of
from sayso.core.segments import Completed, Program, Recorder, SegmentEnd, SegmentStart
from sayso.core.sessions import SavedState
from sayso.core.tasks import TaskStreamChunk, UniversalMessage
from sayso.gate.actions import Actions
from sayso.gate.messages import guidance_after

_Items = AsyncGenerator["TaskStreamChunk | SegmentEnd", None]


async def answer_then_card(
    agent: Program, gate: Program, actions: Actions, start: SegmentStart, recorder: Recorder
) -> _Items:
    """Stream a segment of a turn in which the agent answers, and the card then stands last again.
    What the agent keeps for the chat is handed on through the gate's part."""
    if not _is_in(gate, start):
        part = _Part(agent, start, recorder)
        async with aclosing(part.items()) as items:
            async for item in items:
                yield item
        if part.end is None:
            return
        start = replace(start, requirements=await recorder.requirements())
        if _was_asked(start) or not _is_ready(start, actions):
            yield part.end
            return
        if _says_more(start):
            await recorder.show()  # a message of its own, as is what the gate says
        start = _begun(gate, start, part.end.memory or b"")
    async with _segment(gate, start, recorder) as items:
        async for item in items:
            yield item


async def act_then_answer(
    agent: Program, gate: Program, question: str, start: SegmentStart, recorder: Recorder
) -> _Items:
    """Stream a segment of a turn in which what the person agreed to runs, and the agent then
    answers what they asked beside. Where the chat before began is handed on to it."""
    saved = start.run.saved
    if saved is None or _is_in(gate, start):
        if saved is None:
            start = _begun(gate, start, str(start.history_at).encode())
        part = _Part(gate, start, recorder)
        async with aclosing(part.items()) as items:
            async for item in items:
                yield item
        if part.end is None:
            return
        await recorder.show()  # a message of its own, and what follows has not the gate's words
        recorder.describe({"said": None})
        at = int(part.end.memory or b"0")
        told = UniversalMessage(role="system", content=guidance_after(part.end.output, question))
        start = replace(
            start,
            run=replace(start.run, saved=None),
            requirements=await recorder.requirements(),
            history=[*await recorder.history(at), told],
            history_at=at,
        )
    async with _segment(agent, start, recorder) as items:
        async for item in items:
            yield item


class _Part:
    """One agent's part of a turn, which another goes on after: its end is kept back."""

    def __init__(self, program: Program, start: SegmentStart, recorder: Recorder) -> None:
        self._program, self._start, self._recorder = program, start, recorder
        #: How it ended; None where the segment ends here otherwise.
        self.end: Completed | None = None

    async def items(self) -> _Items:
        async with _segment(self._program, self._start, self._recorder) as items:
            async for item in items:
                if isinstance(item, Completed):
                    self.end = item
                else:
                    yield item


def _segment(program: Program, start: SegmentStart, recorder: Recorder) -> aclosing[_Items]:
    # Programs promise an iterator, which has no end to be told of; each gives a generator.
    return aclosing(program.run_segment(start, recorder))  # type: ignore[arg-type]


def _is_in(gate: Program, start: SegmentStart) -> bool:
    """Return whether the run waited in the gate's part."""
    return start.run.saved is not None and start.run.saved.adapter == gate.adapter_name


def _begun(gate: Program, start: SegmentStart, handed_on: bytes) -> SegmentStart:
    first = SavedState(adapter=gate.adapter_name, version="1", blob=handed_on, journal=b"")
    return replace(start, run=replace(start.run, saved=first))


def _was_asked(start: SegmentStart) -> bool:
    """Return whether the agent itself has asked the person to confirm, and been answered."""
    return any(isinstance(it.card, RequirementsCard) for it in start.answers.values())


def _says_more(start: SegmentStart) -> bool:
    """Return whether the gate has words of its own before its card."""
    turn = state_in(start.requirements).turn
    return turn is not None and bool(turn.says)


def _is_ready(start: SegmentStart, actions: Actions) -> bool:
    """Return whether what stood on the card still has all that it needs: it may have been cleared
    beside the chat meanwhile."""
    state = state_in(start.requirements)
    wanted = state.turn.actions if state.turn is not None else ()
    return all(status_of(actions.by_name[name].spec, state).ready for name in wanted)
