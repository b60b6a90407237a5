"""Values from a person's answers to an agent's own questions, so that they are not asked again.

What the person wrote is read like a message, but only for values. An option is in the agent's
words: it counts where the question is the gate's, or all options are choices of one slot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sayso.core.cards import OptionsCard
from sayso.core.interactions import InteractionState
from sayso.core.requirements import Given, RequirementState, Source, with_values
from sayso.core.segments import SegmentStart
from sayso.gate.actions import Actions
from sayso.gate.extraction import Extractor
from sayso.gate.person_message import PersonMessage
from sayso.gate.turn import take_answer
from sayso.gate.yes_scope import YesScope
from sayso.reading.normalize import plain


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionAnswer:
    """A settled question: the option that was clicked, and what was written."""

    id: str
    card: OptionsCard
    pressed: str
    words: str
    at: datetime
    language: str


def answers_in(start: SegmentStart) -> list[QuestionAnswer]:
    """Return the answers that have come since the last segment of this run."""
    language = start.run.task.context.get("language")
    found = []
    for it in start.answers.values():
        if it.applied_fence != start.run.fence or not isinstance(it.card, OptionsCard):
            continue
        # A default at the deadline is not a person's answer.
        if it.state is not InteractionState.COMPLETED or it.response is None:
            continue
        data = it.response.response_data
        found.append(
            QuestionAnswer(
                id=it.id,
                card=it.card,
                pressed=_label(it.card, data.selected_option),
                words=data.additional_notes or "",
                at=it.settled_at or start.run.updated_at,
                language=language if isinstance(language, str) else "",
            )
        )
    return found


async def with_answer(
    state: RequirementState, answer: QuestionAnswer, actions: Actions, extractor: Extractor
) -> RequirementState:
    """Return the state after this answer."""
    slot = _asked_by(answer.card, actions)
    value = actions.normalise(slot, answer.pressed) if slot and answer.pressed else None
    if slot and value is not None:
        one = Given(
            value=value,
            source=Source.CLICKED,
            quote=answer.pressed,
            message_id=answer.id,
            at=answer.at,
        )
        known = state.values.get(slot)
        if known is None or known.value != value:
            state = with_values(state, {slot: one}, actions.specs)
    if not answer.words.strip():
        return state
    asked = state.asked
    message = PersonMessage(
        id=answer.id,
        text=answer.words,
        at=answer.at,
        language=answer.language,
        yes_scope=YesScope.NONE,
    )
    # A bare answer answers this question and no other.
    state = state.model_copy(update={"asked": (slot,) if slot else ()})
    state = await take_answer(message, state, actions, extractor)
    return state.model_copy(update={"asked": asked})


def _asked_by(card: OptionsCard, actions: Actions) -> str | None:
    """Return the slot that the card asks for: by its question, or its options."""
    options = {plain(option.label) for option in card.options}
    asked = plain(card.question)
    by_question: list[str] = []
    by_options: list[str] = []
    for name, slot in actions.slots.items():
        if slot.question and plain(slot.question) == asked:
            by_question.append(name)
        if options and options <= set(map(plain, slot.choices)):
            by_options.append(name)
    found: Sequence[str] = by_question or by_options
    return found[0] if len(found) == 1 else None


def _label(card: OptionsCard, chosen: str | None) -> str:
    return next((option.label for option in card.options if option.id == chosen), "")
