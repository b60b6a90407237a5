"""Which values a message states, and which it only names.

The parsers find what could be meant (`candidates.py`), a small network hears which of it is stated
(`hearing.py`), and the moods of the clauses stand guard: what is asked, supposed, denied or told of
somebody else has to be heard more surely, and what is quoted is never stated (`sureness.py`). What
is heard and not surely enough is offered. No rule here knows how a language says a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypedDict

from pydantic import JsonValue

from sayso.core.extraction_ops import Clear, Correct, Doubt, Operation, Reading, Set, Suggest
from sayso.reading.answer_first import answers_alone
from sayso.reading.bare_changes import NUMBERS, bare_change, nearest_to
from sayso.reading.both_days import both_days
from sayso.reading.differences import difference_at
from sayso.reading.estimated import is_estimated, offered_if_estimated
from sayso.reading.heard_fields import heard_by_field
from sayso.reading.heard_message import HeardMessage
from sayso.reading.in_its_place import in_place_of_the_denied
from sayso.reading.normalize import even, plain, same_value
from sayso.reading.of_a_period import offered_if_of_a_period
from sayso.reading.offers import taken_up
from sayso.reading.parsers.amending import is_amended
from sayso.reading.parsers.durations import durations_in
from sayso.reading.parsers.entries import entries_in
from sayso.reading.picked_by_degree import is_a_guess
from sayso.reading.plain_answers import could_tell_apart, plain_answer
from sayso.reading.plain_truths import says_neither
from sayso.reading.possible_values import could_be, is_no_name, may_be, says_no_value
from sayso.reading.slot_types import IN_WORDS, SlotShape, SlotType
from sayso.reading.sureness import (
    ALONE,
    HALF_HEARD,
    IN_QUESTION_FROM,
    LEFT_OVER,
    least_in,
    least_of,
    least_offered,
    renames,
)
from sayso.reading.yes_no import is_plain_yes

if TYPE_CHECKING:
    from sayso.reading.hearing import HeardValue


def values_in(reading: Reading) -> list[Operation]:
    """Return the values that a message states, takes back and names, each with its words."""
    found = _Values(HeardMessage(reading)).found()
    return _with_answers_alone(found, reading)


def _with_answers_alone(found: list[Operation], reading: Reading) -> list[Operation]:
    """Return what was found, with the answers that are only heard without the talk behind them."""
    settled = {op.slot for op in found if isinstance(op, Set | Correct | Clear)}
    if settled.issuperset(reading.asked):
        return found
    given: dict[str, Operation] = {}
    for name, alone in answers_alone(reading):
        if name not in settled and name not in given:
            message = HeardMessage(alone)
            if (one := heard_by_field(message).get(name)) and one.margin >= ALONE:
                said = _Values(message).found()
                given |= {op.slot: op for op in said if isinstance(op, Set) and op.slot == name}
    return [*given.values(), *(op for op in found if getattr(op, "slot", None) not in given)]


def is_heard(op: Set | Correct | Suggest, reading: Reading) -> bool:
    """Return whether the network hears this value in the message, in these words."""
    message = HeardMessage(reading)
    if message.hearing is None or not re.search(r"\w", op.quote):
        return False
    start = message.hearing.inputs.text.find(even(op.quote))
    if start < 0:
        return False
    one = heard_by_field(message).get(op.slot)
    is_likeliest = one is not None and _is_said_by(op, one)
    share = one.margin if one and is_likeliest else message.hearing.share_of(op.slot, op.value)
    return share >= least_in(op.slot, start, start + len(op.quote), message)


def _is_said_by(op: Set | Correct | Suggest, one: HeardValue) -> bool:
    """Return whether this is what is heard; of a list each entry, unless the quote has it."""
    if not isinstance(op.value, list):
        return same_value(one.value, op.value)
    quote = plain(op.quote)
    return all(same_value(one.value, each) or plain(str(each)) in quote for each in op.value)


def _says(op: Set | Correct, one: HeardValue) -> bool:
    """Return whether what is heard lies in the words of an operation."""
    return one.in_words and op.span is not None and op.span[0] <= one.start < op.span[1]


class _Words(TypedDict):
    """The words that say a value, as an operation points at them."""

    quote: str
    span: tuple[int, int]


class _Values:
    """What one message says of the fields."""

    def __init__(self, message: HeardMessage) -> None:
        self.message, self.reading = message, message.reading

    def found(self) -> list[Operation]:
        plain = [*self._answered_plainly(), *self._in_place_of_the_denied(), *self._both_days()]
        plain += self._changed_barely() if not plain else ()
        amended = [*self._amended()] if not plain else []
        sure: list[Clear | Set | Correct | Suggest] = [
            *(Clear(slot=name) for name in self._taken_back()),
            *self._taken_up(),
            *plain,
            *amended,
        ]
        settled = {op.slot for op in sure}.union(self._left_open())
        heard = {
            name: one
            for name, one in heard_by_field(self.message).items()
            if name not in settled and not any(_says(op, one) for op in amended)
        }
        told = [op for name, one in heard.items() for op in self._of(name, one)]
        told = [op for op in told if not self._is_the_old_value(op, told)]
        stated = [self._as_the_last_answer(op, told, heard) for op in told]
        stated = [offered_if_estimated(op, told, self.message) for op in stated]
        return [*sure, *(offered_if_of_a_period(op, told, self.message) for op in stated)]

    def _is_the_old_value(self, op: Operation, told: Sequence[Operation]) -> bool:
        """Return whether a bare number is what another field was, which changes in the same words:
        "from 4 to 5 people" is no 4th."""
        if not isinstance(op, Set | Correct) or not op.quote.isdecimal():
            return False
        others = [one.slot for one in told if isinstance(one, Correct) and one.slot != op.slot]
        return any(str(self.message.known.get(name)) == op.quote for name in others)

    def _as_the_last_answer(
        self, op: Operation, told: Sequence[Operation], heard: Mapping[str, HeardValue]
    ) -> Operation:
        """Return as stated what is left for the one question that is left: "lunch, on Borealis"."""
        stated = {one.slot for one in told if isinstance(one, Set | Correct)}
        left = [name for name in self.reading.asked if name not in stated]
        if not isinstance(op, Suggest) or left != [op.slot] or len(self.reading.asked) < 2:
            return op
        one = heard[op.slot]
        is_sure = op.doubt is Doubt.AMBIGUOUS and one.margin >= LEFT_OVER
        if not is_sure or not may_be(one, self.message.shape(op.slot), self.message):
            return op
        return Set(slot=op.slot, value=op.value, quote=op.quote, span=op.span)

    # ── without the network ──

    def _taken_back(self) -> Iterator[str]:
        """Yield the fields whose value is taken back: "forget the budget", "not Oslo"."""
        text, lex, known = self.message.text, self.message.lex, self.message.known
        said = plain(text)
        ruled_out = lex.form(r"\W*<values.not_this>\s*(?:<orders.the>\s*)?").match(said)
        rest = said[ruled_out.end() :].rstrip(" .,!") if ruled_out is not None else ""
        yield from (name for name, one in known.items() if plain(str(one)) == rest)
        for match in lex.any_of("orders.clearing").finditer(text):
            clause = re.split(r"[.!?;,]", text[match.end() :], maxsplit=1)[0]
            for name in known:
                own = lex.alternatives(self.message.shape(name).about)
                if lex.form(rf"\s*(?:\w+\s+){{0,2}}?{own}").match(clause):
                    yield name

    def _taken_up(self) -> Iterator[Set]:
        """Yield the values that the agent had offered and the message accepts."""
        reading, lex = self.reading, self.message.lex
        if self.message.at_card and is_plain_yes(plain(self.message.text), lex):
            return  # that yes answers the gate's question, not the offer
        offered = {n: v for n, v in reading.offered.items() if n in reading.slots and v}
        for one in taken_up(reading.message, offered, lex) if offered else ():
            yield Set(slot=one.slot, value=one.value, **self._words(one.words.start, one.words.end))

    def _answered_plainly(self) -> Iterator[Set | Suggest]:
        """Yield the answer that is all that is said: "of course not", "the last one". Of several
        questions it has to be the only one that could be meant."""
        message, text = self.message, self.message.text
        today = self.reading.today.date() if self.reading.today else None
        asked = {name: message.shape(name) for name in self.reading.asked if name in message.slots}
        if message.at_card or not could_tell_apart([*asked.values()]):
            return
        told = {
            name: plain_answer(text, shape, message.lex, today) for name, shape in asked.items()
        }
        told = {name: value for name, value in told.items() if value is not None}
        for name, value in told.items() if len(told) == 1 else ():
            words = self._words(0, len(text))
            if is_estimated(text, message.shape(name), message.lex):
                yield Suggest(slot=name, value=value, doubt=Doubt.AMBIGUOUS, **words)
            elif not self._is_counted_from_another(name):
                yield Set(slot=name, value=value, **words)

    def _is_counted_from_another(self, name: str) -> bool:
        """Return whether it is a day, and another is known from which it may be counted."""
        days = [one for one in self.message.known if self.message.shape(one).type is SlotType.DATE]
        return bool(days) and self.message.shape(name).type is SlotType.DATE

    def _in_place_of_the_denied(self) -> Iterator[Correct]:
        """Yield each value that takes the place of a known one: "Thursday, not Friday"."""
        message = self.message
        today = self.reading.today.date() if self.reading.today else None
        for name, known in message.known.items():
            one = in_place_of_the_denied(
                message.text, known, message.slots[name], message.lex, today
            )
            if one is not None:
                yield Correct(slot=name, value=one.value, **self._words(one.start, one.end))

    def _changed_barely(self) -> Iterator[Correct]:
        """Yield the known number whose place a bare one takes: "no, make it 120"."""
        message = self.message
        one = bare_change(message.text, message.lex) if message.known else None
        asked = {name: message.shape(name) for name in self.reading.asked if name in message.slots}
        if one is None or any(shape.type in NUMBERS for shape in asked.values()):
            return
        shapes = {name: message.shape(name) for name in message.known} | asked
        name = nearest_to(one.value, message.known, shapes)
        if name is not None:
            yield Correct(slot=name, value=one.value, **self._words(one.start, one.end))

    def _both_days(self) -> Iterator[Set]:
        for name, one in both_days(self.message):
            yield Set(slot=name, value=one.value, **self._words(one.start, one.end))

    def _left_open(self) -> Iterator[str]:
        """Yield the question of yes or no that a plain answer leaves open: "yes no"."""
        for name in self._asked_whether():
            if says_neither(self.message.text, self.message.lex):
                yield name

    def _asked_whether(self) -> Iterator[str]:
        message = self.message
        shapes = [(n, message.shape(n)) for n in self.reading.asked if n in message.slots]
        if message.at_card or not could_tell_apart([shape for _, shape in shapes]):
            return
        yield from (name for name, shape in shapes if shape.type is SlotType.BOOLEAN)

    def _amended(self) -> Iterator[Set | Correct]:
        """Yield the lengths that take the place of one just said: "two days, no, three"."""
        text, lex = self.message.text, self.message.lex
        lengths = [one for one in durations_in(text, lex) if is_amended(one.words(text), lex)]
        if not lengths:
            return
        for name in (*self.reading.asked, *self.message.known, *self.reading.slots):
            if self.message.shape(name).type is SlotType.DURATION:
                op = Correct if name in self.message.known else Set
                words = self._words(lengths[0].start, lengths[0].end)
                yield op(slot=name, value=lengths[0].value, **words)
                return

    # ── as it is heard ──

    def _of(self, name: str, one: HeardValue) -> Iterator[Clear | Set | Correct | Suggest]:
        message, shape = self.message, self.message.shape(name)
        if one.share < least_offered(name, one, message):
            return
        if same_value(message.known.get(name), one.value):
            return
        if is_no_name(name, one, shape, message) or says_no_value(one, shape, message):
            return
        if is_a_guess(name, one, message):
            return
        if one.margin >= least_of(name, one, message) and may_be(one, shape, message):
            yield self._stated(name, one, shape)
            return
        if shape.is_list or not one.in_words:
            return
        doubt = message.doubt(name, one.start, one.end) or Doubt.AMBIGUOUS
        if doubt is Doubt.NEGATED or not could_be(one, shape, message):
            return
        if self._is_in_question(name, one, doubt):
            yield Clear(slot=name)
        words = self._words(one.start, one.end)
        yield Suggest(slot=name, value=one.value, doubt=doubt, **words)

    def _stated(self, name: str, one: HeardValue, shape: SlotShape) -> Set | Correct:
        if shape.type is SlotType.PLACE:
            one = self._with_article(one)
        words = self._words(*self._with_difference(name, one, shape))
        value = self._entries(one, shape) if shape.is_list else one.value
        # What is said of a list adds to it.
        corrects = name in self.message.known and (self.message.is_anew or not shape.is_list)
        return (Correct if corrects else Set)(slot=name, value=value, **words)

    def _with_article(self, one: HeardValue) -> HeardValue:
        """Return a place with the article that it is known with: "die Schweiz"."""
        text = self.message.text
        if self.message.lex.any_of("orders.the").fullmatch(plain(text[: one.start])) is None:
            return one
        start = len(text) - len(text.lstrip())
        return replace(one, start=start, value=text[start : one.end])

    def _with_difference(self, name: str, one: HeardValue, shape: SlotShape) -> tuple[int, int]:
        """Return the words that say a value, and if they say it by a difference, all that say so:
        a day alone is not what "shorten it by a day" makes of four."""
        is_shown = name in self.message.known or name in self.reading.assumed
        if is_shown and one.in_words:
            text, lex = self.message.text, self.message.lex
            found = difference_at(one.start, one.end, text, shape, lex)
            if found is not None:
                return min(one.start, found.start), max(one.end, found.end)
        return one.start, one.end

    def _entries(self, one: HeardValue, shape: SlotShape) -> list[JsonValue]:
        if shape.type not in IN_WORDS:
            return [one.value]
        words = self.message.text[one.start : one.end]
        return [words[each.start : each.end] for each in entries_in(words, self.message.lex)]

    def _is_in_question(self, name: str, one: HeardValue, doubt: Doubt) -> bool:
        """Return whether what is known may have changed: "anything in Santa Clara, perhaps?". An
        open card still shows it, and is only not agreed to, unless something is said to take its
        place: "actually let's do Naples"."""
        message = self.message
        if name not in message.known or doubt in (Doubt.QUOTED, Doubt.OF_ANOTHER):
            return False
        if renames(name, message) or not may_be(one, message.shape(name), message):
            return False
        if message.at_card:
            return message.is_anew and one.share >= HALF_HEARD
        return one.share >= IN_QUESTION_FROM

    def _words(self, start: int, end: int) -> _Words:
        return _Words(quote=self.reading.message[start:end], span=(start, end))
