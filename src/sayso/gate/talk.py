"""One turn of the talk, as the gate's reply is made of it: what was known before and after a
message, and what it did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from sayso.core.messages import Message, message, spoken
from sayso.core.requirements import ActionSpec, RequirementState, Slot
from sayso.gate.actions import Actions
from sayso.gate.heard import Heard
from sayso.gate.messages import said_to
from sayso.gate.other_words import in_other_words
from sayso.reading.asides import Aside
from sayso.reading.begun import day_of_moment


@dataclass(frozen=True, slots=True, kw_only=True)
class GateReply:
    """The paragraphs of a reply, the slots that a form asks for instead of questions, and how often
    each thing has been asked or offered by now."""

    paragraphs: Sequence[str]
    form: tuple[str, ...] = ()
    asked_times: dict[str, int]
    #: The slots that it asks about, where they are others than the next ones.
    asked: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Talk:
    """`concerned` are the actions that the message is about."""

    before: RequirementState
    after: RequirementState
    concerned: Sequence[ActionSpec]
    actions: Actions
    heard: Heard

    @property
    def slots(self) -> dict[str, Slot]:
        return self.actions.slots

    @property
    def language(self) -> str:
        return self.after.turn.language if self.after.turn is not None else ""

    @property
    def starts_over(self) -> bool:
        return self.heard.aside is Aside.START_OVER

    @property
    def has_order(self) -> bool:
        """Whether the message asked for an action that was not asked for before."""
        return bool(set(self.after.requested) - set(self.before.requested))

    def question(self, slot: Slot) -> str:
        """Return what asks for a slot, with the day where only the time of a moment is missing."""
        question = slot.question_in(self.language)
        if slot.name not in self.after.begun:
            return question
        day = self.day_begun(slot.name)
        told = message("gate.time_missing", question=question, day=day)
        return str(spoken(told, self.language))

    def day_begun(self, name: str) -> str:
        """Return the day of a moment that is begun, as the person's language writes it."""
        day = self.after.begun[name].day.isoformat()
        return said_to(self.language, day, day_of_moment(self.slots[name]))

    def reply(
        self,
        said: Sequence[str],
        *,
        form: Sequence[str] = (),
        times: Mapping[str, int] = MappingProxyType({}),
    ) -> GateReply:
        known = self.after.values
        asked = {} if self.starts_over else self.before.asked_times
        kept = {name: n for name, n in asked.items() if name not in known}
        return GateReply(paragraphs=said, form=tuple(form), asked_times={**kept, **times})

    def worded(self, *ways: Message) -> Message:
        """Return the way to say it that was not said, or was said the longest ago."""
        return in_other_words(self.before.said_before, *ways)
