"""The entries of a list, as it is said: "art, wine and music"."""

from __future__ import annotations

import re
from functools import cache

from sayso.reading.lexicon import Lexicon
from sayso.reading.span import Span


def entries_in(text: str, lex: Lexicon) -> list[Span]:
    """Split a list at commas, "and" and "or"."""
    found, at = [], 0
    for match in [*_parting(lex).finditer(text), None]:
        end = match.start() if match else len(text)
        piece = text[at:end]
        start = at + len(piece) - len(piece.lstrip(" .!;\t\n"))
        words = text[start:end].rstrip(" .!;\t\n")
        if words:
            found.append(Span(value=words, start=start, end=start + len(words)))
        at = match.end() if match else end
    return found


@cache
def _parting(lex: Lexicon) -> re.Pattern[str]:
    words = lex.alternatives(lex.words("values", "and"))
    space = r"\s*" if not lex.spaced else r"\s+"
    return re.compile(
        rf"(?<!\s)(?:\s*[,;、，\n]\s*(?:{words}\s+)?|{space}{words}{space})", re.IGNORECASE
    )
