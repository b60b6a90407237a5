"""Numbers, in digits or in words, and amounts of money with their currency."""

from __future__ import annotations

import re
from functools import cache

from sayso.gate.lexicon import Lexicon
from sayso.gate.parsers.mention import Mention, apart, read_once

_DIGITS = re.compile(
    r"(?<![A-Za-z0-9_.,:/-])\d+(?:[.,'\u00a0\u202f]\d{3})*(?:[.,]\d+)?(?![\d:]|[.,]\d)"
)
_CJK = {c: n for n, c in enumerate("零一二三四五六七八九十")} | {
    "两": 2,
    "二": 2,
    "百": 100,
    "千": 1000,
}
_CJK_RUN = re.compile(r"[零一二两三四五六七八九十百千]+")
_SIGNS = {
    "$": "USD",
    "€": "EUR",
    "£": "GBP",
    "¥": "JPY",
    "₹": "INR",
    "US$": "USD",
    "元": "CNY",
    "円": "JPY",
}
_CODES = "USD|EUR|GBP|JPY|CNY|INR|CHF|CAD|AUD|BRL|MXN|SEK|NOK|DKK|PLN"


@read_once
def numbers_in(text: str, lex: Lexicon) -> list[Mention]:
    """Every number; whole ones are int."""
    found = []
    for match in _DIGITS.finditer(text):
        value = read_digits(match[0])
        if value is not None:
            found.append(Mention(value=value, start=match.start(), end=match.end()))
    words = lex.numbers()
    for match in _number_words(lex).finditer(text):
        found.append(Mention(value=_spoken(match[0], words), start=match.start(), end=match.end()))
    if not lex.spaced:
        for match in _CJK_RUN.finditer(text):
            found.append(Mention(value=_cjk(match[0]), start=match.start(), end=match.end()))
    return apart(found)


def money_in(text: str, lex: Lexicon) -> list[Mention]:
    """Amounts that name a currency, or are said in thousands ("3k")."""
    found = []
    currencies = lex.currencies()
    numbers = numbers_in(text, lex)
    for number in numbers:
        assert isinstance(number.value, int | float)
        value, start, end, unit = number.value, number.start, number.end, ""
        if many := _thousands(lex).match(text, end):
            value, end, unit = value * 1000, many.end(), "?"
        if before := re.search(
            rf"(?:US\$|[$€£¥₹]|\b(?:{_CODES}))\s?$", text[max(0, start - 8) : start], re.IGNORECASE
        ):
            start = max(0, start - 8) + before.start()
            unit = _SIGNS.get(before[0].strip(), before[0].strip().upper())
        elif after := _currency(lex).match(text, end):
            end = after.end()
            word = after[0].strip()
            unit = _SIGNS.get(word) or currencies.get(
                " ".join(word.casefold().split()), word.upper()
            )
        if unit:
            found.append(Mention(value=_whole(value), start=start, end=end, unit=unit.strip("?")))
    return apart(found)


def read_digits(digits: str) -> int | float | None:
    """1,430 and 1.430 are whole; 1,5 and 1.50 are not; 1.430,50 and 1,430.50 are the same."""
    plain = re.sub(r"['\u00a0\u202f]", "", digits)
    match = re.fullmatch(r"(\d{1,3}(?:[.,]\d{3})+|\d+)(?:[.,](\d+))?", plain)
    if match is None:
        return None
    whole = int(re.sub(r"[.,]", "", match[1]))
    return whole if match[2] is None else _whole(float(f"{whole}.{match[2]}"))


@cache
def _number_words(lex: Lexicon) -> re.Pattern[str]:
    words = lex.alternatives(lex.numbers())
    joiners = r"(?:[\s-]+(?:and|y|e|et|und|en)\s+|[\s-]+)"
    return re.compile(rf"{words}(?:{joiners}{words})*", re.IGNORECASE)


@cache
def _thousands(lex: Lexicon) -> re.Pattern[str]:
    words = lex.words("money", "thousand")
    return re.compile(rf"\s?(?:{'|'.join(map(re.escape, words)) or '(?!)'})(?!\w)", re.IGNORECASE)


@cache
def _currency(lex: Lexicon) -> re.Pattern[str]:
    words = sorted([*lex.currencies(), *_CODES.split("|")], key=len, reverse=True)
    edge = r"(?!\w)" if lex.spaced else ""
    joined = "|".join(re.escape(word) for word in words)
    return re.compile(rf"\s*(?:[$€£¥₹]|(?:{joined}){edge})", re.IGNORECASE)


def _spoken(words: str, numbers: dict[str, int]) -> int:
    """ "two hundred and five" is 205."""
    plain = " ".join(words.casefold().replace("-", " ").split())
    if plain in numbers:
        return numbers[plain]
    total = current = 0
    for word in plain.split():
        number = numbers.get(word)
        if number is None:
            continue
        if number in (100, 12):
            current = max(current, 1) * number
        elif number >= 1000:
            total, current = total + max(current, 1) * number, 0
        else:
            current += number
    return total + current


def _cjk(run: str) -> int:
    total = current = 0
    for sign in run:
        number = _CJK[sign]
        if number in (10, 100, 1000):
            total, current = total + max(current, 1) * number, 0
        else:
            current = current * 10 + number
    return total + current


def _whole(value: float) -> int | float:
    return int(value) if value == int(value) else value
