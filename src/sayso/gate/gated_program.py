"""An agent with gated actions, as the engine runs it (core.segments.Program).

Each message is read first, and what it changes is written once, whatever becomes of the segment.
Then the turn either acts, which is the gate agent's part, or talks: the application's agent, of any
framework, or the gate's own messages where there is none.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from datetime import datetime

from pydantic import JsonValue

from sayso.core.digest import JsonObject
from sayso.core.errors import InvalidInput, NotSupportedError, VersionConflict
from sayso.core.events import Phase, PhaseEntered
from sayso.core.messages import message
from sayso.core.ports import Clock
from sayso.core.requirements import (
    Given,
    RequirementState,
    Source,
    SpokenYes,
    next_version,
    started_over,
    state_in,
    with_values,
)
from sayso.core.segments import (
    Capabilities,
    Completed,
    Program,
    Recorder,
    SegmentEnd,
    SegmentStart,
    Spoken,
)
from sayso.core.tasks import TaskStreamChunk, UniversalMessage
from sayso.core.ui_calls import ServesUis, UiCall
from sayso.gate.actions import Actions
from sayso.gate.extraction import ExtractorChain
from sayso.gate.messages import guidance, panel
from sayso.gate.person_message import PersonMessage
from sayso.gate.question_answers import QuestionAnswer, answers_in, with_answer
from sayso.gate.questions import just_suggested
from sayso.gate.turn import relevant_actions, take_turn
from sayso.gate.turn_metadata import turn_metadata
from sayso.gate.two_agents import act_then_answer, answer_then_card
from sayso.gate.yes_scope import YesScope, offered_before, yes_scope_of

#: How many earlier messages an extractor sees.
TAIL_MESSAGES = 6


class GatedProgram:
    """One agent of an application with actions.

    `gate_agent` (gate/gate_agent.py) runs the turns that act; `app_agent`, the
    application's own, has the others. Where it is None the gate says what is missing.
    `card_agent` is the gate's own once more, for turns that it shares with `app_agent`.
    """

    def __init__(
        self,
        actions: Actions,
        extractor: ExtractorChain,
        *,
        gate_agent: Program,
        card_agent: Program,
        app_agent: Program | None,
        clock: Clock,
    ) -> None:
        self._actions, self._extractor = actions, extractor
        self._gate_agent, self._card_agent = gate_agent, card_agent
        self._app_agent, self._clock = app_agent, clock

    @property
    def name(self) -> str:
        return (self._app_agent or self._gate_agent).name

    @property
    def adapter_name(self) -> str:
        return (self._app_agent or self._gate_agent).adapter_name

    @property
    def capabilities(self) -> Capabilities:
        return (self._app_agent or self._gate_agent).capabilities

    @property
    def tool_names(self) -> Sequence[str]:
        return (self._app_agent or self._gate_agent).tool_names

    async def run_segment(
        self, start: SegmentStart, recorder: Recorder
    ) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
        state = state_in(start.requirements)
        if is_said := _is_said_by_a_person(start):
            await recorder.show(_phase(start, "intent_classification"))
            state = await self._after_message(start, recorder)
        acts = state.turn is not None and state.turn.message_id == turn_id(start)
        acts = acts and state.turn is not None and bool(state.turn.actions)
        if not acts and (answers := answers_in(start)):
            state = await self._after_answers(answers, start, recorder)
        start = replace(start, requirements=panel(self._actions, state))
        recorder.describe(turn_metadata(self._actions, state))
        if is_said:
            then: Phase = "branch_execution" if acts else "clarification_collection"
            checked = [_phase(start, "requirement_checking")]
            asks = acts or bool(state.asked)
            await recorder.show(*checked, *([_phase(start, then)] if asks else []))
        async with aclosing(self._turn(start, recorder, state, acts=acts)) as items:  # type: ignore[type-var]  # async generators all
            async for item in items:
                if acts and isinstance(item, Completed):
                    await recorder.show(_phase(start, "result_aggregation"))
                yield item

    def _turn(
        self, start: SegmentStart, recorder: Recorder, state: RequirementState, *, acts: bool
    ) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
        agent, gate, turn = self._app_agent, self._card_agent, state.turn
        if agent is None:
            return self._gate_agent.run_segment(start, recorder)
        if not acts or turn is None:
            return agent.run_segment(self._with_guidance(start, state), recorder)
        if turn.agent_first:
            start = self._with_guidance(start, state)
            return answer_then_card(agent, gate, self._actions, start, recorder)
        if turn.agent_last:
            return act_then_answer(agent, gate, turn.question, start, recorder)
        return self._gate_agent.run_segment(start, recorder)

    # ── what tools' own UIs ask for (core.ui_calls.ServesUis) ──

    async def call_for_ui(self, call: UiCall, preferences: JsonObject) -> JsonObject | None:
        return await self._serving_uis.call_for_ui(call, preferences)

    async def read_for_ui(self, server: str, uri: str, person: str | None) -> JsonObject:
        return await self._serving_uis.read_for_ui(server, uri, person)

    @property
    def _serving_uis(self) -> ServesUis:
        program = self._app_agent or self._gate_agent
        if not isinstance(program, ServesUis):
            raise NotSupportedError("Nothing here has tools with UIs of their own.", fix="")
        return program

    async def finish_late(self) -> None:
        await self._gate_agent.finish_late()
        await self._card_agent.finish_late()
        if self._app_agent is not None:
            await self._app_agent.finish_late()

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
                    message("gate.cannot_be", label=label, value=repr(value)),
                    fix="Give a value of the form that the field's schema describes.",
                )
            given = Given(value=normal, source=Source.FORM, at=at)
        state = with_values(state_in(kept), {name: given}, self._actions.specs)
        return panel(self._actions, next_version(state))

    def started_over(self, kept: JsonObject | None) -> JsonObject:
        return panel(self._actions, next_version(started_over(state_in(kept))))

    async def _after_message(self, start: SegmentStart, recorder: Recorder) -> RequirementState:
        """Return what is known after this message. A segment that is repeated does not read it
        again."""

        async def read(before: RequirementState) -> RequirementState:
            message = self._message(start, before)
            return await take_turn(message, before, self._actions, self._extractor)

        return await _saved(read, start, recorder, self._actions)

    async def _after_answers(
        self, answers: Sequence[QuestionAnswer], start: SegmentStart, recorder: Recorder
    ) -> RequirementState:
        """Return what is known after a person has answered the agent's own questions."""

        async def told(before: RequirementState) -> RequirementState:
            for answer in answers:
                before = await with_answer(before, answer, self._actions, self._extractor)
            return before

        return await _saved(told, start, recorder, self._actions)

    def _message(self, start: SegmentStart, state: RequirementState) -> PersonMessage:
        task = start.run.task
        given = task.context.get("language")
        language = given if isinstance(given, str) else ""
        said = [*start.history, *task.messages[:-1]]
        yes_scope = yes_scope_of(
            state,
            start.spoken,
            self._actions.specs,
            words=task.words,
            language=language,
            agent_speaks=self._app_agent is not None,
        )
        return PersonMessage(
            id=turn_id(start),
            text=task.words,
            at=self._clock.now(),
            context=task.context,
            tail=[(message.role, message.content) for message in said[-TAIL_MESSAGES:]],
            language=language,
            agent_answers=self._app_agent is not None,
            offered=self._offered(task.words, state, start.spoken, language),
            offered_in=start.spoken[-1].message_id if start.spoken else None,
            yes_scope=yes_scope,
            card_id=_answered_card(state, start, yes_scope),
        )

    def _offered(
        self, words: str, state: RequirementState, spoken: Sequence[Spoken], language: str
    ) -> dict[str, list[JsonValue]]:
        """Return what a yes in these words may take: what the agent offered, and what the gate
        itself asked about ("4 days?")."""
        choices = {name: slot.choices for name, slot in self._actions.slots.items()}
        found = offered_before(words, state, spoken, choices, language)
        if self._app_agent is None and spoken and spoken[-1].card is None:
            for name, one in just_suggested(state).items():
                found.setdefault(name, [one.value])
        return found

    def _with_guidance(self, start: SegmentStart, state: RequirementState) -> SegmentStart:
        """Tell the agent what is known and what to ask. It can neither fill a value nor start an
        action."""
        told = guidance(relevant_actions(state, self._actions), state)
        if not told or start.run.saved is not None:
            return start
        message = UniversalMessage(role="system", content=told)
        return replace(start, history=[*start.history, message])


def _phase(start: SegmentStart, phase: Phase) -> PhaseEntered:
    return PhaseEntered(run_id=start.run.id, phase=phase)


def _answered_card(state: RequirementState, start: SegmentStart, yes_scope: YesScope) -> str | None:
    """Return the id of the card that a yes in this message would answer."""
    is_card = state.pending is not None and state.pending.kind == "card"
    if not is_card or yes_scope is not YesScope.GRANTS or not start.spoken:
        return None
    return start.spoken[-1].message_id


def _spoken_yes(state: RequirementState, start: SegmentStart) -> SpokenYes | None:
    """Return the yes that this message gave to the card before it, if it gave one."""
    said = turn_id(start)
    card = next((g.interaction_id for g in state.grants if g.given_by == said), None)
    if card is None:
        return None
    return SpokenYes(interaction_id=card, message_id=said, words=start.run.task.words)


def _is_said_by_a_person(start: SegmentStart) -> bool:
    """Return whether the run begins with a person's message. The words of a task that one agent
    gives to another are the agent's."""
    run = start.run
    is_retry = run.task.task_type == "tool_retry"  # the engine's own words, "Retry …"
    return not is_retry and run.saved is None and run.parent_run_id is None


async def _saved(
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
            await recorder.change_requirements(panel(actions, written), _spoken_yes(written, start))
            return written
        except VersionConflict:
            kept = await recorder.requirements()


def turn_id(start: SegmentStart) -> str:
    return start.message_id or start.run.id
