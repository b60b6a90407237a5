"""Every value of one slot's type in a text, as JSON of the slot's own type. The rules fill slots
with it, and the evidence check tests quotes with it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from functools import cache

from pydantic import JsonValue

from sayso.reading.frame_words import frame_words
from sayso.reading.lexicon import Lexicon
from sayso.reading.parsers.choices import choices_in, told_about, told_of, yes_or_no
from sayso.reading.parsers.codes import groups_in
from sayso.reading.parsers.dates import dates_in
from sayso.reading.parsers.durations import durations_in
from sayso.reading.parsers.names import closed_words
from sayso.reading.parsers.numbers import money_in, numbers_in
from sayso.reading.parsers.other_days import parsed_day
from sayso.reading.parsers.people import bare_counts_in, counted_in, people_in
from sayso.reading.parsers.times import in_the_evening, is_led, led_hours_in, times_in
from sayso.reading.question_words import counters_of, nouns_said
from sayso.reading.slot_types import SlotShape, SlotType
from sayso.reading.span import Span, apart, outside


def slot_values_in(
    text: str, shape: SlotShape, lex: Lexicon, *, today: date | None, asked: bool = False
) -> list[Span]:
    """Find values of a type that has a form of its own; none for places, names and free text.

    `asked`: the person was just asked for it, so that a bare "7" may be one.
    """
    found = _found(text, shape, lex, today=today, asked=asked)
    return [one for one in (_fitted(m, text, shape, lex) for m in found) if one is not None]


def _found(
    text: str, shape: SlotShape, lex: Lexicon, *, today: date | None, asked: bool
) -> list[Span]:
    match shape.type:
        case SlotType.DATE:
            found = dates_in(text, lex, today, shape.tense)
            return found or (parsed_day(text, lex, today, shape.tense) if asked else [])
        case SlotType.TIME:
            days = dates_in(text, lex, today)
            return outside(times_in(_blanked(text, days), lex, asked=asked), days)
        case SlotType.MOMENT:
            return _moments(text, shape, lex, today)
        case SlotType.DURATION:
            # The week of "a week on Thursday" is no length.
            found = outside(durations_in(text, lex), dates_in(text, lex, today))
            return found or (_in_days(text, shape, lex) if asked else [])
        case SlotType.MONEY:
            return _amounts(text, shape, lex, asked=asked)
        case SlotType.NUMBER:
            numbers = numbers_in(text, lex)
            near = _near(numbers, text, shape, lex)
            money = [one for one in money_in(text, lex) if one.unit]
            return near or money or (_lone(numbers, text, lex) if asked else [])
        case SlotType.PEOPLE:
            found = apart([*people_in(text, lex), *counted_in(text, lex, shape.nouns)])
            return found or (_lone(_bare(text, lex, today), text, lex) if asked else [])
        case SlotType.COUNT:
            nouns = (
                *shape.nouns,
                *nouns_said(text, shape.question, lex),
                *counters_of(shape.question),
            )
            bare = _bare(text, lex, today)
            found = counted_in(text, lex, nouns) or _near(bare, text, shape, lex)
            if found or not asked:
                return found
            return _lone(bare, text, lex) or _counted(bare, text, shape, lex)
        case SlotType.CHOICE:
            return choices_in(text, shape.choices, lex, shape.about, asked=asked)
        case SlotType.BOOLEAN:
            told = _told(text, shape, lex, asked=asked)
            return [told] if told is not None else []
        case _:
            return []


def _fitted(one: Span, text: str, shape: SlotShape, lex: Lexicon) -> Span | None:
    """Convert the value to the slot's JSON type; a slot of plain text keeps the person's words."""
    value: JsonValue = one.value
    if shape.choices:
        said = str(value).casefold()
        chosen = next((c for c in shape.choices if c.casefold() == said), None)
        if chosen is None:
            return None
        value = int(chosen) if shape.json_type == "integer" else chosen
    elif shape.json_type == "string" and shape.type is SlotType.COUNT:
        numbers = numbers_in(one.words(text), lex)
        said = numbers[0].words(one.words(text)) if numbers else str(value)
        value = str(value) if value is not None and not numbers else said
    elif shape.json_type == "string" and not shape.has_format:
        value = one.words(text)
    elif shape.json_type == "object":
        value = {"amount": value, **({"currency": one.unit} if one.unit else {})}
    elif value is None:
        return None
    return replace(one, value=value)


def _in_days(text: str, shape: SlotShape, lex: Lexicon) -> list[Span]:
    """Read a bare number as a length, where the slot is asked for in days or weeks."""
    units = {"day": 1440, "week": 10080}
    said = {lex.units[noun] for noun in shape.nouns if noun in lex.units}
    unit = next((u for u in units if u in said), None)
    if unit is None:
        return []
    days = units[unit] // 1440
    return [
        replace(n, value=f"P{int(n.value) * days}D")
        for n in _lone(numbers_in(text, lex), text, lex)
        if isinstance(n.value, int)
    ]


def _moments(text: str, shape: SlotShape, lex: Lexicon, today: date | None) -> list[Span]:
    days = dates_in(text, lex, today, shape.tense)
    rest = _blanked(text, days)
    times = times_in(rest, lex) or led_hours_in(rest, lex)
    if not days or not times:
        return []
    start = min(days[0].start, times[0].start)
    end = max(days[0].end, times[0].end)
    time = in_the_evening(times[0], text, lex).value
    value = f"{days[0].value}T{time}" if days[0].value else None
    return [Span(value=value, start=start, end=end)]


def _amounts(text: str, shape: SlotShape, lex: Lexicon, *, asked: bool) -> list[Span]:
    found = money_in(text, lex)
    if found:
        return found
    numbers = [n for n in _bare(text, lex, None) if n.value != 0]
    decimals = [n for n in numbers_in(text, lex) if isinstance(n.value, float)]
    near = _near([*numbers, *decimals], text, shape, lex) or _with_cents(decimals, text, lex)
    return near or (_lone([*numbers, *decimals], text, lex) if asked else [])


def _with_cents(decimals: Iterable[Span], text: str, lex: Lexicon) -> list[Span]:
    """Keep the amounts with two decimals as they are written in this language: "86.50", "86,50"."""
    point = r"\." if lex.code in ("en", "ja", "zh") else ","
    cents = re.compile(rf"\d+{point}\d\d")
    found = [
        one
        for one in decimals
        if cents.fullmatch(one.words(text)) and not is_led(text, one.start, lex)
    ]
    return outside(found, times_in(text, lex))


def _bare(text: str, lex: Lexicon, today: date | None) -> list[Span]:
    """Find whole numbers that are part of no day, time, length or amount."""
    money = [one for one in money_in(text, lex) if one.unit]
    others = [*dates_in(text, lex, today), *times_in(text, lex), *money, *groups_in(text)]
    return outside(bare_counts_in(text, lex), others)


def _lone(numbers: Iterable[Span], text: str, lex: Lexicon) -> list[Span]:
    """Keep the numbers that count or number nothing beside them: not "12 Main Street", "in room
    214", nor "a" in "a minute"."""
    if not lex.spaced:
        return list(numbers)
    closed = closed_words(lex)
    small = _articles(lex)
    found = []
    for number in numbers:
        after = re.compile(r"[ \t-]*([^\W\d_]{2,})").match(text, number.end)
        before = re.search(r"([^\W\d_]+)\s+([^\W\d_]+)\s+#?$", text[: number.start])
        numbers_it = (
            before is not None
            and before[1].casefold() in small
            and (before[2].casefold() not in closed)
        )
        counts = (
            after is not None
            and after[1].casefold() not in closed
            and not lex.any_of("values.tails").match(text, after.start(1))
        )
        if isinstance(number.value, float) or not (numbers_it or counts):
            found.append(number)
    return found


def _counted(numbers: Sequence[Span], text: str, shape: SlotShape, lex: Lexicon) -> list[Span]:
    """Return the one number where it, its noun and small words make up the clause: "200 flyers"
    answers "How many copies?". What somebody has ("we have two stoves") is another thing, and so
    is what has another unit than the one asked for."""
    if len(numbers) != 1 or isinstance(numbers[0].value, float):
        return []
    one, noun = numbers[0], noun_after(numbers[0], text, lex)
    before = re.split(r"[,.;!?\n]", text[: one.start])[-1].casefold()
    led = all(word in frame_words(lex) for word in _WORDS.findall(before))
    if not noun or not led:
        return []
    units = tuple(unit for unit in shape.nouns if unit in lex.units)
    of_another = units and not noun.endswith(units)  # "zehn Arbeitstage" are days
    has = lex.any_of("clauses.subjects").search(before) is not None
    wanted = lex.any_of("orders.wanted").search(before) is not None
    return [one] if wanted or not (has or of_another) else []


def noun_after(number: Span, text: str, lex: Lexicon) -> str:
    """Return the noun behind a number that nothing but a small word follows, and that is no unit;
    "" where there is none."""
    match = _NOUN.match(text, number.end) if lex.spaced else None
    if match is None:
        return ""
    noun, small = match[1].casefold(), frame_words(lex)
    ends = not match[2] or match[2].casefold() in small
    return noun if ends and noun not in small and noun not in lex.currencies else ""


_NOUN = re.compile(r"\s+([^\W\d_][\w'-]{2,})(?:\s+(\w+)|\s*(?:[,.;!\n]|$))")
_WORDS = re.compile(r"[^\W\d_]+")


@cache
def _articles(lex: Lexicon) -> frozenset[str]:
    """Return the small words before a noun: "in", "the"."""
    lists = (("orders", "the"), ("roles", "place"), ("roles", "origin"), ("dates", "the"))
    return frozenset(word for each in lists for word in lex.words(*each))


def _near(numbers: Iterable[Span], text: str, shape: SlotShape, lex: Lexicon) -> list[Span]:
    """Keep the numbers beside the slot's own words: "a budget of 3000"."""
    about = lex.alternatives((*shape.about, *nouns_said(text, shape.question, lex)))
    before = lex.form(rf"{about}[^.!?;\d]{{0,16}}$")
    after = lex.form(rf"\s*[-\w]{{0,12}}\s*{about}")
    found = []
    for number in numbers:
        lead = text[max(0, number.start - 60) : number.start]
        if before.search(lead) or after.match(text, number.end):
            found.append(number)
    return found


def _told(text: str, shape: SlotShape, lex: Lexicon, *, asked: bool) -> Span | None:
    # Each word is followed by its other form, so every second one is a word of its own.
    words = shape.about[::2]
    all_said = bool(words) and all(
        re.search(lex.alternatives([w, w + "s", w.removesuffix("s")]), text, re.IGNORECASE)
        for w in words
    )
    if all_said and (told := told_about(text, shape.about, lex)) is not None:
        return told
    things = nouns_said(text, shape.question, lex)
    if asked:
        things += lex.words("yes", "objects")  # "add it"
    if (told := told_of(text, things, lex)) is not None:
        return told
    return yes_or_no(text, lex) if asked else None


def _blanked(text: str, taken: Iterable[Span]) -> str:
    signs = list(text)
    for one in taken:
        signs[one.start : one.end] = "\x00" * (one.end - one.start)
    return "".join(signs)
