"""Numbers, in digits or in words, and amounts of money with their currency."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import zip_longest

from text_to_num import find_numbers  # type: ignore[import-untyped]  # compiled, without stubs

from sayso.reading.lexicon import Lexicon
from sayso.reading.span import Span, apart, read_once

_DIGITS = re.compile(
    r"(?<![A-Za-z0-9_.:/-])(?<!\d,)\d+(?:[.,'\u00a0\u202f]\d{3})*(?:[.,]\d+)?(?![\d:]|[.,]\d)"
)
#: "1 250": a space stands between thousands.
_SPACED = re.compile(
    r"(?<![\w.,:/-])[1-9]\d{0,2}(?:[ \u00a0\u202f]\d{3})+(?:[.,]\d{1,2})?(?![\d:]|[.,]\d)"
)
_CJK = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_TENS = {"十": 10, "百": 100, "千": 1000}
_GREAT = {"万": 10_000, "萬": 10_000, "亿": 100_000_000, "億": 100_000_000}
_CJK_SIGNS = "".join((*_CJK, *_TENS, *_GREAT))
_CJK_RUN = re.compile(
    rf"(?:(?<![\d.,:/-])\d+(?:\.\d+)?(?=[十百千万萬亿億]))?[{_CJK_SIGNS}](?:[{_CJK_SIGNS}]|(?<=[千万萬亿億])\d+)*"
)
#: Two signs side by side say which of two: "两三天" is no 23.
SIDE_BY_SIDE = (
    "一二",
    "一两",
    "二三",
    "两三",
    "三四",
    "三五",
    "四五",
    "五六",
    "六七",
    "七八",
    "八九",
)
#: "一下", "一起": there 一 counts nothing.
_NO_ONE = re.compile(r"一[下些样起定般直旦切]")
_SIGNS = {
    "$": "USD",
    "€": "EUR",
    "£": "GBP",
    "¥": "JPY",
    "₹": "INR",
    "US$": "USD",
    "R$": "BRL",
    "元": "CNY",
    "円": "JPY",
}
#: What a number before it multiplies: "two dozen".
MANY = (12, 1000)
#: A number of more signs is a code.
_LONGEST = 30
_TOKEN = re.compile(r"[^\W\d_]+|\d+|\s+|[^\w\s]")
_CODES = "USD|EUR|GBP|JPY|CNY|INR|CHF|CAD|AUD|BRL|MXN|SEK|NOK|DKK|PLN"


@read_once
def numbers_in(text: str, lex: Lexicon) -> list[Span]:
    """Find every number; whole ones are int."""
    found = []
    for match in (*_SPACED.finditer(text), *_DIGITS.finditer(text)):
        value = read_digits(match[0])
        if value is not None:
            many = _thousands(lex).match(text, match.end())
            end = many.end() if many else match.end()
            value = whole(value * 1000) if many else value
            found.append(Span(value=value, start=match.start(), end=end))
    found += _spoken(text, lex)
    if not lex.spaced:
        found = [one for one in found if not _CJK_RUN.match(text, one.start)]
        for match in _CJK_RUN.finditer(text):
            if _NO_ONE.match(text, match.start()):
                continue
            said = match[0][-1] if match[0] in SIDE_BY_SIDE else match[0]
            found.append(Span(value=_cjk(said), start=match.start(), end=match.end()))
    return [one for one in apart(found) if len(str(one.value)) < _LONGEST]


@lru_cache(maxsize=32)
def in_digits(text: str, lex: Lexicon) -> str:
    """Return the text with its small numbers in digits, padded to the same length."""
    signs = [*text]
    for one in _spoken(text, lex):
        said = str(one.value)
        if isinstance(one.value, int) and one.value < 60 and len(said) <= one.end - one.start:
            signs[one.start : one.end] = said.ljust(one.end - one.start)
    return "".join(signs)


@lru_cache(maxsize=32)
def with_ordinals(text: str, lex: Lexicon) -> str:
    """Return the text with its ordinals in digits, padded to the same length: "1st   of May"."""
    if not lex.spaced:
        return text
    signs = [*text]
    for one in ordinals_in(text, lex):
        said = str(one.value)
        is_weekday = one.words(text).casefold() in lex.weekdays  # "sexta"
        if 1 <= int(said) <= 31 and len(said) <= one.end - one.start and not is_weekday:
            signs[one.start : one.end] = said.ljust(one.end - one.start)
    return "".join(signs)


@read_once
def ordinals_in(text: str, lex: Lexicon) -> list[Span]:
    """Find "second" and "4th", each with its number."""
    if not lex.spaced:
        return []
    words = [*_TOKEN.finditer(text)]
    found = find_numbers([_Token(word[0]) for word in words], lex.code, 0.0)
    return [
        Span(value=int(n.value), start=words[n.start].start(), end=words[n.end - 1].end())
        for n in found
        if n.is_ordinal
    ]


def small_number(said: str) -> int:
    """Read a whole number in digits or in Chinese signs."""
    return int(said) if said.isdecimal() else _cjk(said)


def money_in(text: str, lex: Lexicon) -> list[Span]:
    """Find amounts that name a currency, or are said in thousands ("3k")."""
    found = []
    currencies = lex.currencies
    numbers = numbers_in(text, lex)
    for number in numbers:
        assert isinstance(number.value, int | float)
        value, start, end, unit = number.value, number.start, number.end, ""
        if text[start].isdigit() and _thousands(lex).search(number.words(text)):
            unit = "?"
        if before := re.search(
            rf"(?:\b[A-Z]{{1,2}}\$|[$€£¥₹]|\b(?:{_CODES}))\s?$",
            text[max(0, start - 8) : start],
            re.IGNORECASE,
        ):
            start = max(0, start - 8) + before.start()
            unit = _SIGNS.get(before[0].strip(), before[0].strip().upper())
        elif after := _currency(lex).match(text, end):
            end = after.end()
            word = after[0].strip()
            value, end = _with_cents(value, end, numbers, text, lex)
            unit = _SIGNS.get(word) or currencies.get(
                " ".join(word.casefold().split()), word.upper()
            )
        if unit:
            found.append(Span(value=whole(value), start=start, end=end, unit=unit.strip("?")))
    return apart(found)


def _with_cents(
    value: float, end: int, numbers: list[Span], text: str, lex: Lexicon
) -> tuple[float, int]:
    """Add what ends the amount behind its currency: "120 euro e cinquanta", "39 Euro 90"."""
    joint = lex.form(r"\s+(?:<values.and>\s+)?")
    for cents in numbers:
        follows = joint.fullmatch(text, end, cents.start)
        is_end = re.match(r"\s*(?:$|[.,;!?])", text[cents.end :])
        if follows and is_end and isinstance(cents.value, int) and 10 <= cents.value < 100:
            return round(value + cents.value / 100, 2), cents.end
    return value, end


def read_digits(digits: str) -> int | float | None:
    """Read digits with separators: 1,430 and 1.430 are whole, 1,5 and 1.50 are not, and 1.430,50
    and 1,430.50 are the same."""
    plain = re.sub(r"['\u00a0\u202f ]", "", digits)
    match = re.fullmatch(r"(\d{1,3}(?:[.,]\d{3})+|\d+)(?:[.,](\d+))?", plain)
    if match is None or len(plain) > _LONGEST:
        return None
    units = int(re.sub(r"[.,]", "", match[1]))
    return units if match[2] is None else whole(float(f"{units}.{match[2]}"))


@cache
def _thousands(lex: Lexicon) -> re.Pattern[str]:
    words = lex.words("money", "thousand")
    return re.compile(rf"\s?(?:{'|'.join(map(re.escape, words)) or '(?!)'})(?!\w)", re.IGNORECASE)


@cache
def _currency(lex: Lexicon) -> re.Pattern[str]:
    words = sorted([*lex.currencies, *_CODES.split("|")], key=len, reverse=True)
    edge = r"(?!\w)" if lex.spaced else ""
    joined = "|".join(re.escape(word) for word in words)
    return re.compile(rf"\s*(?:[$€£¥₹]|(?:{joined}){edge})", re.IGNORECASE)


@read_once
def _spoken(text: str, lex: Lexicon) -> list[Span]:
    """Find numbers in words; the ordinals among them ("second") count nothing."""
    found = []
    if lex.spaced:
        words = [*_TOKEN.finditer(text)]
        for one in find_numbers([_Token(word[0]) for word in words], lex.code, 0.0):
            start, end = words[one.start].start(), words[one.end - 1].end()
            # The "o" of "11 o'clock" is no zero, nor "unos" of "unos 60" or "unas tres" a one.
            is_about = one.value == 1 and lex.any_of("values.roughly").fullmatch(text, start, end)
            counts = not (text[start].isdigit() or is_about)
            if not one.is_ordinal and end - start > 1 and counts:
                found.append(Span(value=whole(one.value), start=start, end=end))
    for match in _ended(lex).finditer(text) if lex.number_endings else ():
        if (number := _stem(match["stem"].casefold(), lex.code)) is not None:
            value = whole(number + lex.number_endings[match["end"].casefold()])
            found.append(Span(value=value, start=match.start(), end=match.end()))
    for match in _others(lex).finditer(text):
        value = lex.numbers[" ".join(match[0].casefold().split())]
        found.append(Span(value=value, start=match.start(), end=match.end()))
    return found


@cache
def _ended(lex: Lexicon) -> re.Pattern[str]:
    ends = "|".join(lex.number_endings) or "(?!)"
    return re.compile(rf"(?<!\w)(?P<stem>[^\W\d_]{{2,}}?)(?P<end>{ends})(?!\w)", re.IGNORECASE)


@lru_cache(maxsize=4096)
def _stem(word: str, code: str) -> int | None:
    """Return the number that a word is but for its last letter: "quarant(e)aine"."""
    for last in ("", "e", "a", "i"):
        for one in find_numbers([_Token(word + last)], code, 0.0):
            return int(one.value)
    return None


@read_once
def joined_in(text: str, lex: Lexicon) -> list[Span]:
    """Find what numbers are with the words and the number behind them: "nineteen fifty", "39 euro
    and 90", "268块5", "two dozen", "a million and a half", and in a smaller unit "a metre 20"."""
    found = []
    numbers = [one for one in numbers_in(text, lex) if isinstance(one.value, int | float)]
    for one, other in zip_longest(numbers, numbers[1:]):
        first, match = float(str(one.value)), _after(lex).match(text, one.end)
        assert match is not None
        counts_many = first >= max(MANY) or (first in MANY and not text[one.start].isdigit())
        half = first / 2 if counts_many else 0.5
        values = [(first + half if match["half"] else first, match.end("told"))]
        many = _thousands(lex).match(text, match.end("told")) if match["half"] else None
        if many is not None:  # "two and a half grand"
            values = [((first + half) * 1000, many.end())]
        if other is not None and match.end() == other.start:
            second = float(str(other.value))
            tenth = second < 10 and not lex.spaced
            values += [(first * second, other.end)] if second in MANY and many is None else []
            values += [(first + second / (10 if tenth else 100), other.end)] if second < 100 else []
            values += [(first * 100 + second, other.end)] if first < 10 <= second < 100 else []
        times = lex.measures.get(" ".join((match["unit"] or "").casefold().split()), 1)
        for value, end in values:
            for each in {round(value, 2), round(value * times, 2)} - {first}:
                found.append(Span(value=whole(each), start=one.start, end=end))
    return found


@cache
def _after(lex: Lexicon) -> re.Pattern[str]:
    unit = rf"(?:{_currency(lex).pattern}|\s*(?P<unit>{lex.alternatives(lex.measures)}))?"
    and_ = lex.any_of("values.and", "values.with").pattern
    half = rf"(?P<half>{lex.any_of('units.half').pattern}|半)?"
    return re.compile(rf"(?P<told>{unit}\s*{half})\s*(?:{and_}\s*)?", re.IGNORECASE)


@cache
def _others(lex: Lexicon) -> re.Pattern[str]:
    return re.compile(lex.alternatives(lex.numbers), re.IGNORECASE)


class _Token:
    """A word as text2num wants it."""

    __slots__ = ("_word",)

    def __init__(self, word: str) -> None:
        self._word = word

    def text(self) -> str:
        return self._word

    def nt_separated(self, previous: _Token) -> bool:
        return False

    def not_a_number_part(self) -> bool:
        return False


def _cjk(run: str) -> int:
    """Read signs and the digits among them: 八万四千, 8万4千, 1万8000."""
    total = section = 0
    current: float = 0
    last = 1
    for token in re.findall(r"\d+(?:\.\d+)?|\D", run):
        if token in _TENS:
            section, current, last = section + int((current or 1) * _TENS[token]), 0, _TENS[token]
        elif token in _GREAT:
            total += int((section + current or 1) * _GREAT[token])
            section, current, last = 0, 0, _GREAT[token]
        elif token in "零〇":
            current, last = current * 10, 1
        elif token in _CJK:
            current = current * 10 + _CJK[token]
        else:
            current = float(token)
    # "三千六" leaves out its hundreds.
    short = 0 < current < 10 and last > 10 and run[-1] in _CJK
    return int(total + section + current * (last // 10 if short else 1))


def whole(value: float) -> int | float:
    return int(value) if value == int(value) else value
