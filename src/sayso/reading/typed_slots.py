"""Values with a form of their own (days, times, lengths, amounts, counts, choices), and which of
several slots each belongs to: "from the 9th until the 12th"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

from sayso.reading.lexicon import Lexicon
from sayso.reading.parsers.choices import is_none
from sayso.reading.parsers.durations import MINUTES, iso
from sayso.reading.parsers.numbers import in_digits
from sayso.reading.slot_filling import SlotFilling
from sayso.reading.slot_types import SlotType
from sayso.reading.slot_values import noun_after, slot_values_in
from sayso.reading.span import Span

#: The order in which types may claim words.
_IN_ORDER = (
    SlotType.MOMENT,
    SlotType.DATE,
    SlotType.TIME,
    SlotType.MONEY,
    SlotType.COUNT,
    SlotType.DURATION,
    SlotType.PEOPLE,
    SlotType.NUMBER,
    SlotType.CHOICE,
    SlotType.BOOLEAN,
)
#: Types of which a "no" says something: "no breakfast".
_DENIED = (SlotType.BOOLEAN, SlotType.CHOICE)
#: Types whose slots are told apart by the words before a value.
_WITH_PARTS = (SlotType.DATE, SlotType.TIME, SlotType.CHOICE, SlotType.MOMENT)
#: Types that a bare number could be meant for.
_BARE = (
    *(SlotType.COUNT, SlotType.PEOPLE, SlotType.NUMBER, SlotType.MONEY, SlotType.DURATION),
    *(SlotType.TIME, SlotType.DATE, SlotType.TEXT),
)
_ROLES = {
    "start": "roles.start",
    "end": "roles.end",
    "origin": "roles.origin",
    "goal": "roles.goal",
}
#: How many characters before a value may say which slot it belongs to.
_LEAD = 40


def find_typed(filling: SlotFilling) -> None:
    for slot_type in _IN_ORDER:
        _fill(filling, slot_type)


def _fill(filling: SlotFilling, slot_type: SlotType) -> None:
    reading = filling.reading
    slots = filling.open(slot_type)
    free: dict[str, list[Span]] = {}
    for name in slots:
        spans = slot_values_in(
            filling.denying if slot_type in _DENIED else filling.text,
            filling.shapes[name],
            filling.lex,
            today=filling.today,
            asked=name in reading.asked,
        )
        spans = _concluded(filling, name) or spans
        free[name] = [
            filling.as_known(name, one)
            for one in spans
            if filling.is_free(one)
            and not _is_courtesy(filling, one, slot_type)
            and _stands(filling, one, slot_type)
            and not _is_since(filling, one, slot_type)
            and not _is_out_of_time(filling, one, name, slots)
        ]
    # Slots that were asked for come first, then those not known yet, then days that lie ahead.
    order = sorted(
        slots,
        key=lambda name: (
            name not in reading.asked,
            name in reading.known,
            name not in reading.asked and filling.shapes[name].tense == "past",
        ),
    )
    several = slot_type in _WITH_PARTS and len(slots) > 1
    if several:
        for name in order:
            best = next(
                (m for m in free[name] if slot_named_before(filling, m, slots) == name), None
            )
            if best is not None:
                filling.take(name, [best])
    told_to = [name for name in slots if name in reading.asked]
    if several and len(told_to) == 1 and len(free[told_to[0]]) == 1:
        filling.take(told_to[0], free[told_to[0]])  # one was asked for, and one is said
    for name in order:
        left = [m for m in free[name] if filling.is_free(m)] if name not in filling.found else []
        if several:
            left = [m for m in left if slot_named_before(filling, m, slots) in (None, name)]
        if not left:
            continue
        # The last word counts: "the 5th, no, the 6th".
        one = [_amended(filling, left[-1]) if filling.is_anew() else left[0]]
        taken = left if filling.shapes[name].is_list else one
        if (
            _is_a_guess(filling, name, taken)
            or _is_either(filling, name, left)
            or (several and _is_for_either(filling, name, left, free))
        ):
            filling.ambiguous.setdefault(name, taken)
            filling.use_up(taken[0].start, taken[-1].end)
        else:
            filling.take(name, taken)


def _amended(filling: SlotFilling, span: Span) -> Span:
    """Return a count or a length with the number that corrects it: "two nights, oops, three"."""
    words = in_digits(filling.text, filling.lex)
    match = _amending(filling.lex).search(words, span.end)
    if match is None or isinstance(span.value, bool):
        return span
    number, (start, end) = int(match[1]), match.span(1)
    while end < len(words) and filling.text[end - 1 : end + 1].isalpha():
        end += 1  # digits are shorter than the words they stand for
    if isinstance(span.value, int):
        return Span(value=number, start=start, end=end)
    if span.unit in MINUTES and isinstance(span.value, str) and span.value[:1] == "P":
        return Span(value=iso(number * MINUTES[span.unit]), start=span.start, end=end)
    return span


def _amending(lex: Lexicon) -> re.Pattern[str]:
    gap = r"[\s,]" if lex.spaced else "[、，]"
    return lex.form(rf"(?!<clauses.negation>\s)<orders.anew>{gap}*(\d{{1,4}})(?![\d.,:/])")


def _concluded(filling: SlotFilling, name: str) -> list[Span]:
    """Return the value that sums up what comes before it: "me, my wife and the kids, so 6"."""
    lex, shape = filling.lex, filling.shapes[name]
    if name not in filling.reading.asked or shape.type not in (*_BARE, SlotType.DATE):
        return []
    comes = [*lex.any_of("values.concluding").finditer(filling.text)]
    if not comes or not re.search(r"\w", filling.text[: comes[-1].start()]):
        return []
    at = comes[-1].end()
    found = slot_values_in(filling.text[at:], shape, lex, today=filling.today, asked=True)
    return [replace(one, start=one.start + at, end=one.end + at) for one in found]


def _is_a_guess(filling: SlotFilling, name: str, spans: list[Span]) -> bool:
    """Return whether the words leave open which value is meant ("3 or 4"), or for which of several
    questions: a bare "4"."""
    shape, text, asked = filling.shapes[name], filling.text, filling.reading.asked
    if shape.type in _BARE and filling.lex.any_of("doubts.laughing").search(filling.whole):
        return True  # "a million haha"
    if not shape.is_list and _is_one_of_two(filling, spans[0]):
        return True
    counts = shape.type is SlotType.COUNT and noun_after(spans[0], text, filling.lex)
    rivals = [
        other
        for other in asked
        if other != name
        and other not in filling.found
        and (shape.type is SlotType.BOOLEAN or _takes_a_number(filling, other))
        and not (counts and filling.shapes[other].type is not SlotType.COUNT)
    ]
    if name not in asked or not rivals:
        return False
    plain = slot_values_in(text, shape, filling.lex, today=filling.today)
    return not any(one.start <= spans[0].start < one.end for one in plain)


def _is_courtesy(filling: SlotFilling, span: Span, slot_type: SlotType) -> bool:
    """Return whether a "please" that would say yes belongs to another value: "economy please"."""
    begs = filling.lex.any_of("values.tails").fullmatch(span.words(filling.text)) is not None
    return begs and slot_type is SlotType.BOOLEAN and bool(filling.found)


def _is_either(filling: SlotFilling, name: str, spans: list[Span]) -> bool:
    """Return whether the person leaves it open: "Tuesday or Wednesday"."""
    parts = filling.lex.form(r"[\s?,;]*<values.or>\s*(?:<dates.the|dates.of>\s*)?")
    between = (filling.text[a.end : b.start] for a, b in pairwise(spans))
    return name in filling.reading.asked and any(parts.fullmatch(words) for words in between)


def _is_for_either(
    filling: SlotFilling, name: str, spans: list[Span], free: dict[str, list[Span]]
) -> bool:
    """Return whether as few values were said as several questions of this type could take."""
    shape, asked = filling.shapes[name], filling.reading.asked
    rivals = [one for one in filling.open(shape.type) if one in asked and one != name]
    told = slot_named_before(filling, spans[0], [name, *rivals]) is not None
    said = {one.start for row in free.values() for one in row if filling.is_free(one)}
    return (
        name in asked and not told and 0 < len(rivals) >= len(said | {one.start for one in spans})
    )


def _takes_a_number(filling: SlotFilling, name: str) -> bool:
    shape = filling.shapes.get(name)
    return shape is not None and shape.type in _BARE


def _is_one_of_two(filling: SlotFilling, span: Span) -> bool:
    """ "3 or 4", "between 40 and 50", "2-3 days"."""
    lex, or_ = filling.lex, "(?:<values.or>|-)"
    number = r"(?:\d|[一二三四五六七八九十]|<times.half_past>)"
    after = lex.form(rf"\s*{or_}\s*(?:\w+\s+)?{number}")
    before = lex.form(rf"{number}\S*\s*{or_}\s*(?:<dates.the>\s*)?$|<values.between>\s(?:.*\s)?$")
    digits = in_digits(filling.text, lex)
    lead, rest = digits[: span.start], digits[span.end :]
    return any(
        (after.match(rest), before.search(lead), lex.form(r"\s*<values.vaguely>").match(rest))
    )


def _is_since(filling: SlotFilling, span: Span, slot_type: SlotType) -> bool:
    """Return whether a day is only where something began: "since Monday I can hardly walk"."""
    lead = filling.text[max(0, span.start - _LEAD) : span.start]
    since = filling.lex.form(r"<dates.since>\s*$")
    return slot_type is SlotType.DATE and since.search(lead) is not None


def _is_out_of_time(filling: SlotFilling, span: Span, name: str, slots: Iterable[str]) -> bool:
    """Return whether a day is on the wrong side of today: to come, where this slot looks back, or
    past, where it looks ahead and another looks back."""
    shape, today = filling.shapes[name], filling.today
    looks_back = any(filling.shapes[one].tense == "past" for one in slots)
    if shape.type is not SlotType.DATE or not looks_back or not today:
        return False
    if not isinstance(span.value, str):
        return False
    now = today.isoformat()
    return span.value > now if shape.tense == "past" else span.value < now


def _stands(filling: SlotFilling, span: Span, slot_type: SlotType) -> bool:
    """Return whether the span is stated: of what is denied, only "no" and "none" are."""
    stated = span.words(filling.text) == span.words(filling.denying)
    return stated or slot_type is SlotType.BOOLEAN or is_none(span.value)


def slot_named_before(filling: SlotFilling, span: Span, among: Iterable[str]) -> str | None:
    """Return the slot whose own words, or role words, stand nearest before a span."""
    text = filling.text
    start = max((text.rfind(sign, 0, span.start) for sign in ".!?;\n"), default=-1) + 1
    before = [m.end for ms in filling.found.values() for m in ms if m.end <= span.start]
    lead = text[max([start, *before, span.start - _LEAD]) : span.start]
    best, at = None, -1
    for name in among:
        for end in _leads(filling, name, among, lead):
            if end > at:
                best, at = name, end
    return best


def _leads(filling: SlotFilling, name: str, among: Iterable[str], lead: str) -> Iterator[int]:
    """Yield the ends of words that say that what follows belongs to this slot."""
    lex, shape = filling.lex, filling.shapes[name]
    others = {w for other in among if other != name for w in filling.shapes[other].about}
    own = lex.alternatives(word for word in shape.about if word not in others)
    for match in re.finditer(own, lead, re.IGNORECASE):
        yield match.end()
    if shape.role not in _ROLES:
        return
    close = set(lex.words("roles", "close"))
    near = lex.form(r"\W*(?:<roles.near>\W*)*")
    for match in lex.any_of(_ROLES[shape.role]).finditer(lead):
        # "to" means the day only right before it: "I want to book a table for Saturday".
        if match[0].casefold() not in close or near.fullmatch(lead, match.end()):
            yield match.end()
