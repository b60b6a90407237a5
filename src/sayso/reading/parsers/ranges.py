"""The words between the two ends of a range: "from the 3rd *to* the 7th", "3 *bis* 5 Uhr"."""

from __future__ import annotations

import re
from functools import cache

from sayso.reading.lexicon import Lexicon

#: How far before its end a range may begin.
LONGEST_GAP = 20
_DASH = "[-–—~〜～]"


@cache
def between(lex: Lexicon) -> str:
    """Return the pattern of what stands between both ends, except "and"."""
    roles = ("end", "goal") if lex.spaced else ("end", "goal", "start")
    return rf"\s*(?:{_DASH}|{lex.any_of(*(f'roles.{role}' for role in roles)).pattern})\s*"


@cache
def till(lex: Lexicon) -> re.Pattern[str]:
    """Return what stands between both ends, "and" as well."""
    return re.compile(rf"{between(lex)}|\s*{lex.any_of('values.and').pattern}\s*", re.IGNORECASE)


@cache
def ends_here(lex: Lexicon) -> str:
    """Return the pattern of what follows a bare number that counts nothing."""
    return r"(?![\w:/]|[.,]\d)" + (r"(?=\s*(?:$|[.!?,;)]))" if lex.spaced else "")
