"""What the gate says in a turn: what it took, what it asks, why it could not take an answer.

Pure: from the state before and after a message to the paragraphs of the reply. It says nothing
twice in the same words, and what it has asked for in vain it offers as a form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from pydantic import JsonValue

from sayso.core.messages import Message, coded, message, spoken
from sayso.core.requirements import (
    MOST_QUESTIONS,
    ActionSpec,
    Given,
    RequirementState,
    Slot,
    is_known,
    next_questions,
    status_of,
)
from sayso.gate.actions import Actions
from sayso.gate.aside_answers import AsideAnswers, what_it_can_do
from sayso.gate.messages import said_to, thing_of
from sayso.gate.offer import offer_key, offer_of, phrases_for
from sayso.gate.other_words import in_other_words, with_said
from sayso.reading.asides import Aside
from sayso.reading.begun import day_of_moment
from sayso.reading.hedged_yes import Hedge
from sayso.reading.slot_types import SlotType, shape_of

#: Whatever was asked for this often is offered as a form.
MOST_ASKED = 2
#: A longer quote says more than its value.
_LONGEST_QUOTE = 40
#: What is said where no such value could be read in an answer.
_UNREAD = {
    SlotType.DATE: "gate.no_date",
    SlotType.MOMENT: "gate.no_date",
    SlotType.TIME: "gate.no_time",
    SlotType.DURATION: "gate.no_duration",
    SlotType.MONEY: "gate.no_amount",
    SlotType.PEOPLE: "gate.no_number",
    SlotType.COUNT: "gate.no_number",
    SlotType.NUMBER: "gate.no_number",
    SlotType.BOOLEAN: "gate.no_yes_or_no",
}
_LEANS = "gate.asks_outright"
#: How it is asked outright after a yes that was hedged.
_ASKS_OUTRIGHT: Mapping[Hedge | None, str] = {
    Hedge.CONDITION: "gate.yes_if",
    Hedge.LATER: "gate.yes_later",
    Hedge.QUESTION: "gate.yes_but_asks",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What a message did, beside the values that it gave."""

    message_id: str
    read_by: str = "rules"
    #: The actions to run or to open a card for.
    chosen: tuple[str, ...] = ()
    #: What it asked of the gate itself.
    aside: Aside | None = None
    #: It said no, or not now.
    refused: bool = False
    postponed: bool = False
    #: Whether an agent of the application answers questions; and whether it does so before the card
    #: comes again.
    agent_answers: bool = False
    agent_first: bool = False
    #: It leaned to a yes, and is asked outright; and what the yes was hedged by.
    leans: bool = False
    hedge: Hedge | None = None
    #: It asked something that no agent answers.
    asks: bool = False
    #: The question for information that came with a yes.
    question: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateReply:
    """The paragraphs of a reply, the slots that a form asks for instead of questions, and how often
    each thing has been asked or offered by now."""

    paragraphs: Sequence[str]
    form: tuple[str, ...] = ()
    asked_times: dict[str, int]
    #: The slots that it asks about, where they are others than the next ones.
    asked: tuple[str, ...] | None = None


def with_reply(
    before: RequirementState,
    after: RequirementState,
    concerned: Sequence[ActionSpec],
    actions: Actions,
    heard: Heard,
) -> RequirementState:
    """Return the state with what is said after a message, in the person's language. `concerned` are
    the actions that it is about."""
    turn = after.turn
    assert turn is not None
    reply = _reply(_Talk(before, after, concerned, actions, heard))
    is_news = after.values != before.values and heard.aside is None
    said_before = () if is_news else before.said_before
    form = [_form_words(reply.form, said_before, actions)] if reply.form else []
    said = [spoken(text, turn.language) for text in reply.paragraphs]
    turn = turn.model_copy(
        update={
            "says": tuple({"text": str(text), **coded(text)} for text in said),
            "form": reply.form,
            "form_says": form[0].code if form else "",
        }
    )
    asked = after.asked if reply.asked is None else reply.asked
    return after.model_copy(
        update={
            "turn": turn,
            "asked": asked,
            "asked_times": reply.asked_times,
            "said_before": with_said(said_before, [*reply.paragraphs, *form]),
        }
    )


def _form_words(form: Sequence[str], said_before: Sequence[str], actions: Actions) -> Message:
    """Return the words that this form is put with."""
    labels: list[JsonValue] = [actions.slots[name].label for name in form]
    return in_other_words(
        said_before,
        message("gate.form_in_words", labels=labels),
        message("gate.form_again", labels=labels),
        message("gate.form_waits", labels=labels),
    )


def just_suggested(state: RequirementState) -> dict[str, Given]:
    """Return the values that the last reply put to the person, for a yes to take."""
    turn = state.turn
    fresh = {
        name: one
        for name, one in state.suggested.items()
        if turn is not None and one.message_id == turn.message_id and name not in state.values
    }
    return dict(list(fresh.items())[:MOST_QUESTIONS])


def _reply(talk: _Talk) -> GateReply:
    heard = talk.heard
    said = list(talk.taken())
    if heard.aside is not None:
        return talk.reply([*said, *talk.answered(heard.aside)])
    if heard.refused or heard.postponed:
        return talk.reply([*said, talk.stood_down()])
    if heard.chosen:
        return talk.before_the_card(said)
    return talk.asking(said)


@dataclass(frozen=True, slots=True)
class _Talk:
    before: RequirementState
    after: RequirementState
    concerned: Sequence[ActionSpec]
    actions: Actions
    heard: Heard

    @property
    def slots(self) -> dict[str, Slot]:
        return self.actions.slots

    def _said(self, value: JsonValue, slot: Slot) -> str:
        return said_to(self.language, value, slot)

    @property
    def language(self) -> str:
        return self.after.turn.language if self.after.turn is not None else ""

    def reply(
        self,
        said: Sequence[str],
        *,
        form: Sequence[str] = (),
        times: Mapping[str, int] = MappingProxyType({}),
    ) -> GateReply:
        known = self.after.values
        asked = {} if self.heard.aside is Aside.START_OVER else self.before.asked_times
        kept = {name: n for name, n in asked.items() if name not in known}
        return GateReply(paragraphs=said, form=tuple(form), asked_times={**kept, **times})

    # ── what was taken ──

    def taken(self) -> Iterator[str]:
        """Yield, in one clause and in the person's words, which values this message gave."""
        if self.heard.aside is Aside.START_OVER:
            return
        given = [
            self._in_their_words(name, one)
            for name, one in self.after.values.items()
            if one != self.before.values.get(name) and one.message_id == self.heard.message_id
        ]
        given += [
            self._day_in_their_words(name)
            for name, one in self.after.begun.items()
            if one.message_id == self.heard.message_id
        ]
        if given:
            yield message("gate.noted", values=given)
        gone: list[JsonValue] = [
            self.slots[name].label
            for name in self.before.values
            if name not in self.after.values and name in self.slots
        ]
        if gone:
            yield message("gate.forgotten", labels=gone)

    def _why_not_taken(self) -> Iterator[str]:
        """Yield why the answer to what was just asked could not be taken. An order was no try at
        one."""
        if self._is_an_order():
            return
        for name in self.before.asked:
            slot = self.slots.get(name)
            if slot is None or slot.has_default or is_known(slot, self.after):
                continue
            code = "gate.no_time" if name in self.after.begun else _UNREAD.get(shape_of(slot).type)
            if slot.choices:
                yield message("gate.no_choice", options=list(slot.choices))
            elif code is not None:
                yield message(code)

    def _is_an_order(self) -> bool:
        return bool(set(self.after.requested) - set(self.before.requested))

    def _in_their_words(self, name: str, given: Given) -> JsonValue:
        """Return a value as the person said it; beside it what it means, where their words leave
        that open."""
        slot = self.slots[name]
        meant = self._said(given.value, slot)
        put = self.before.suggested.get(name)
        # A yes to "4 days?" says nothing of its own.
        words = "" if put is not None and put.value == given.value else given.offered or given.quote
        shape = shape_of(slot)
        tells_little = words.isdecimal() or shape.type is SlotType.BOOLEAN
        if not words or len(words) > _LONGEST_QUOTE or tells_little:
            return message("gate.value", label=slot.label, value=meant)
        if shape.has_format and shape.type in (SlotType.DATE, SlotType.MOMENT):
            return f"{words} ({meant})"
        return words

    def _day_in_their_words(self, name: str) -> JsonValue:
        begun = self.after.begun[name]
        return begun.quote if len(begun.quote) <= _LONGEST_QUOTE else self._day(name)

    def _day(self, name: str) -> str:
        """Return the day that is begun, as the person's language writes it."""
        slot = day_of_moment(self.slots[name])
        return self._said(self.after.begun[name].day.isoformat(), slot)

    def _question(self, slot: Slot) -> str:
        if slot.name not in self.after.begun:
            return slot.question_in(self.language)
        return str(spoken(message("gate.at_what_time", day=self._day(slot.name)), self.language))

    # ── what was asked of the gate, and what it was refused ──

    def answered(self, aside: Aside) -> Iterator[str]:
        answers = AsideAnswers(
            before=self.before,
            after=self.after,
            concerned=self.concerned,
            actions=self.actions,
            language=self.language,
        )
        return answers.to(aside)

    def stood_down(self) -> Message:
        pending = self.before.pending.hashes if self.before.pending is not None else {}
        names = {*pending, *self.before.requested}
        what: list[JsonValue] = [thing_of(s) for s in self.actions.specs if s.name in names]
        if self.heard.postponed or not what:
            return self._worded("gate.not_now", "gate.whenever")
        return message("gate.not_done", what=what)

    def before_the_card(self, said: list[str]) -> GateReply:
        """Say, where the open card comes back as it was, why nothing was done."""
        granted = any(one.given_by == self.heard.message_id for one in self.after.grants)
        if granted and self.heard.question and not self.heard.agent_answers:
            return self.reply([*said, message("gate.question_noted", question=self.heard.question)])
        if self.heard.leans and not granted and (said or not self._was_asked_outright):
            return self.reply([*said, message(_ASKS_OUTRIGHT.get(self.heard.hedge, _LEANS))])
        if said or granted or self.heard.agent_first:
            return self._at_the_card(said)
        if also := self._also_wanted():
            return self._at_the_card([message("gate.noted", values=also)])
        pending = self.before.pending
        shown = {*pending.hashes} if pending is not None and pending.kind == "card" else set()
        if shown != {*self.heard.chosen}:
            return self._at_the_card([])
        return self.reply([self._worded(*self._why_nothing_was_done())])

    def _at_the_card(self, said: Sequence[str]) -> GateReply:
        offered = offer_key(self.actions.by_name[one].spec for one in self.heard.chosen)
        return self.reply(said, times={offered: MOST_ASKED + 1})

    @property
    def _was_asked_outright(self) -> bool:
        return self.before.turn is not None and self.before.turn.asks_outright

    def _also_wanted(self) -> list[JsonValue]:
        """Return what was asked for beside the open card, whose own turn comes after it."""
        new = set(self.after.requested) - {*self.before.requested, *self.heard.chosen}
        return [thing_of(spec) for spec in self.actions.specs if spec.name in new]

    def _why_nothing_was_done(self) -> Sequence[str]:
        if self.heard.leans:
            first = [_ASKS_OUTRIGHT[self.heard.hedge]] if self.heard.hedge is not None else []
            return (*first, "gate.plain_yes_or_no", "gate.card_waits", _LEANS)
        first = ["gate.on_the_card" if self.heard.asks else "gate.unchanged"]
        return (*first, "gate.change_on_card", "gate.plain_yes_or_no", "gate.card_waits")

    def _worded(self, *codes: str) -> Message:
        return in_other_words(self.before.said_before, *map(message, codes))

    # ── what is asked ──

    def asking(self, said: list[str]) -> GateReply:
        """Go on to the next questions; where there are none, to the offer."""
        questions = next_questions(self.concerned, self.after)
        if questions:
            return self._questions(said, questions)
        ready = [spec for spec in self.concerned if status_of(spec, self.after).ready]
        if not ready:
            has_run = any(grant.status == "used" for grant in self.after.grants)
            more = what_it_can_do(self.before, self.actions)
            if has_run:
                more = in_other_words(self.before.said_before, message("gate.anything_else"), more)
            return self.reply([*said, more])
        offered = offer_key(ready)
        times = self.before.asked_times.get(offered, 0)
        if said or times == 0:
            return self.reply([*said, *offer_of(ready, self.after)], times={offered: 1})
        if times % 2 == 1:
            again: str = message("gate.ready_when", phrases=phrases_for(ready))
        else:
            again = message("gate.tell_me_more")
        return self.reply([again], times={offered: times + 1})

    def _questions(self, said: list[str], questions: Sequence[Slot]) -> GateReply:
        times = {slot.name: self._times_asked(slot) for slot in questions}
        if suggested := just_suggested(self.after):
            said += [
                message(
                    "gate.perhaps", label=slot.label, value=said_to(self.language, one.value, slot)
                )
                for name, one in suggested.items()
                if (slot := self.slots.get(name)) is not None
            ]
            return replace(self.reply(said), asked=tuple(suggested))
        if any(n >= MOST_ASKED for n in times.values()):
            return self.reply(said, form=self._form())
        said = said or list(self._why_not_taken())
        asked = {name: n + 1 for name, n in times.items()}
        words: list[JsonValue] = [self._question(slot) for slot in questions]
        again = any(times.values())
        is_new = not self.before.asked_times and any(
            spec.name in self.after.requested for spec in self.concerned
        )
        if self._is_an_order() and not said:
            told: str = message("gate.details_needed", questions=words)
        elif again and not said:
            told = message("gate.still_needed", questions=words)
        elif is_new:
            told = message("gate.details_needed", questions=words)
        else:
            told = " ".join(str(one) for one in words)
        return self.reply([*said, told], times=asked)

    def _times_asked(self, slot: Slot) -> int:
        """Return how often it was asked for in vain; a day that is told begins anew."""
        begun = self.after.begun.get(slot.name)
        is_news = begun is not None and begun.message_id == self.heard.message_id
        return 0 if is_news else self.before.asked_times.get(slot.name, 0)

    def _form(self) -> list[str]:
        """Return all that is missing: a form asks for it at once."""
        return list(
            dict.fromkeys(
                need.slot.name
                for spec in self.concerned
                for need in spec.needs
                if not need.optional and not is_known(need.slot, self.after)
            )
        )
