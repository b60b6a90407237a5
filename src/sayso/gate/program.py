"""An agent with actions behind a gate, as the engine runs it (core.segments.Program).

Each message is read first: that is one write to what is known, made once whatever becomes of the
segment. Then the turn either acts (the gate's own small agent) or is talk: for the application's
agent, of whatever framework, or for the gate's templates where there is none.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from datetime import datetime

from pydantic import JsonValue

from sayso.core.chunks import TaskStreamChunk
from sayso.core.digest import JsonObject
from sayso.core.errors import InvalidInput, VersionConflict
from sayso.core.ports import Clock
from sayso.core.requirements import (
    Given,
    RequirementState,
    Source,
    next_version,
    started_over,
    state_in,
    with_values,
)
from sayso.core.segments import Capabilities, Program, Recorder, SegmentEnd, SegmentStart
from sayso.core.tasks import UniversalMessage
from sayso.gate.actions import Actions
from sayso.gate.answers import Answer, answers_in, with_answer
from sayso.gate.conversation import carry_out
from sayso.gate.extraction import Chain
from sayso.gate.message import Message
from sayso.gate.spoken import offered_before, what_yes_is
from sayso.gate.turns import concerned, take_turn
from sayso.gate.wording import guidance, panel, reply, result_words
from sayso.tools.context import AgentContext

#: What a reader of one message may look back on.
TAIL_MESSAGES = 6


class GatedProgram:
    """`desk` runs the turns that act: the function agent that `acting` makes. `talker` is the
    application's agent, or None."""

    def __init__(
        self,
        actions: Actions,
        extractor: Chain,
        *,
        desk: Program,
        talker: Program | None,
        clock: Clock,
    ) -> None:
        self._actions, self._extractor = actions, extractor
        self._desk, self._talker, self._clock = desk, talker, clock

    @property
    def name(self) -> str:
        return (self._talker or self._desk).name

    @property
    def adapter_name(self) -> str:
        return (self._talker or self._desk).adapter_name

    @property
    def capabilities(self) -> Capabilities:
        return (self._talker or self._desk).capabilities

    @property
    def tool_names(self) -> Sequence[str]:
        return (self._talker or self._desk).tool_names

    async def run_segment(
        self, start: SegmentStart, recorder: Recorder
    ) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
        state = state_in(start.requirements)
        if _is_said_by_a_person(start):
            state = await self._read(start, recorder)
        acts = state.turn is not None and state.turn.message_id == turn_id(start)
        acts = acts and state.turn is not None and bool(state.turn.actions)
        if not acts and (answers := answers_in(start)):
            state = await self._told(answers, start, recorder)
        start = replace(start, requirements=panel(self._actions, state))
        recorder.describe(self._metadata(state))
        program = self._desk if acts or self._talker is None else self._talker
        if program is self._talker:
            start = self._guided(start, state)
        async with aclosing(program.run_segment(start, recorder)) as items:  # type: ignore[type-var]  # async generators all
            async for item in items:
                yield item

    async def finish_late(self) -> None:
        await self._desk.finish_late()
        if self._talker is not None:
            await self._talker.finish_late()

    # ── what a person changes beside the chat (core.segments.HoldsRequirements) ──

    def edited(
        self, kept: JsonObject | None, field: str, value: JsonValue, *, at: datetime
    ) -> JsonObject:
        name = self._actions.slot_of(field)
        given: Given | None = None
        if value is not None:
            normal = self._actions.normalise(name, value)
            if normal is None:
                label = self._actions.slots[name].label
                raise InvalidInput(
                    f"{label} cannot be {value!r}.",
                    fix="Give a value of the form that the field's schema describes.",
                )
            given = Given(value=normal, source=Source.FORM, at=at)
        state = with_values(state_in(kept), {name: given}, self._actions.specs)
        return panel(self._actions, next_version(state))

    def started_over(self, kept: JsonObject | None) -> JsonObject:
        return panel(self._actions, next_version(started_over(state_in(kept))))

    async def _read(self, start: SegmentStart, recorder: Recorder) -> RequirementState:
        """What is known after this message. It is read once: a segment made again finds it read."""

        async def read(before: RequirementState) -> RequirementState:
            message = self._message(start, before)
            return await take_turn(message, before, self._actions, self._extractor)

        return await _written(read, start, recorder, self._actions)

    async def _told(
        self, answers: Sequence[Answer], start: SegmentStart, recorder: Recorder
    ) -> RequirementState:
        """What is known after a person has answered the agent's own questions."""

        async def told(before: RequirementState) -> RequirementState:
            for answer in answers:
                before = await with_answer(before, answer, self._actions, self._extractor)
            return before

        return await _written(told, start, recorder, self._actions)

    def _message(self, start: SegmentStart, state: RequirementState) -> Message:
        task = start.run.task
        given = task.context.get("language")
        language = given if isinstance(given, str) else ""
        said = [*start.history, *task.messages[:-1]]
        choices = {name: slot.choices for name, slot in self._actions.slots.items()}
        yes = what_yes_is(
            state,
            start.spoken,
            self._actions.specs,
            words=task.words,
            language=language,
            agent_speaks=self._talker is not None,
        )
        return Message(
            id=turn_id(start),
            text=task.words,
            at=self._clock.now(),
            context=task.context,
            tail=[(message.role, message.content) for message in said[-TAIL_MESSAGES:]],
            language=language,
            offered=offered_before(task.words, state, start.spoken, choices, language),
            offered_in=start.spoken[-1].message_id if start.spoken else None,
            yes=yes,
        )

    def _metadata(self, state: RequirementState) -> JsonObject:
        """Seed 3's metadata, on every message of the turn."""
        known = panel(self._actions, state)
        acted = state.turn.actions if state.turn is not None else ()
        branches = [self._actions.by_name[name].spec.branch for name in acted] or ["TEXT"]
        return {
            "model": self._extractor.name,
            "phase": "complete",
            "branches_executed": list(branches),
            "requirements_status": known["requirements_status"],
            "requirements_detail": known["requirements_detail"],
        }

    def _guided(self, start: SegmentStart, state: RequirementState) -> SegmentStart:
        """The agent is told what is known and what to ask; it can neither fill a value nor say
        go."""
        told = guidance(concerned(state, self._actions), state)
        if not told or start.run.saved is not None:
            return start
        message = UniversalMessage(role="system", content=told)
        return replace(start, history=[*start.history, message])


def acting(actions: Actions) -> Callable[[AgentContext], object]:
    """The function agent of the gate: it acts where the turn says so, and else says what is
    missing."""

    async def gate(ctx: AgentContext) -> None:
        state = state_in(ctx.requirements)
        turn = state.turn
        if turn is None or turn.message_id != ctx.turn_id or not turn.actions:
            said = reply(concerned(state, actions), state)
            return await ctx.say(said or _NOTHING)
        outcomes = await carry_out(ctx, actions, turn.actions)
        for number, outcome in enumerate(outcomes):
            await ctx.say(("\n\n" if number else "") + result_words(outcome))

    return gate


def _is_said_by_a_person(start: SegmentStart) -> bool:
    """The words of a message that begins a run; those of a task that one agent hands to another are
    the agent's."""
    run = start.run
    return run.task.task_type == "chat" and run.saved is None and run.parent_run_id is None


async def _written(
    change: Callable[[RequirementState], Awaitable[RequirementState]],
    start: SegmentStart,
    recorder: Recorder,
    actions: Actions,
) -> RequirementState:
    kept = start.requirements
    while True:
        before = state_in(kept)
        after = await change(before)
        if after == before:
            return before
        written = next_version(after)
        try:
            await recorder.change_requirements(panel(actions, written))
            return written
        except VersionConflict:
            kept = await recorder.requirements()


def turn_id(start: SegmentStart) -> str:
    return start.message_id or start.run.id


_NOTHING = "I can help with that. Tell me more about what you need."
