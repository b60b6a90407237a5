"""What a slot of the gate's dialogues really is, by its name, and whether a value is the true one.

The product is given the type that an application would declare: a date is a `date`, a number an
`int`. The truth is written in people's words ("the 8th", "$1,430"), so it is read here, by a reader
of its own that shares nothing with the one it judges.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal, InvalidOperation
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue


class SlotKind(StrEnum):
    TEXT = "text"
    DATE = "date"
    TIME = "time"
    NUMBER = "number"
    MONEY = "money"
    YES_NO = "yes_no"
    CHOICE = "choice"


#: The words of a slot's name that tell its kind, the first that fits; a categorical slot tells by
#: its values (`kind_of`). "number" counts only at the start: a phone number is none.
KINDS: Sequence[tuple[str, SlotKind]] = (
    (r"^_(?:number|num)_|_num_", SlotKind.NUMBER),
    (
        r"_(?:guests|passengers|people|riders|rooms|seats|tickets|travelers|travellers)$",
        SlotKind.NUMBER,
    ),
    (r"_(?:group_size|nights|party_size|stay|stay_length)$", SlotKind.NUMBER),
    (r"_(?:time|leaveat|leave_at|arriveby|arrive_by)(?:_|$)", SlotKind.TIME),
    (r"_(?:date|day)(?:_|$)", SlotKind.DATE),
    (r"_(?:amount|budget|fare)(?:_|$)|_price$", SlotKind.MONEY),
)

#: Values this alike are the same, once their words are sorted: a typing error, a leading "the".
ALIKE = 0.88
#: What a person says who leaves a value to the other side.
NO_MATTER = "dontcare"


def kind_of(name: str, values: Sequence[str] = (), *, categorical: bool = False) -> SlotKind:
    """Return what a slot is: by its closed values if it has any, else by its name."""
    closed = {value.lower() for value in values} - {NO_MATTER} if categorical else set()
    if closed and closed <= {"true", "false", "yes", "no"}:
        return SlotKind.YES_NO
    if closed and all(value.isdecimal() for value in closed):
        return SlotKind.NUMBER
    if closed:
        return SlotKind.CHOICE
    words = re.sub(r"[^a-z0-9]+", "_", name.lower())
    return next((kind for form, kind in KINDS if re.search(form, f"_{words}")), SlotKind.TEXT)


def type_of(kind: SlotKind, values: Sequence[str] = ()) -> Any:
    """Return the type that an application would declare for it."""
    match kind:
        case SlotKind.DATE:
            return date
        case SlotKind.TIME:
            return time
        case SlotKind.NUMBER:
            numbers = [int(value) for value in values if value.isdecimal()]
            bounds = Field(ge=min(numbers), le=max(numbers)) if numbers else Field(ge=0)
            return Annotated[int, bounds]
        case SlotKind.MONEY:
            return Annotated[Decimal, Field(ge=0)]
        case SlotKind.YES_NO:
            return bool
        case SlotKind.CHOICE:
            return Literal[tuple(value for value in values if value != NO_MATTER)]
        case SlotKind.TEXT:
            return str


@dataclass(frozen=True, slots=True)
class Heard:
    """A value as the product holds it, and the words that it took it from."""

    value: JsonValue
    words: str = ""


def is_true(heard: Heard | None, forms: Sequence[str], kind: SlotKind, today: date) -> bool:
    """Return whether a value is what the accepted forms say. None is right where they leave it
    open, and so is a default: nobody said it."""
    is_open = any(form.lower() == NO_MATTER for form in forms)
    if heard is None or heard.value is None:
        return is_open
    if is_open and not heard.words:
        return True
    wanted = values_in(forms, kind, today)
    if wanted:
        return _comparable_value(heard.value, kind) in wanted
    # Words that the reader here does not know: the product took them, so compare the words.
    return same(str(heard.value), forms) or bool(heard.words and same(heard.words, forms))


def values_in(forms: Sequence[str], kind: SlotKind, today: date) -> set[JsonValue]:
    """Return the values that all the accepted forms of one truth can mean; empty where none of them
    can be read."""
    read = [found for form in forms if (found := set(_values(_even(form), kind, today)))]
    common = set.intersection(*read) if read else set()
    return common or set().union(*read)


def same(said: str, accepted: Sequence[str]) -> bool:
    """Return whether a value is one of the accepted forms: equal, nearly so in any order of its
    words, or the greater part of one."""
    one = _comparable(said)
    for form in accepted:
        other = _comparable(form)
        if one == other or _alike(one, other) >= ALIKE:
            return True
        shorter, longer = sorted((one, other), key=len)
        if len(one) > 3 and shorter in longer and len(shorter) / len(longer) > 0.5:
            return True
    return False


# ── the truth, read ──

_MONTHS = [name.lower() for name in calendar.month_name[1:]]
_DAYS = [name.lower() for name in calendar.day_name]
_TO_NINETEEN = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_NUMBERS = {word: n for n, word in enumerate(_TO_NINETEEN.split())}
_NUMBERS |= {word: 10 * n for n, word in enumerate(_TENS.split(), 2)}


def _values(form: str, kind: SlotKind, today: date) -> Iterable[JsonValue]:
    match kind:
        case SlotKind.DATE:
            return (day.isoformat() for day in _dates(form, today))
        case SlotKind.TIME:
            return (at.isoformat() for at in _times(form))
        case SlotKind.NUMBER | SlotKind.MONEY:
            return _numbers(form)
        case SlotKind.YES_NO:
            return [form in ("true", "yes")] if form in ("true", "yes", "false", "no") else ()
        case SlotKind.CHOICE | SlotKind.TEXT:
            return ()


def _dates(form: str, today: date) -> Iterable[date]:
    near = {"today": 0, "later today": 0, "tonight": 0, "tomorrow": 1, "day after tomorrow": 2}
    form = re.sub(r"^(?:the|on) ", "", form)
    if form in near:
        yield today + timedelta(days=near[form])
    if iso := re.fullmatch(r"(\d{4})-(\d\d?)-(\d\d?)", form):
        yield date(*map(int, iso.groups()))
    months = "|".join(f"{month[:3]}(?:{month[3:]})?" for month in _MONTHS)
    for pattern in (
        rf"(?P<month>{months})\.? (?:the )?(?P<day>\d\d?)(?:st|nd|rd|th)?(?:,? (?P<year>\d{{4}}))?",
        rf"(?P<day>\d\d?)(?:st|nd|rd|th)? (?:of )?(?P<month>{months})(?:,? (?P<year>\d{{4}}))?",
        r"(?P<day>\d\d?)(?:st|nd|rd|th)(?: of (?:this|the) month)?",
    ):
        if said := re.fullmatch(pattern, form):
            parts = said.groupdict()
            yield from _calendar_day(parts, today)
    if said := re.fullmatch(
        rf"(this |next |coming )?({'|'.join(_DAYS)})( this week| next week)?", form
    ):
        weekday, week = _DAYS.index(said[2]), (said[1] or said[3] or "").strip()
        ahead = (weekday - today.weekday()) % 7
        if week == "next week":
            yield today + timedelta(days=weekday + 7 - today.weekday())
            return
        if ahead or week != "next":
            yield today + timedelta(days=ahead)
        if week == "next" or not ahead:
            yield today + timedelta(days=ahead + 7)


def _calendar_day(parts: dict[str, str | None], today: date) -> Iterable[date]:
    day, name, year = int(parts["day"] or 0), parts.get("month"), parts.get("year")
    month = next((n for n, m in enumerate(_MONTHS, 1) if name and m.startswith(name[:3])), None)
    years = [int(year)] if year else [today.year, today.year + 1]
    months = [month] if month else [today.month, today.month % 12 + 1]
    for one_year in years:
        for one_month in months:
            try:
                found = date(one_year, one_month, day)
            except ValueError:
                continue
            if year or found >= today:
                yield found
                return


def _times(form: str) -> Iterable[time]:
    form = re.sub(r"\bo.?clock\b|\b(?:at|in the|around|about)\b", " ", form)
    form = re.sub(r"(?<=\d)\.(?=\d\d)", ":", form.replace("a.m", "am").replace("p.m", "pm"))
    form = re.sub(r"(?<=\d)(?=[ap]m)", " ", form).replace(".", "")
    words = form.split()
    late = {"pm", "afternoon", "evening", "night", "tonight"} & set(words)
    early = {"am", "morning"} & set(words)
    if words in (["noon"], ["midday"], ["12", "noon"]):
        yield time(12)
    if words in (["midnight"],):
        yield time(0)
    if "past" in words or "to" in words or "til" in words:
        clock = _spoken_clock(words)
    else:
        found = re.search(r"\b(\d\d?)(?::(\d\d))?\b", " ".join(words))
        word = next((w for w in words if w in _NUMBERS), None)
        if found is not None:
            clock = (int(found[1]), int(found[2] or 0))
        else:
            clock = (_NUMBERS[word], 0) if word is not None else None
    if clock is None or clock[0] > 23 or clock[1] > 59:
        return
    hour, minute = clock
    if hour > 12 or (not late and hour == 0):
        yield time(hour, minute)
        return
    if not early:
        yield time(hour % 12 + 12, minute)
    if not late:
        yield time(hour % 12, minute)


def _spoken_clock(words: Sequence[str]) -> tuple[int, int] | None:
    """Read "half past 6" and "quarter to 5"."""
    middle = next(n for n, word in enumerate(words) if word in ("past", "to", "til"))
    before, after = words[:middle], words[middle + 1 :]
    count = next((n for w in before if (n := _number(w))), 0)
    hour = next((n for w in after if (n := _number(w))), None)
    if hour is None:
        return None
    return (hour, count) if words[middle] == "past" else ((hour - 1) or 12, 60 - count)


def _number(word: str) -> int | None:
    said = {**_NUMBERS, "half": 30, "quarter": 15}
    return int(word) if word.isdecimal() else said.get(word)


def _numbers(form: str) -> Iterable[JsonValue]:
    if digits := re.search(r"\d[\d,]*(?:\.\d+)?", form):
        yield _plain_number(digits[0].replace(",", ""))
        return
    total, part, found = 0, 0, False
    for word in re.split(r"[\s-]+", form):
        if word in _NUMBERS:
            part, found = part + _NUMBERS[word], True
        elif word == "hundred":
            part = (part or 1) * 100
        elif word == "thousand":
            total, part = total + (part or 1) * 1000, 0
    if found:
        yield _plain_number(str(total + part))


def _plain_number(text: str) -> str:
    try:
        return format(Decimal(text).normalize(), "f")
    except InvalidOperation:
        return text


def _comparable_value(value: JsonValue, kind: SlotKind) -> JsonValue:
    if kind in (SlotKind.NUMBER, SlotKind.MONEY):
        return _plain_number(str(value))
    if kind is SlotKind.TIME and isinstance(value, str):
        return value[:8].removesuffix("Z")
    return value


def _even(form: str) -> str:
    return re.sub(r"\s+", " ", form.lower().replace("’", "'")).strip(" .!?,")


def _alike(one: str, other: str) -> float:
    """Twice the common letters over all letters, with the words sorted."""
    left, right = " ".join(sorted(one.split())), " ".join(sorted(other.split()))
    if not left or not right:
        return 0.0
    return SequenceMatcher(None, left, right, autojunk=False).ratio()


def _comparable(text: str) -> str:
    return re.sub(r"[^\w:. ]|_", "", text.lower().strip()).replace("  ", " ")
