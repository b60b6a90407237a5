"""What a person has answered to an agent's own questions: it is known, and not asked for again.

Words that they wrote are read as a message is, for values alone. An option is the agent's words: it
counts where the question is the gate's own, or all its options are choices of the same slot.
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
from sayso.gate.message import Message
from sayso.gate.spoken import Yes
from sayso.gate.text import plain
from sayso.gate.turns import take_answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A settled question: the option that was pressed, and the words that were written."""

    id: str
    card: OptionsCard
    pressed: str
    words: str
    at: datetime
    language: str


def answers_in(start: SegmentStart) -> list[Answer]:
    """The answers that have come since the last segment of this run."""
    language = start.run.task.context.get("language")
    found = []
    for it in start.answers.values():
        if it.applied_fence != start.run.fence or not isinstance(it.card, OptionsCard):
            continue
        # Only a person's own answer: a default at the end of the time is nobody's word.
        if it.state is not InteractionState.COMPLETED or it.response is None:
            continue
        data = it.response.response_data
        found.append(
            Answer(
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
    state: RequirementState, answer: Answer, actions: Actions, extractor: Extractor
) -> RequirementState:
    """The state after this answer."""
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
    message = Message(
        id=answer.id, text=answer.words, at=answer.at, language=answer.language, yes=Yes.NOTHING
    )
    # A bare answer is one to this question and to no other.
    state = state.model_copy(update={"asked": (slot,) if slot else ()})
    state = await take_answer(message, state, actions, extractor)
    return state.model_copy(update={"asked": asked})


def _asked_by(card: OptionsCard, actions: Actions) -> str | None:
    """The slot that the card asks for: by its own question, or by options that are its choices."""
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
