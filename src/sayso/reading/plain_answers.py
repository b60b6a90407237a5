"""An answer that is all that is said, and needs nothing else to be heard."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from functools import cache
from itertools import pairwise

from pydantic import JsonValue

from sayso.reading.hedges import is_hedged
from sayso.reading.lexicon import Lexicon
from sayso.reading.normalize import even
from sayso.reading.parsers.dates import dates_in
from sayso.reading.parsers.durations import durations_in
from sayso.reading.parsers.estimates import estimates_in
from sayso.reading.parsers.numbers import MANY, numbers_in, whole
from sayso.reading.parsers.people import people_in
from sayso.reading.parsers.times import times_in
from sayso.reading.plain_picks import plain_pick
from sayso.reading.plain_truths import plain_truth
from sayso.reading.slot_types import IN_WORDS, SlotShape, SlotType
from sayso.reading.span import Span, apart, without_spans
from sayso.reading.typing_slips import mended

_COUNTS = (SlotType.COUNT, SlotType.PEOPLE, SlotType.NUMBER)
_AMOUNTS = (*_COUNTS, SlotType.MONEY, SlotType.DURATION, SlotType.TIME)
_NUMBERS = ("integer", "number")
#: No quotes, and no question: "20?" asks.
_MARKS = re.compile(r"[\s.,!;…。，！-]*")
#: An answer, and what is said behind it: "nine, we're a big family".
_OPENING = re.compile(
    r"(?P<answer>.+?)(?:[,;!:]\s|(?<!\d)\.\s|[–—(，。；！…]|\s-\s)\s*(?P<talk>.*\w.*)", re.DOTALL
)
#: What has words of its own in which a finger slips, and how long such an answer is.
_OF_CALENDAR, _SHORT = (SlotType.DATE, SlotType.TIME, SlotType.DURATION), 40
#: In characters; a longer message tells more than an answer.
_LONGEST = 200
_ASKS_OR_QUOTES = re.compile(r"[?？\"“”„«»{}\[\]]")
_BESIDE = "values.roughly|yes.tails|yes.thanks|orders.the|dates.the"
_BESIDE_A_DAY = f"{_BESIDE}|dates.on|times.am|times.pm"


def plain_answer(text: str, shape: SlotShape, lex: Lexicon, today: date | None) -> JsonValue:
    """Return the value that a message gives which was just asked for, and says nothing else, or
    only why; None where it says more, or less."""
    if shape.is_list:
        return None
    if shape.type is SlotType.BOOLEAN:
        return plain_truth(text, lex)
    if shape.type is SlotType.CHOICE and shape.json_type == "string":
        return plain_pick(text, shape.choices, lex)
    said = even(text)
    for each in dict.fromkeys((said, _without_slips(said, shape, lex))):
        value = _alone(each, _values(each, shape, lex, today), shape, lex)
        if value is not None:
            return value
    opening = _OPENING.match(said) if len(said) <= _LONGEST else None
    if opening is None or _says_more(opening["talk"], shape, lex, today):
        return None
    answer = opening["answer"]
    return _alone(answer, _values(answer, shape, lex, today), shape, lex)


def _values(text: str, shape: SlotShape, lex: Lexicon, today: date | None) -> list[Span]:
    """Return what a text says that is of the field's type and has a form of its own."""
    if shape.type is SlotType.DATE and today is not None:
        days, now = dates_in(text, lex, today, shape.tense), today.isoformat()
        is_past = shape.tense == "past"
        is_so = all((str(one.value) <= now) if is_past else str(one.value) >= now for one in days)
        return days if is_so else []
    if shape.type is SlotType.DURATION:
        return durations_in(text, lex)
    if shape.type is SlotType.TIME and shape.has_format:  # plain text keeps the words
        return times_in(text, lex)
    if shape.type not in _COUNTS or shape.json_type not in _NUMBERS:
        return []
    found = [*_dozens(text, lex), *estimates_in(text, lex), *numbers_in(text, lex)]
    return found + (people_in(text, lex) if shape.type is SlotType.PEOPLE else [])


def _without_slips(said: str, shape: SlotShape, lex: Lexicon) -> str:
    """Return a short answer with the words of a day or an hour set right: "frday"."""
    is_short = shape.type in _OF_CALENDAR and lex.spaced and len(said) <= _SHORT
    return mended(said.casefold(), _calendar_words(lex)) if is_short else said


@cache
def _calendar_words(lex: Lexicon) -> frozenset[str]:
    lists = [name for section in ("dates", "times") for name in lex.lists(section)]
    words = [*lex.weekdays, *lex.months, *lex.units, *(w for one in lists for w in lex.words(*one))]
    return frozenset(part for word in words for part in word.split())


def _says_more(talk: str, shape: SlotShape, lex: Lexicon, today: date | None) -> bool:
    """Return whether talk behind an answer may say something about it: another value, a doubt, a
    condition, who said so, how it was."""
    if _ASKS_OR_QUOTES.search(talk) or _values(talk, shape, lex, today):
        return True
    takes_back = lex.form(r"<orders.amending|orders.anew|yes.no|values.either|clauses.saying>")
    return takes_back.search(talk) is not None or is_hedged(talk, language=lex.code, today=today)


def could_tell_apart(asked: Sequence[SlotShape]) -> bool:
    """Return whether an answer to one of these questions could not answer another as well: "no" is
    a yes or no and may be a text, "3" may be any number."""
    if len(asked) == 1:
        return True
    types = [shape.type for shape in asked]
    numbers = sum(one in _AMOUNTS for one in types)
    return len({*types}) == len(types) and numbers < 2 and not {*types}.intersection(IN_WORDS)


def _dozens(text: str, lex: Lexicon) -> Iterator[Span]:
    """Yield two numbers of which the second counts the first: "two dozen"."""
    for one, many in pairwise(numbers_in(text, lex)):
        if many.value in MANY and text[one.end : many.start].isspace():
            value = float(str(one.value)) * float(str(many.value))
            yield Span(value=whole(value), start=one.start, end=many.end)


def _alone(text: str, found: Sequence[Span], shape: SlotShape, lex: Lexicon) -> JsonValue:
    """Return the one value of a text that says nothing else: "around twenty, please"."""
    beside = _BESIDE_A_DAY if shape.type is SlotType.DATE else _BESIDE
    found = apart([*found])
    if len(found) != 1:
        return None
    rest = without_spans(text, [(one.start, one.end) for one in found])
    rest = re.sub(lex.alternatives(shape.nouns), " ", rest, flags=re.IGNORECASE)
    left = lex.form(f"<{beside}>").sub(" ", rest)
    return found[0].value if _MARKS.fullmatch(left) else None
