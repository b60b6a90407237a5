"""What a message says as a difference to what is known: "two days longer", "shorten it by a day",
"half as many", "a few more". The words that say so are a closed class in every language; how much
they make of the known value is reckoned here, and is never the amount itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from pydantic import JsonValue

from sayso.reading.lexicon import Lexicon, lexicon
from sayso.reading.parsers.durations import LENGTH, MINUTES, durations_in, lengths_in
from sayso.reading.parsers.numbers import money_in, numbers_in
from sayso.reading.question_words import nouns_said
from sayso.reading.reckoning import moved, times
from sayso.reading.slot_types import SlotShape, SlotType
from sayso.reading.span import Span, outside

COUNTED = (SlotType.COUNT, SlotType.PEOPLE, SlotType.MONEY, SlotType.NUMBER)
OF_CALENDAR = (SlotType.DATE, SlotType.TIME, SlotType.MOMENT)
#: The kinds of value that a difference can be of.
CHANGEABLE = (*COUNTED, *OF_CALENDAR, SlotType.DURATION)
#: How many characters before an amount may say that it is added: "extend our little trip by".
_LEAD = 48
_SIGNS = ((1, "later"), (-1, "earlier"), (1, "more"), (-1, "less"))  # "más tarde" is no "más"
_VERBS = ((1, "raising"), (-1, "lowering"))
_END_OF_CLAUSE = re.compile(r"[.,;:!?。，、！？\n]")
_PERCENT = 100


@dataclass(frozen=True, slots=True)
class Difference:
    """`start` to `end` are all its words, `first` to `last` those of the amount."""

    start: int
    end: int
    first: int
    last: int
    sign: int = 0
    factor: float | None = None
    #: The amount in a form of its own: a length, a sum with its currency, one person.
    amount: Span | None = None
    #: Whether it says later or earlier, not more or less.
    moves: bool = False
    #: Whether its word stands beside the amount ("one more"), and is not a verb.
    is_beside: bool = False
    #: Whether nobody could reckon with it: "a few more".
    is_vague: bool = False

    def covers(self, one: Span) -> bool:
        return one.start < self.last and self.first < one.end

    @property
    def is_length(self) -> bool:
        return self.amount is not None and str(self.amount.value).startswith("P")

    def of(self, known: JsonValue, said: Span | None = None) -> JsonValue:
        """Return what it makes of the known value; None where nobody can tell. `said` is the
        amount as the field reads it."""
        if self.is_vague:
            return None
        if self.factor is not None:
            return times(known, self.factor)
        amount = said or self.amount
        return moved(known, amount, self.sign) if amount is not None else None

    def counted(self, shape: SlotShape, lex: Lexicon) -> Span | None:
        """Return the amount as the field counts it: a week is seven of "how many nights?"."""
        if self.amount is None or not self.is_length or shape.type not in COUNTED:
            return self.amount
        minutes = LENGTH.validate_python(self.amount.value).total_seconds() / 60
        counts = [minutes / MINUTES[unit] for unit in sorted(units_of(shape, lex))]
        whole = next((int(count) for count in counts if count >= 1 and count == int(count)), None)
        return replace(self.amount, value=whole) if whole is not None else None

    def may_be_of(self, shape: SlotShape, lex: Lexicon) -> bool:
        """Return whether a field can hold what the amount counts: no length is a sum."""
        if self.amount is None:
            return True
        if self.is_length:
            if self.moves or shape.type in OF_CALENDAR:
                return shape.type in OF_CALENDAR and (self.moves or shape.type is not SlotType.TIME)
            return shape.type is SlotType.DURATION or self.counted(shape, lex) is not None
        if self.amount.unit:
            return shape.type in (SlotType.MONEY, SlotType.NUMBER)
        return shape.type in COUNTED


def units_of(shape: SlotShape, lex: Lexicon) -> set[str]:
    """Return the units that a field counts: "how many nights?" counts days."""
    known = {**lexicon("en").units, **lex.units}
    return {known[noun] for noun in shape.nouns if noun in known}


def difference_at(
    start: int, end: int, text: str, shape: SlotShape, lex: Lexicon
) -> Difference | None:
    """Return the difference whose amount stands in these words, if the field could be changed by
    it."""
    if shape.type not in CHANGEABLE:
        return None
    words = Span(value=None, start=start, end=end)
    return next(
        (
            each
            for each in differences_in(text, lex)
            if each.covers(words) and each.may_be_of(shape, lex)
        ),
        None,
    )


def is_named(one: Difference, text: str, shape: SlotShape, lex: Lexicon) -> bool:
    """Return whether its words, or those of its clause, say which field it is of."""
    if not one.may_be_of(shape, lex) or (shape.type in OF_CALENDAR and not one.moves):
        return False
    if one.is_length or (one.amount is not None and one.amount.unit):
        return True
    clause = _clause_of(one, text)
    if shape.type is SlotType.DURATION or units_of(shape, lex):
        rest = clause.replace(text[one.start : one.end], " ")
        if lex.any_of("relative.long").search(clause) or _says(lex.units, rest, lex):
            return True
    if shape.type is SlotType.PEOPLE and lex.any_of("values.people", "relative.persons").search(
        clause
    ):
        return True
    if shape.type is SlotType.MONEY and lex.any_of("kinds.money").search(clause):
        return True
    own = [*shape.about, *shape.nouns, *nouns_said(clause, shape.question, lex)]
    return _says(own, clause, lex)


def _clause_of(one: Difference, text: str) -> str:
    before = [mark.end() for mark in _END_OF_CLAUSE.finditer(text, 0, one.start)]
    after = _END_OF_CLAUSE.search(text, one.end)
    return text[before[-1] if before else 0 : after.start() if after else len(text)]


def _says(words: Iterable[str], clause: str, lex: Lexicon) -> bool:
    return re.search(lex.alternatives(words), clause, re.IGNORECASE) is not None


# ── finding them ──


@lru_cache(maxsize=32)
def differences_in(text: str, lex: Lexicon) -> tuple[Difference, ...]:
    found = [*_factors(text, lex)]
    for amount in _amounts(text, lex):
        if any(one.covers(amount) for one in found):
            continue
        signed = _signed(amount, text, lex)
        if signed is not None:
            found.append(signed)
    return tuple(sorted(found, key=lambda one: one.start))


def _amounts(text: str, lex: Lexicon) -> list[Span]:
    """Return what may be an amount: a vague one has no value, a unit alone is one of it."""
    vague = [_span(None, one) for one in _few(lex).finditer(text)]
    percents = [_span("%", one) for one in _percent(lex).finditer(text)]
    lengths = outside(_lengths(text, lex), [*vague, *percents])
    money = outside(money_in(text, lex), [*vague, *percents, *lengths])
    taken = [*vague, *percents, *lengths, *money]
    for more in (
        numbers_in(text, lex),
        lengths_in(text, lex),
        [_span(1, one) for one in lex.any_of("relative.one").finditer(text)],
    ):
        taken += outside(more, taken)
    return taken


def _lengths(text: str, lex: Lexicon) -> Iterator[Span]:
    """Yield the lengths; of two that the same words could be, the shorter: "eine halbe Stunde" is
    no hour."""
    every = lengths_in(text, lex)
    for one in durations_in(text, lex):
        same = [each for each in every if (each.start, each.end) == (one.start, one.end)]
        yield min((one, *same), key=lambda each: LENGTH.validate_python(each.value))


def _few(lex: Lexicon) -> re.Pattern[str]:
    """Return a pattern for "a few", with what it counts: "a few more days", "几天"."""
    unit = lex.alternatives(lex.units)
    gap = r"\s+(?:[^\W\d]+\s+)?" if lex.spaced else "[个か]?"
    return lex.form(rf"<relative.few>(?:{gap}{unit})?")


def _percent(lex: Lexicon) -> re.Pattern[str]:
    return lex.form(r"(?<![\w.,])\d+(?:[.,]\d+)?\s*(?:[%％]|<relative.percent>)")


def _signed(amount: Span, text: str, lex: Lexicon) -> Difference | None:
    for sign, words in _SIGNS:
        moves = words in ("later", "earlier")
        if moves and not _is_counted_length(amount, text, lex):
            continue  # "la hora después" is no hour later
        if (place := _beside(amount, text, lex, words)) is not None:
            return replace(_made(amount, place, sign, text), moves=moves, is_beside=True)
    for sign, verb in _VERBS:
        if (place := _after_verb(amount, text, lex, verb)) is not None:
            return _made(amount, place, sign, text)
    return None


def _is_counted_length(amount: Span, text: str, lex: Lexicon) -> bool:
    return any(one.overlaps(amount) for one in durations_in(text, lex))


def _made(amount: Span, place: tuple[int, int], sign: int, text: str) -> Difference:
    one = Difference(*place, amount.start, amount.end, sign=sign)
    if amount.value is None:
        return replace(one, is_vague=True)
    if amount.value == "%":
        digits = re.match(r"[\d.,]+", amount.words(text))
        share = float((digits[0] if digits else "0").replace(",", ".")) / _PERCENT
        return replace(one, factor=1 + sign * share)
    return replace(one, amount=amount)


def _beside(amount: Span, text: str, lex: Lexicon, words: str) -> tuple[int, int] | None:
    """Return where the amount and its comparison stand: "2 more days", "a day longer"."""
    said = f"<relative.{words}>"
    gap = r"\s*(?:(?!<values.and>)[^\W\d]+\s+){0,2}?" if lex.spaced else r"\s*"
    after = lex.form(rf"{gap}{said}(?!\s+(?:than|de|als|que|dan|di|do)\s+\w*\d)")
    before = lex.form(rf"{said}{'' if lex.spaced else '[^、。，！？]?'}\s*$")  # "多住一天"
    start, end = amount.start, amount.end
    said_after = after.match(text, end)
    if said_after is not None:
        return start, said_after.end()
    if lex.spaced and lex.any_of(f"relative.{words}").search(amount.words(text)):
        return start, end
    lead = max(0, start - _LEAD)
    said_before = before.search(text[lead:start])
    if said_before is not None and not _follows_upto(amount, text, lex):
        return lead + said_before.start(), end
    return None


def _follows_upto(amount: Span, text: str, lex: Lexicon) -> bool:
    """Return whether the amount is what it shall become: "to six days", "到六天"."""
    return lex.form(r"<relative.upto>\s*$").search(text[: amount.start]) is not None


def _after_verb(amount: Span, text: str, lex: Lexicon, verb: str) -> tuple[int, int] | None:
    """Return where a verb and the amount by which it changes something stand: "extend it by two
    days", "um zwei Tage verlängern"; "extend it to six days" says the value itself."""
    start, end = amount.start, amount.end
    lead = max(0, start - _LEAD)
    lead += max((m.end() for m in _END_OF_CLAUSE.finditer(text[lead:start])), default=0)
    if _follows_upto(amount, text, lex):
        return None
    between = r"(?:\s+[^\W\d][\w'-]*){0,5}?(?:\s+|')" if lex.spaced else r"[^\d]{0,8}?"
    said_before = lex.form(rf"<relative.{verb}>{between}$").search(text[lead:start])
    if said_before is not None:
        return lead + said_before.start(), end
    between = r"\s*(?:[^\W\d]+\s+){0,2}?" if lex.spaced else r"(?!<relative.upto>)[^\d。、]{0,6}?"
    said_after = lex.form(rf"{between}<relative.{verb}_last>").match(text, end)
    return (start, said_after.end()) if said_after is not None else None


def _factors(text: str, lex: Lexicon) -> Iterator[Difference]:
    for name, factor in (("double", 2.0), ("triple", 3.0), ("halving", 0.5)):
        for match in lex.any_of(f"relative.{name}").finditer(text):
            yield Difference(*match.span(), *match.span(), factor=factor)
    multiplied = lex.form(r"\s*<relative.times>")
    for number in numbers_in(text, lex):
        by = multiplied.match(text, number.end)
        if by is None or not isinstance(number.value, int | float) or number.value <= 0:
            continue
        less = lex.any_of("relative.less").search(by[0])
        factor = 1 / number.value if less else float(number.value)
        yield Difference(number.start, by.end(), number.start, by.end(), factor=factor)


def _span(value: JsonValue, match: re.Match[str]) -> Span:
    return Span(value=value, start=match.start(), end=match.end())
