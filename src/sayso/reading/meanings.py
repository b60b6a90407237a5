"""What words mean, as vectors: words of one meaning lie together, in whatever language they are.

The vectors lie in `meanings.npz`; `training/meanings.py` says where they come from and makes them.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files
from io import BytesIO
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sayso.reading.tokens import Token, is_sign

#: The numbers of a vector; and those of the first axes, on which words differ most, by which words
#: are likened to each other.
SIZE, _LIKENED = 192, 64
#: How many rows may stand for one token.
MOST_ROWS = 2
#: A word that is not in the table is known by its beginning and its end, if they are this long.
_PART = 4
_LONGEST_OF_SIGNS = 6


class Words(NamedTuple):
    #: Of each row the key of its word, ascending.
    keys: NDArray[np.uint32]
    #: Of each row its vector, which is these times the scale, and an empty row at the end.
    rows: NDArray[np.int8]
    scale: np.float32


@cache
def words() -> Words:
    kept = (files(__package__) / "meanings.npz").read_bytes()
    with np.load(BytesIO(kept)) as tables:
        rows = np.pad(tables["table"], ((0, 1), (0, 0)))
        return Words(tables["keys"], rows, np.float32(tables["scale"]))


def vectors_of(rows: Sequence[tuple[int, ...]]) -> NDArray[np.float32]:
    """Return the mean of each token's rows; nothing where it has none."""
    keys, table, scale = words()
    none = (len(keys),) * MOST_ROWS
    at = np.array([(*own, *none)[:MOST_ROWS] for own in rows], np.intp).reshape(-1, MOST_ROWS)
    count = np.array([len(own) or 1 for own in rows], np.float32)
    found: NDArray[np.float32] = table[at].sum(1, dtype=np.float32) * scale / count[:, None]
    return found


def unit_vectors(rows: Sequence[tuple[int, ...]]) -> NDArray[np.float32]:
    vectors = vectors_of(rows)[:, :_LIKENED]
    length = np.sqrt((vectors**2).sum(1, keepdims=True))
    found: NDArray[np.float32] = vectors / length.clip(np.float32(1e-6))
    return found


def likeness(tokens: NDArray[np.float32], others: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return for each token how like it is to the likest of the others, 0 to 1. Both are rows of
    length 1."""
    found: NDArray[np.float32] = (tokens @ others.T).max(1, initial=0)
    return found


def key_of(word: str) -> int:
    return zlib.crc32(word.encode())


def rows_of(text: str, tokens: Sequence[Token]) -> list[tuple[int, ...]]:
    """Return the rows that stand for each token, whose mean is its meaning. A sign is known by
    itself and by the longest word that it stands in."""
    found: list[tuple[int, ...]] = []
    in_word: tuple[int, ...] = ()
    upto = 0
    for start, end in tokens:
        if not is_sign(text[start:end]):
            found.append(_rows(text[start:end]))
            continue
        if start >= upto:
            in_word, upto = _longest(text[start : start + _LONGEST_OF_SIGNS], start)
        found.append((*in_word, *_row(text[start:end])) if upto > end else _row(text[start:end]))
    return found


def _longest(signs: str, start: int) -> tuple[tuple[int, ...], int]:
    for length in range(len(signs), 1, -1):
        if row := _row(signs[:length]):
            return row, start + length
    return (), start + 1


@lru_cache(maxsize=20_000)
def _rows(word: str) -> tuple[int, ...]:
    word = word.casefold()
    if (row := _row(word)) or len(word) <= _PART:
        return row
    sizes = range(len(word) - 1, _PART - 1, -1)
    first = next((row for size in sizes if (row := _row(word[:size]))), ())
    last = next((row for size in sizes if (row := _row(word[-size:]))), ())
    return first + last


@lru_cache(maxsize=20_000)
def _row(word: str) -> tuple[int, ...]:
    keys, key = words().keys, key_of(word)
    at = int(keys.searchsorted(np.uint32(key)))
    return (at,) if at < len(keys) and keys[at] == key else ()
