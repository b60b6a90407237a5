"""A message cut into tokens, each known by hashes of its form: what the network reads of words."""

from __future__ import annotations

import re
import zlib
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

#: Rows of the network's table of forms. Two forms may share one; few do.
ROWS = 1 << 15
#: What stands behind so many tokens states nothing.
MOST_TOKENS = 120
#: How many forms of one token are looked up at most.
MOST_FORMS = 14
_SIGN = r"\u3040-\u30ff\u3400-\u9fff\uff66-\uff9f"
_FIRST_SIGN = "\u3040"
_TOKEN = re.compile(rf"[{_SIGN}]|\d+|[^\W\d_{_SIGN}]+|[^\w\s]|_")
_SIGNS = re.compile(f"[{_SIGN}]")
_LONGEST_OWN_NUMBER = 2


class Token(NamedTuple):
    start: int
    end: int


def tokens_in(text: str) -> list[Token]:
    """Return words, runs of digits, marks, and each sign of a script without spaces."""
    return [Token(*one.span()) for one in islice(_TOKEN.finditer(text), MOST_TOKENS)]


def is_sign(token: str) -> bool:
    """Return whether it is a sign of Chinese or Japanese."""
    return token >= _FIRST_SIGN and _SIGNS.match(token) is not None


def forms_of(text: str, tokens: list[Token]) -> list[tuple[int, ...]]:
    """Return the rows by which the network knows each token: its word, its beginning and ending and
    parts; a sign also by its neighbours."""
    found = []
    for at, (start, end) in enumerate(tokens):
        word = text[start:end]
        if not is_sign(word):
            found.append(_forms(word))
            continue
        rows = [_row(f"w:{word}")]
        if at + 1 < len(tokens) and tokens[at + 1].start == end:
            rows.append(_row(">" + text[start : end + 1]))
        if at and tokens[at - 1].end == start:
            rows.append(_row("<" + text[start - 1 : end]))
        found.append(tuple(rows))
    return found


@lru_cache(maxsize=20_000)
def _forms(word: str) -> tuple[int, ...]:
    word = word.casefold()
    if word.isdigit():
        own = word if len(word) <= _LONGEST_OWN_NUMBER else "#"
        return _row(f"w:{own}"), _row(f"d:{min(len(word), 6)}")
    rows = [_row(f"w:{word}")]
    if len(word) > 2:
        edged = f"<{word}>"
        rows += [_row(f"p:{word[:3]}"), _row(f"s:{word[-3:]}"), _row(f"s:{word[-2:]}")]
        rows += [_row("g:" + edged[at : at + 4]) for at in range(len(edged) - 3)]
    return tuple(rows[:MOST_FORMS])


def _row(form: str) -> int:
    return zlib.crc32(form.encode()) % ROWS
