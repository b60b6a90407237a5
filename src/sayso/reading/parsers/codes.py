"""Codes: what is written as no word is ("2.4.1", "A-9921", "checkout-api"), and addresses of
mail."""

from __future__ import annotations

import re

from sayso.reading.span import Span, apart

#: "appelle-le" is an order with its pronoun.
_CODE = re.compile(
    r"(?<![\w.-])(?![^\W_]+-(?:moi|les?|la|lui|lhes?|me|nous)(?![\w-]))(?=[\w./-]*(?:\d|[a-z][-_][a-z]))[^\W_]+(?:[-_./][^\W_]+)*(?![\w-])",
    re.IGNORECASE,
)
#: The same where words of another script may stand right beside it.
_CODE_IN_SIGNS = re.compile(
    r"(?<![A-Za-z0-9_.-])(?=[A-Za-z0-9_./-]*(?:\d|[a-z][-_][a-z]))"
    r"[A-Za-z0-9]+(?:[-_./][A-Za-z0-9]+)*(?![A-Za-z0-9_-])",
    re.IGNORECASE,
)
#: What is written in groups is one code: "07700 900 412", "KL-MN 482", "L 4471 90".
_GROUPS = re.compile(
    r"(?<![\w.-])(?:\+\d{1,3} ?)?(?:(?:[A-Z]{1,4}|\(?\d{2,5}\)?)[ /-])+[A-Z]{0,2}\d{2,}"
    r"(?![\w-]|[.,:]\d)"
)
_EMAIL = re.compile(r"[A-Za-z0-9][\w.+-]*@(?:[\w-]+\.)+[A-Za-z]{2,}")
_LONG = re.compile(rf"{_GROUPS.pattern}|\+?\d{{6,}}")
#: "020 7946 0018" is no row of numbers; "2 500 €" is one.
_DIGITS_IN_GROUPS = re.compile(r"\+?0\d{1,4}(?:[ /-]\d{2,})+")


def codes_in(text: str, *, spaced: bool) -> list[Span]:
    patterns = (_EMAIL, _GROUPS, _CODE if spaced else _CODE_IN_SIGNS)
    return apart([one for pattern in patterns for one in _spans(pattern, text)])


def groups_in(text: str) -> list[Span]:
    """Return the numbers that begin with a zero and go on in groups: telephone numbers."""
    return _spans(_DIGITS_IN_GROUPS, text)


def is_email(words: str) -> bool:
    return _EMAIL.fullmatch(words) is not None


def is_long(words: str) -> bool:
    """Return whether it shows by its length or its groups that it is a code."""
    return _LONG.fullmatch(words) is not None


def _spans(pattern: re.Pattern[str], text: str) -> list[Span]:
    return [Span(value=None, start=m.start(), end=m.end()) for m in pattern.finditer(text)]
