"""What words say for one slot: every value of the slot's kind that a text holds, as JSON of the
slot's own type. The rules fill slots with it, and the evidence check tests quotes with it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import date

from pydantic import JsonValue

from sayso.gate.kinds import Kind, Shape
from sayso.gate.lexicon import Lexicon
from sayso.gate.parsers.choices import choices_in, told_about, yes_or_no
from sayso.gate.parsers.clock import times_in
from sayso.gate.parsers.dates import dates_in
from sayso.gate.parsers.durations import durations_in
from sayso.gate.parsers.mention import Mention, apart, outside
from sayso.gate.parsers.numbers import money_in, numbers_in
from sayso.gate.parsers.people import bare_counts_in, counted_in, people_in


def typed_in(
    text: str, shape: Shape, lex: Lexicon, *, today: date | None, asked: bool = False
) -> list[Mention]:
    """Values of a kind that has a form of its own; none for places, names and free text. `asked`:
    the person was just asked for it, so that a bare "7" may be one."""
    found = _found(text, shape, lex, today=today, asked=asked)
    return [one for one in (_fitted(m, text, shape, lex) for m in found) if one is not None]


def _found(
    text: str, shape: Shape, lex: Lexicon, *, today: date | None, asked: bool
) -> list[Mention]:
    match shape.kind:
        case Kind.DATE:
            return dates_in(text, lex, today)
        case Kind.TIME:
            days = dates_in(text, lex, today)
            return outside(times_in(_blanked(text, days), lex, asked=asked), days)
        case Kind.MOMENT:
            return _moments(text, lex, today)
        case Kind.DURATION:
            found = durations_in(text, lex)
            return found or (_in_days(text, shape, lex) if asked else [])
        case Kind.MONEY:
            return _amounts(text, shape, lex, asked=asked)
        case Kind.NUMBER:
            near = _near(numbers_in(text, lex), text, shape, lex)
            return near or (numbers_in(text, lex) if asked else [])
        case Kind.PEOPLE:
            found = apart([*people_in(text, lex), *counted_in(text, lex, shape.nouns)])
            return found or (_bare(text, lex, today) if asked else [])
        case Kind.COUNT:
            found = counted_in(text, lex, shape.nouns) or _near(
                _bare(text, lex, today), text, shape, lex
            )
            return found or (_bare(text, lex, today) if asked else [])
        case Kind.CHOICE:
            return choices_in(text, shape.choices, lex, shape.about, asked=asked)
        case Kind.BOOLEAN:
            told = _told(text, shape, lex, asked=asked)
            return [told] if told is not None else []
        case _:
            return []


def _fitted(one: Mention, text: str, shape: Shape, lex: Lexicon) -> Mention | None:
    """In the slot's own JSON type; a slot of plain text keeps the person's words."""
    value: JsonValue = one.value
    if shape.choices:
        said = str(value).casefold()
        chosen = next((c for c in shape.choices if c.casefold() == said), None)
        if chosen is None:
            return None
        value = int(chosen) if shape.type == "integer" else chosen
    elif shape.type == "string" and shape.kind is Kind.COUNT:
        numbers = numbers_in(one.words(text), lex)
        said = numbers[0].words(one.words(text)) if numbers else str(value)
        value = str(value) if value is not None and not numbers else said
    elif shape.type == "string" and not shape.has_format:
        value = one.words(text)
    elif shape.type == "object":
        value = {"amount": value, **({"currency": one.unit} if one.unit else {})}
    elif value is None:
        return None
    return replace(one, value=value)


def _in_days(text: str, shape: Shape, lex: Lexicon) -> list[Mention]:
    """A bare number where a length was asked for in days."""
    units = {"day": 1440, "week": 10080}
    unit = next((u for u in units if set(lex.words("units", u)) & set(shape.nouns)), None)
    if unit is None:
        return []
    days = units[unit] // 1440
    return [
        replace(n, value=f"P{int(n.value) * days}D")
        for n in numbers_in(text, lex)
        if isinstance(n.value, int)
    ]


def _moments(text: str, lex: Lexicon, today: date | None) -> list[Mention]:
    days = dates_in(text, lex, today)
    times = times_in(_blanked(text, days), lex)
    if not days or not times:
        return []
    start = min(days[0].start, times[0].start)
    end = max(days[0].end, times[0].end)
    value = f"{days[0].value}T{times[0].value}" if days[0].value else None
    return [Mention(value=value, start=start, end=end)]


def _amounts(text: str, shape: Shape, lex: Lexicon, *, asked: bool) -> list[Mention]:
    found = money_in(text, lex)
    if found:
        return found
    numbers = [n for n in _bare(text, lex, None) if n.value != 0]
    decimals = [n for n in numbers_in(text, lex) if isinstance(n.value, float)]
    near = _near([*numbers, *decimals], text, shape, lex)
    return near or ([*numbers, *decimals] if asked else [])


def _bare(text: str, lex: Lexicon, today: date | None) -> list[Mention]:
    """Whole numbers that are part of no day, no time and no length."""
    others = [*dates_in(text, lex, today), *times_in(text, lex), *money_in(text, lex)]
    return outside(bare_counts_in(text, lex), others)


def _near(numbers: Iterable[Mention], text: str, shape: Shape, lex: Lexicon) -> list[Mention]:
    """Numbers beside the slot's own words: "a budget of 3000"."""
    about = lex.alternatives(shape.about)
    found = []
    for number in numbers:
        before = re.search(
            rf"{about}[^.!?;\d]{{0,16}}$",
            text[max(0, number.start - 60) : number.start],
            re.IGNORECASE,
        )
        after = re.compile(rf"\s*[-\w]{{0,12}}\s*{about}", re.IGNORECASE).match(text, number.end)
        if before or after:
            found.append(number)
    return found


def _told(text: str, shape: Shape, lex: Lexicon, *, asked: bool) -> Mention | None:
    # Each own word stands with its plural, so half of the list is how many there are.
    words = shape.about[::2]
    all_said = bool(words) and all(
        re.search(lex.alternatives([w, w + "s", w.removesuffix("s")]), text, re.IGNORECASE)
        for w in words
    )
    if all_said and (told := told_about(text, shape.about, lex)) is not None:
        return told
    return yes_or_no(text, lex) if asked else None


def _blanked(text: str, taken: Iterable[Mention]) -> str:
    signs = list(text)
    for one in taken:
        signs[one.start : one.end] = "\x00" * (one.end - one.start)
    return "".join(signs)
