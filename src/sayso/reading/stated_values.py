"""Which values a message states, and which it only names.

The parsers find what could be meant (`candidates.py`), a small network hears which of it is stated
(`hearing.py`), and the moods of the clauses stand guard: what is asked, supposed, denied or told of
somebody else has to be heard more surely, and what is quoted is never stated. What is heard and not
surely enough is offered. No rule here knows how a language says a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypedDict

from pydantic import JsonValue

from sayso.core.extraction_ops import Clear, Correct, Doubt, Operation, Reading, Set, Suggest
from sayso.reading.clauses import clauses_in
from sayso.reading.differences import difference_at
from sayso.reading.doubts import doubt_of, follows_a_denial, is_about_past
from sayso.reading.lexicon import lexicon_for
from sayso.reading.no_answer import names_nothing
from sayso.reading.normalize import even, plain, same_value
from sayso.reading.offers import taken_up
from sayso.reading.parsers.dates import dates_in
from sayso.reading.parsers.entries import entries_in
from sayso.reading.parsers.numbers import in_digits
from sayso.reading.parsers.times import times_in
from sayso.reading.said_values import values_said
from sayso.reading.seen_message import IN_WORDS
from sayso.reading.slot_types import SlotShape, SlotType, shape_of
from sayso.reading.yes_no import is_plain_yes

if TYPE_CHECKING:
    from sayso.reading.hearing import HeardValue, Hearing

#: How likely a value has to be: an answer, anything else; an answer or a change in whose clause
#: there is a doubt; and what is asked, or in doubt without being asked for.
ANSWERED, STATED, DOUBTED, IN_QUESTION = 0.6, 0.5, 0.85, 0.95
#: What is only supposed, where nobody asked: "maybe to Rome".
SUPPOSED = 0.995
#: The name of a person that takes the place of a known one, where nobody asked for it.
RENAMED = 0.97
#: The answer to the last of several questions, where the same message answers the others.
LEFT_OVER = 0.12
#: What puts a known value in question.
IN_QUESTION_FROM = 0.57
#: What is as likely as this is offered; where one of several questions may be answered, or a doubt
#: says why it is only named; and of what is known, so that it stops a yes.
OFFERED, OFFERED_IF_NAMED, HALF_HEARD = 0.1, 0.0001, 0.4
#: The share of another open question's hearing from which words are that one's as well.
_ASKED_TOO = 0.3
#: How far a known value leads that is corrected, and a field whose question is taken up.
_CORRECTED, _NAMED = 0.1, 0.2
#: How far the longer words lead, up to a number of letters.
_BY_LETTER, _LONG = 0.001, 20
_NEVER = 2.0
_LETTER, _DIGIT = re.compile(r"[^\W\d_]"), re.compile(r"\d")


def values_in(reading: Reading) -> list[Operation]:
    """Return the values that a message states, takes back and names, each with its words."""
    return _Values(reading).found()


def is_heard(op: Set | Correct | Suggest, reading: Reading) -> bool:
    """Return whether the network hears this value in the message, in these words."""
    hearing = _hearing_of(reading)
    if hearing is None or not re.search(r"\w", op.quote):
        return False
    start = hearing.inputs.text.find(even(op.quote))
    if start < 0:
        return False
    said = _Values(reading)
    one = said.heard().get(op.slot)
    is_likeliest = one is not None and _is_said_by(op, one)
    share = one.margin if one and is_likeliest else hearing.share_of(op.slot, op.value)
    return share >= said.least(op.slot, start, start + len(op.quote))


def _is_said_by(op: Set | Correct | Suggest, one: HeardValue) -> bool:
    """Return whether this is what is heard; of a list each entry, unless the quote has it."""
    if not isinstance(op.value, list):
        return same_value(one.value, op.value)
    quote = plain(op.quote)
    return all(same_value(one.value, each) or plain(str(each)) in quote for each in op.value)


class _Words(TypedDict):
    """The words that say a value, as an operation points at them."""

    quote: str
    span: tuple[int, int]


class _Values:
    """What one message says of the fields."""

    def __init__(self, reading: Reading) -> None:
        self.reading, self.text = reading, even(reading.message)
        self.lex = lexicon_for(self.text, reading.language)
        self._known = {n: v for n, v in reading.known.items() if n in reading.slots}
        self._about_past = is_about_past(reading.slots)
        #: Whether something is said to take the place of something else: "no, make that 8".
        self._is_anew = self.lex.any_of("orders.anew").search(self.text) is not None

    def found(self) -> list[Operation]:
        sure: list[Clear | Set | Correct] = [
            *(Clear(slot=name) for name in self._taken_back()),
            *self._taken_up(),
        ]
        settled = {op.slot for op in sure}
        heard = {name: one for name, one in self.heard().items() if name not in settled}
        told = [op for name, one in heard.items() for op in self._of(name, one)]
        return [*sure, *(self._as_the_last_answer(op, told, heard) for op in told)]

    def _as_the_last_answer(
        self, op: Operation, told: Sequence[Operation], heard: Mapping[str, HeardValue]
    ) -> Operation:
        """Return as stated what is left for the one question that is left: "lunch, on Borealis"."""
        stated = {one.slot for one in told if isinstance(one, Set | Correct)}
        left = [name for name in self.reading.asked if name not in stated]
        if not isinstance(op, Suggest) or left != [op.slot] or len(self.reading.asked) < 2:
            return op
        is_sure = op.doubt is Doubt.AMBIGUOUS and heard[op.slot].margin >= LEFT_OVER
        if not is_sure or not self._may_be(op.slot, heard[op.slot]):
            return op
        return Set(slot=op.slot, value=op.value, quote=op.quote, span=op.span)

    def heard(self) -> dict[str, HeardValue]:
        """Return what is heard of each field. No words say two things: they go to the field that
        hears them more surely. What two open questions could take is less sure by as much."""
        hearing = _hearing_of(self.reading)
        each = self._by_label(hearing) if hearing is not None else {}
        found: dict[str, HeardValue] = {}
        for name in sorted(each, key=lambda name: -self._weight(name, each[name])):
            one = each[name]
            surer = [other for other in found if one.shares_words_with(found[other])]
            if not surer:
                found[name] = one
            for other in surer:
                both_asked = {name, other} <= {*self.reading.asked}
                if both_asked and one.share > _ASKED_TOO * found[other].share:
                    found[other] = replace(found[other], rival=one.share)
        return found

    def _by_label(self, hearing: Hearing) -> dict[str, HeardValue]:
        """Return what is heard of each field; what the clause says for one by its label is that
        one's, whoever else hears it: "set the origin to Hamburg"."""
        found = hearing.values()
        for name, one in [*found.items()]:
            clauses = [c for c in clauses_in(self.text, self.lex) if c.start < one.end <= c.end]
            if not (
                one.in_words and any(hearing.is_labelled(name, c.start, c.end) for c in clauses)
            ):
                continue
            others = [n for n in found if n != name and one.shares_words_with(found[n])]
            if others and not any(
                hearing.is_labelled(other, c.start, c.end) for other in others for c in clauses
            ):
                share = min(1.0, one.share + max(found[other].share for other in others))
                found = {n: each for n, each in found.items() if n not in others}
                found[name] = replace(one, share=share)
        return found

    def _weight(self, name: str, one: HeardValue) -> float:
        """Return how much speaks for a field's hearing; of two that are as sure, the one of more
        words leads: "5th and Main" is no day."""
        length = one.end - one.start if one.in_words else 0
        return one.share * (1 + min(length, _LONG) * _BY_LETTER) + self._lead_of(name)

    def _lead_of(self, name: str) -> float:
        """Return how far a field leads whose question the message takes up, and a known value where
        the message corrects, or says it again."""
        known, hearing = self._known.get(name), _hearing_of(self.reading)
        said = isinstance(known, str) and re.search(_whole_word(known), self.text) is not None
        lead = _NAMED if hearing is not None and hearing.is_named(name) else 0.0
        return lead + (_CORRECTED if name in self._known and (self._is_anew or said) else 0.0)

    # ── without the network ──

    def _taken_back(self) -> Iterator[str]:
        """Yield the fields whose value is taken back: "forget the budget", "not Oslo"."""
        said = plain(self.text)
        ruled_out = self.lex.form(r"\W*<values.not_this>\s*(?:<orders.the>\s*)?").match(said)
        rest = said[ruled_out.end() :].rstrip(" .,!") if ruled_out is not None else ""
        yield from (name for name, one in self._known.items() if plain(str(one)) == rest)
        for match in self.lex.any_of("orders.clearing").finditer(self.text):
            clause = re.split(r"[.!?;,]", self.text[match.end() :], maxsplit=1)[0]
            for name in self._known:
                own = self.lex.alternatives(shape_of(self.reading.slots[name]).about)
                if self.lex.form(rf"\s*(?:\w+\s+){{0,2}}?{own}").match(clause):
                    yield name

    def _taken_up(self) -> Iterator[Set]:
        """Yield the values that the agent had offered and the message accepts."""
        reading = self.reading
        if reading.pending is not None and is_plain_yes(plain(self.text), self.lex):
            return  # that yes answers the gate's question, not the offer
        offered = {n: v for n, v in reading.offered.items() if n in reading.slots and v}
        for one in taken_up(reading.message, offered, self.lex) if offered else ():
            yield Set(slot=one.slot, value=one.value, **self._words(one.words.start, one.words.end))

    # ── as it is heard ──

    def _of(self, name: str, one: HeardValue) -> Iterator[Clear | Set | Correct | Suggest]:
        known, shape = self._known.get(name), shape_of(self.reading.slots[name])
        if one.share < self._least_offered(name, one) or same_value(known, one.value):
            return
        if self._is_no_name(name, one, shape) or self._names_nothing(one, shape):
            return
        if one.margin >= self._least_of(name, one) and self._may_be(name, one):
            if shape.type is SlotType.PLACE and self._is_article(self.text[: one.start]):
                start = len(self.text) - len(self.text.lstrip())
                one = replace(one, start=start, value=self.text[start : one.end])
            words = self._words(*self._with_difference(name, one, shape))
            value = self._entries(one, shape) if shape.is_list else one.value
            yield (Correct if self._corrects(name) else Set)(slot=name, value=value, **words)
            return
        if shape.is_list or not one.in_words:
            return
        doubt = self._doubt(name, one.start, one.end) or Doubt.AMBIGUOUS
        if doubt is Doubt.NEGATED or not self._could_be(one, shape):
            return
        if self._is_in_question(name, one, doubt):
            yield Clear(slot=name)
        words = self._words(one.start, one.end)
        yield Suggest(slot=name, value=one.value, doubt=doubt, **words)

    def _with_difference(self, name: str, one: HeardValue, shape: SlotShape) -> tuple[int, int]:
        """Return the words that say a value, and if they say it by a difference, all that say so:
        a day alone is not what "shorten it by a day" makes of four."""
        is_shown = name in self._known or name in self.reading.assumed
        if is_shown and one.in_words:
            found = difference_at(one.start, one.end, self.text, shape, self.lex)
            if found is not None:
                return min(one.start, found.start), max(one.end, found.end)
        return one.start, one.end

    def _is_in_question(self, name: str, one: HeardValue, doubt: Doubt) -> bool:
        """Return whether what is known may have changed: "anything in Santa Clara, perhaps?". An
        open card still shows it, and is only not agreed to, unless something is said to take its
        place: "actually let's do Naples"."""
        if name not in self._known or doubt in (Doubt.QUOTED, Doubt.OF_ANOTHER):
            return False
        if self._renames(name):
            return False
        if self.reading.pending is not None:
            return self._is_anew and one.share >= HALF_HEARD and self._may_be(name, one)
        return one.share >= IN_QUESTION_FROM and self._may_be(name, one)

    def _least_offered(self, name: str, one: HeardValue) -> float:
        if name in self._known:
            return HALF_HEARD
        several = len(self.reading.asked) > 1 and name in self.reading.asked
        if several:
            return OFFERED_IF_NAMED
        is_free = shape_of(self.reading.slots[name]).is_free  # any words could be a wish
        is_named = not is_free and self._doubt(name, one.start, one.end) is not None
        return OFFERED_IF_NAMED if is_named else OFFERED

    def _corrects(self, name: str) -> bool:
        """Return whether it takes the place of what is known: what is said of a list adds to it."""
        is_list = shape_of(self.reading.slots[name]).is_list
        return name in self._known and (self._is_anew or not is_list)

    def _entries(self, one: HeardValue, shape: SlotShape) -> list[JsonValue]:
        if shape.type not in IN_WORDS:
            return [one.value]
        words = self.text[one.start : one.end]
        return [words[each.start : each.end] for each in entries_in(words, self.lex)]

    def _least_of(self, name: str, one: HeardValue) -> float:
        """Return how likely the value has to be: more where nobody asked and no words name it."""
        least = self.least(name, one.start, one.end)
        asked, at_card = name in self.reading.asked, self.reading.pending is not None
        if self._renames(name):
            return max(least, RENAMED)
        if not isinstance(one.value, bool):
            is_said = one.in_words and not self._may_count_nothing(one)
            return least if is_said or asked or at_card else max(least, DOUBTED)
        if one.value and asked:
            return least
        shape = shape_of(self.reading.slots[name])
        said = values_said(self.text, shape, self.lex, today=None, asked=True)
        return least if any(each.value is one.value for each in said) else max(least, DOUBTED)

    def _may_count_nothing(self, one: HeardValue) -> bool:
        """Return whether a number is an article ("un hôtel", "一家酒店"), or all that the message
        says: a PIN, if nobody asked how many."""
        if not isinstance(one.value, int | float):
            return False
        if re.search(r"\w", self.text[: one.start] + self.text[one.end :]) is None:
            return True
        said = plain(self.text[one.start : one.end])
        is_word = not self.lex.spaced or self.lex.any_of("orders.the").match(said) is not None
        return one.value == 1 and is_word and _DIGIT.search(said) is None

    def _renames(self, name: str) -> bool:
        """Return whether it would take the place of a known person, whom nobody asked for: most of
        whom people speak is somebody else."""
        is_person = shape_of(self.reading.slots[name]).type is SlotType.NAME
        return is_person and name in self._known and name not in self.reading.asked

    def least(self, name: str, start: int, end: int) -> float:
        """Return how likely a value has to be in these words: more if their clause is in doubt."""
        doubt = self._doubt(name, start, end)
        asked, at_card = name in self.reading.asked, self.reading.pending is not None
        if doubt is Doubt.QUOTED:
            return _NEVER
        if doubt is Doubt.NEGATED and not (asked or at_card):
            is_denied = follows_a_denial(self.reading.message, start, self.lex)
            return _NEVER if is_denied else IN_QUESTION
        if doubt is None:
            return ANSWERED if asked else STATED
        if doubt in (Doubt.NEGATED, Doubt.PAST) and self._is_code_for_code(name, start, end):
            return ANSWERED
        if (asked or at_card) and doubt is not Doubt.ASKED:
            return DOUBTED
        return SUPPOSED if doubt is Doubt.SUPPOSED else IN_QUESTION

    def _is_code_for_code(self, name: str, start: int, end: int) -> bool:
        """Return whether a number stands for a known one in words: "it was actually 146", "no, that
        was my old locker, it should be 280"."""
        known, kind = self._known.get(name), shape_of(self.reading.slots[name]).type
        return kind is SlotType.TEXT and all(
            _DIGIT.search(one) for one in (str(known), self.text[start:end])
        )

    def _doubt(self, name: str, start: int, end: int) -> Doubt | None:
        slot, message = self.reading.slots[name], self.reading.message
        return doubt_of(message, start, end, slot, self.lex, about_past=self._about_past)

    def _may_be(self, name: str, one: HeardValue) -> bool:
        """Return whether a value of its kind can be this."""
        reading, shape = self.reading, shape_of(self.reading.slots[name])
        if shape.is_email:
            return "@" in self.text[one.start : one.end]
        if shape.type is not SlotType.DATE or reading.today is None:
            return True
        today = reading.today.date()
        if shape.tense == "past" and str(one.value) > today.isoformat():
            return False
        days = dates_in(self.text, self.lex, today, shape.tense)
        return all(day.value for day in days)  # "Tuesday the 5th", and the 5th is a Friday

    def _could_be(self, one: HeardValue, shape: SlotShape) -> bool:
        """Return whether anyone could mean this by a value of its kind: an address of mail has its
        sign, and nobody travels to 42."""
        said = self.text[one.start : one.end]
        if shape.is_email:
            return "@" in said
        is_called = shape.type is SlotType.NAME or (
            shape.type is SlotType.PLACE and not shape.is_address
        )
        return not is_called or _LETTER.search(in_digits(said, self.lex)) is not None

    def _names_nothing(self, one: HeardValue, shape: SlotShape) -> bool:
        """Return whether its words only say that the person does not know, or does not mind."""
        if not one.in_words or plain(str(one.value)) in map(plain, shape.choices):
            return False
        return names_nothing(self.text, one.start, one.end, self.lex)

    def _is_article(self, words: str) -> bool:
        """Return whether a place is known with its article: "die Schweiz"."""
        return self.lex.any_of("orders.the").fullmatch(plain(words)) is not None

    def _is_no_name(self, name: str, one: HeardValue, shape: SlotShape) -> bool:
        """Return whether the words greet, thank, say a time of day, or call an action by its name:
        "checklist" of "create the checklist", and the "hotel" of a booking is no Hyatt Hotel."""
        said = plain(self.text[one.start : one.end])
        if shape.choices and one.in_words:
            is_whole = said == plain(str(one.value))
            return not is_whole and name not in self.reading.asked and self._calls_an_action(said)
        if shape.type not in IN_WORDS:
            return False
        if _LETTER.search(said) and any(len(said) == len(time) for time in self._times_in(said)):
            return True
        courtesy = self.lex.any_of("yes.thanks", "clauses.greetings").match(said)
        return courtesy is not None or self._calls_an_action(said)

    def _calls_an_action(self, said: str) -> bool:
        return any(
            said in plain(" ".join((one.name.replace("_", " "), one.title, one.verb, *one.phrases)))
            for one in self.reading.actions
        )

    def _times_in(self, said: str) -> Iterator[str]:
        return (one.words(said) for one in times_in(said, self.lex))

    def _words(self, start: int, end: int) -> _Words:
        return _Words(quote=self.reading.message[start:end], span=(start, end))


def _whole_word(value: str) -> str:
    return rf"(?<!\w){re.escape(value)}(?!\w)"


def _hearing_of(reading: Reading) -> Hearing | None:
    # numpy takes a tenth of a second to load: a process that reads no message does not.
    from sayso.reading.hearing import heard_in

    return heard_in(reading)
