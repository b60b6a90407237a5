"""What the gate answers when it is itself asked something: why it asks, what it needs, what it
has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from sayso.core.messages import Message, message
from sayso.core.requirements import (
    ActionSpec,
    RequirementState,
    is_known,
    next_questions,
    status_of,
)
from sayso.gate.actions import Actions
from sayso.gate.messages import said_to, thing_of
from sayso.gate.offer import phrases_for
from sayso.gate.other_words import in_other_words
from sayso.reading.asides import Aside


@dataclass(frozen=True, slots=True, kw_only=True)
class AsideAnswers:
    """The state before and after the message, and the actions that it is about."""

    before: RequirementState
    after: RequirementState
    concerned: Sequence[ActionSpec]
    actions: Actions
    language: str

    def to(self, aside: Aside) -> Iterator[str]:
        match aside:
            case Aside.WHY:
                yield from self._reasons()
            case Aside.NEEDS:
                yield self._needs()
            case Aside.KNOWN:
                yield self._has()
                yield self._needs()
            case Aside.START_OVER:
                yield self._started_over()
                yield what_it_can_do(self.before, self.actions)

    def _reasons(self) -> Iterator[str]:
        slots = self.actions.slots
        asked = [slots[name] for name in self.before.asked if name in slots]
        needing = [
            spec
            for spec in self.concerned
            if not asked or any(slot.name in spec.slots for slot in asked)
        ]
        if not needing:
            yield what_it_can_do(self.before, self.actions)
            return
        what: list[JsonValue] = [thing_of(spec) for spec in needing]
        reasons = [
            message("gate.because", label=slot.label, why=slot.why) for slot in asked if slot.why
        ]
        told = self._worded(
            *reasons[:1],
            message("gate.needed_for", what=what),
            message("gate.not_without", what=what),
        )
        yield from reasons if told in reasons else [told]

    def _needs(self) -> Message:
        missing: list[JsonValue] = list(
            dict.fromkeys(
                need.slot.label
                for spec in self.concerned
                for need in spec.needs
                if not (need.optional or need.slot.has_default or is_known(need.slot, self.after))
            )
        )
        if missing:
            questions = next_questions(self.concerned, self.after)
            asked: list[JsonValue] = [slot.question_in(self.language) for slot in questions]
            return self._worded(
                message("gate.needs", labels=missing), message("gate.needs_asked", questions=asked)
            )
        ready = [spec for spec in self.concerned if status_of(spec, self.after).ready]
        begins = [message("gate.ready_when", phrases=phrases_for(ready))] if ready else []
        return self._worded(message("gate.needs_nothing"), *begins)

    def _has(self) -> Message:
        rows: list[JsonValue] = [
            message("gate.value", label=slot.label, value=said_to(self.language, one.value, slot))
            for name, one in self.after.values.items()
            if (slot := self.actions.slots.get(name)) is not None
        ]
        if not rows:
            return self._worded(message("gate.has_nothing"), message("gate.at_the_start"))
        return self._worded(
            message("gate.has", values=rows), message("gate.has_again", values=rows)
        )

    def _started_over(self) -> Message:
        if self.before.values or self.before.requested:
            return message("gate.started_over")
        return self._worded(message("gate.at_the_start"), message("gate.has_nothing"))

    def _worded(self, *ways: Message) -> Message:
        return in_other_words(self.before.said_before, *ways)


def what_it_can_do(before: RequirementState, actions: Actions) -> Message:
    """Return what invites the person to say what they want; the second time, with all there is."""
    can: list[JsonValue] = [thing_of(spec) for spec in actions.specs]
    return in_other_words(
        before.said_before, message("gate.tell_me_more"), message("gate.can_do", what=can)
    )
