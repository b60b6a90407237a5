"""Which words of a message state values of this request, and why the others do not.

A value stands in a clause, and a clause has its moods: what is denied, asked, supposed, past, of
somebody else or pasted is not stated. Readers of values are given only the part that is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import zip_longest

from sayso.core.extraction_ops import Doubt
from sayso.core.requirements import Slot
from sayso.reading.clauses import Clause, clauses_in
from sayso.reading.lexicon import Lexicon
from sayso.reading.moods import Mood
from sayso.reading.normalize import even
from sayso.reading.parsers.dates import dates_in
from sayso.reading.sentences import after_lead
from sayso.reading.slot_types import SlotType, shape_of

#: The first that a clause has counts.
_DOUBTS = {
    Mood.QUOTED: Doubt.QUOTED,
    Mood.TO_ANOTHER: Doubt.OF_ANOTHER,
    Mood.OF_ANOTHER: Doubt.OF_ANOTHER,
    Mood.NEGATED: Doubt.NEGATED,
    Mood.HYPOTHETICAL: Doubt.SUPPOSED,
    Mood.CONDITIONAL: Doubt.SUPPOSED,
    Mood.PAST: Doubt.PAST,
    Mood.ASKED: Doubt.ASKED,
}
#: How far before a clause a word may stand that turns its "if": "see if they have one".
_LEAD = 12
_NUMBERED = re.compile(r"\d|月")
_ENDS = re.compile(r"[.!?。！？\n]\s*$")


def doubt_of(
    message: str, start: int, end: int, slot: Slot, lex: Lexicon, *, about_past: bool = False
) -> Doubt | None:
    """Return why the words at these positions do not state a value of this slot; None where they
    do."""
    is_free = shape_of(slot).is_free
    found = {
        doubt
        for clause, doubt in doubts_in(message, lex, about_past=about_past)
        if clause.start < end and start < clause.end
        if not (is_free and _tells_freely(clause, doubt, message, lex))
    }
    if shape_of(slot).type in (SlotType.BOOLEAN, SlotType.CHOICE):
        found.discard(Doubt.NEGATED)  # "no breakfast" says so of it
    return next((doubt for doubt in _DOUBTS.values() if doubt in found), None)


def follows_a_denial(message: str, start: int, lex: Lexicon) -> bool:
    """Return whether the words at a position come after the "not" of their clause: "not to Paris",
    while of "to Rome, not Paris" Rome does not. Some languages put it last."""
    own = next((one for one in clauses_in(message, lex) if one.start <= start < one.end), None)
    before = even(message)[own.start : start] if own else ""
    return not lex.spaced or lex.any_of("clauses.negation").search(before) is not None


def _tells_freely(clause: Clause, doubt: Doubt | None, message: str, lex: Lexicon) -> bool:
    """Return whether it is past, or said of what the talk is about ("it pulls to the left"), or
    denied of it: not "I don't know", "my brother has one"."""
    said = clause.words(even(message)).strip(" ,;").casefold()
    if lex.any_of("doubts.other_times").search(said) or (lex.spaced and " " not in said):
        return False
    about_it = lex.any_of("clauses.others").match(after_lead(said, lex)) is not None
    if doubt is Doubt.NEGATED:
        return lex.any_of("clauses.speaker").search(said) is None
    return doubt is Doubt.PAST or (doubt is Doubt.OF_ANOTHER and about_it)


def is_about_past(slots: Mapping[str, Slot]) -> bool:
    """Return whether what is asked for has happened, so that the past tense states it."""
    return any(slot.tense == "past" for slot in slots.values())


@lru_cache(maxsize=16)
def doubts_in(
    message: str, lex: Lexicon, *, about_past: bool = False
) -> tuple[tuple[Clause, Doubt | None], ...]:
    text = even(message)
    found: list[tuple[Clause, Doubt | None]] = []
    sentence: list[Clause] = []
    clauses = clauses_in(message, lex)
    for clause, after in zip_longest(clauses, clauses[1:]):
        sentence.append(clause)
        if after is None or _ENDS.search(text[: after.start]):
            found += [(one, _doubt(one, sentence, text, lex, about_past)) for one in sentence]
            sentence = []
    return tuple(found)


def _doubt(
    clause: Clause, sentence: list[Clause], text: str, lex: Lexicon, about_past: bool
) -> Doubt | None:
    said = clause.words(text).strip(" ,;").casefold()
    passing: set[Mood] = set()
    if lex.any_of("doubts.other_times").search(said) and not (about_past and _dates_it(said, lex)):
        return Doubt.PAST  # "usually", "last time": of another occasion
    if any(_is_unsure(one.words(text), lex) for one in sentence):
        return Doubt.SUPPOSED
    excess = lex.any_of("doubts.excess").search(clause.words(text))
    if excess is not None and (excess[0].islower() or not lex.spaced):
        return Doubt.NEGATED  # "two weeks is too long"
    if about_past:
        passing.add(Mood.PAST)
    if any(one.end == clause.start and one.is_any(Mood.NEGATED) for one in sentence):
        passing.add(Mood.PAST)  # "3泊じゃなくて4泊でした": what it was not has been said before
    if lex.any_of("dates.ago_before").match(said):
        passing.add(Mood.OF_ANOTHER)  # "il y a deux semaines" is about nobody
    if _is_of_the_subject(said, lex):
        passing |= {Mood.PAST, Mood.OF_ANOTHER}
    if _is_courtesy(clause, text, lex):
        passing.add(Mood.CONDITIONAL)
    if _says_what_it_is(said, lex):
        passing.add(Mood.ASKED)
    if not _supposes(said, lex) and not any(
        one.is_any(Mood.CONDITIONAL) and not _is_courtesy(one, text, lex) for one in sentence
    ):
        passing.add(Mood.HYPOTHETICAL)
    # "Can you get me a car in Oslo until Friday?", "How about Friday?", "Is there a bus to Rome?"
    asks_for = any(one.is_any(Mood.REQUESTED, Mood.ORDER) for one in sentence)
    if asks_for or any(
        _is_courtesy(one, text, lex) or _proposes(one.words(text).strip(" ,;").casefold(), lex)
        for one in sentence
    ):
        passing.add(Mood.ASKED)
    moods = clause.moods - passing
    return next((doubt for mood, doubt in _DOUBTS.items() if mood in moods), None)


def _dates_it(said: str, lex: Lexicon) -> bool:
    """Return whether it names a day of the calendar: "on the 3rd of November last year"."""
    return any(_NUMBERED.search(one.words(said)) for one in dates_in(said, lex, None))


def _is_of_the_subject(said: str, lex: Lexicon) -> bool:
    """Return whether it says when somebody was born, or what they are called, of whom the talk is:
    "she was born in May", "our daughter is called Ann"; not "my brother was born in 1990"."""
    known = lex.any_of("clauses.kin").search(said)
    if lex.any_of("values.called").search(said):
        return known is None
    others = lex.any_of("values.partner", "values.companions").search(said)
    return lex.any_of("dates.born").search(said) is not None and not (known or others)


def _says_what_it_is(said: str, lex: Lexicon) -> bool:
    """Return whether "is the" comes first where a subject is left out, and no mark asks: "é o
    aluguel" is the rent."""
    if not lex.flag("orders", "drops_subject") or "?" in said:
        return False
    return lex.form(r"<values.copula>\s+(?:<orders.the>|l')").match(said) is not None


def _is_unsure(words: str, lex: Lexicon) -> bool:
    return lex.any_of("doubts.unsure").search(words) is not None


def _is_courtesy(clause: Clause, text: str, lex: Lexicon) -> bool:
    """Return whether its "if" sets no condition: "see if they have one", "if possible"."""
    around = text[max(0, clause.start - _LEAD) : clause.end]
    return lex.any_of("doubts.courtesies").search(around) is not None


def _proposes(question: str, lex: Lexicon) -> bool:
    """Return whether a question puts a value forward: "how about Friday?", "is Friday good?"."""
    opens = lex.form(r"(?:<clauses.leads|clauses.joints>[\s,]*)*<doubts.proposals>")
    ends = lex.form(r"<doubts.agreeing>[\s?？.!]*$")
    return opens.match(question) is not None or ends.search(question) is not None


def _supposes(said: str, lex: Lexicon) -> bool:
    """Return whether more than a polite "that would be" supposes something: "imagine", "maybe".
    A "would" that comes first is none."""
    rest = lex.any_of("clauses.not_wishing").sub(" ", said)
    rest, first = rest.strip(), lex.any_of("doubts.would").match(rest.strip())
    if first is None or not lex.spaced:
        rest = lex.any_of("doubts.would").sub(" ", rest)
    return lex.any_of("clauses.wishing").search(rest) is not None
