"""The words with which a value is taken back as soon as it is said: "two, no wait, three"."""

from __future__ import annotations

import re
from functools import cache

from sayso.reading.lexicon import Lexicon

_MARK = r"[\s,.…;:、，。-]"
_MARKS = f"{_MARK}*"
#: Where a row of marks begins: a flood of them is read once. "3." has one of its own.
_BEGINS = rf"(?:(?<!{_MARK})|(?<=\d\.))"


@cache
def amending(lex: Lexicon) -> re.Pattern[str]:
    """Return what stands between a value and the one that takes its place."""
    one = lex.any_of("orders.amending").pattern
    return re.compile(
        rf"{_BEGINS}(?P<before>{_MARKS})(?P<said>{one}(?:{_MARKS}{one})*)(?P<after>{_MARKS})",
        re.IGNORECASE,
    )


def is_amended(words: str, lex: Lexicon) -> bool:
    return amending(lex).search(words) is not None
