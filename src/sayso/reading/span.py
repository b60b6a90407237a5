"""A value that some words express, and the position of those words."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache, wraps
from itertools import accumulate, pairwise
from typing import ParamSpec

from pydantic import JsonValue

P = ParamSpec("P")


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    value: JsonValue
    start: int
    end: int
    #: The word that was counted ("days", "tickets"), or the currency.
    unit: str = ""

    def words(self, text: str) -> str:
        return text[self.start : self.end]

    def overlaps(self, other: Span) -> bool:
        return self.start < other.end and other.start < self.end


def read_once(read: Callable[P, list[Span]]) -> Callable[P, list[Span]]:
    """Cache what a parser found in the last few texts: several slots and parsers ask for it."""
    kept = lru_cache(maxsize=32)(read)

    @wraps(read)
    def found(*args: P.args, **kwargs: P.kwargs) -> list[Span]:
        return [*kept(*args, **kwargs)]  # type: ignore[arg-type]  # texts, lexicons and days

    return found


def apart(found: list[Span]) -> list[Span]:
    """Drop the spans that overlap a longer one; return the rest in the order of the text."""
    in_order = sorted(found, key=_start)
    if all(one.end <= other.start for one, other in pairwise(in_order)):
        return in_order
    kept: list[Span] = []
    for one in sorted(found, key=lambda m: (m.start - m.end, m.start)):
        # Those kept so far do not overlap, so only its two neighbours can touch this one.
        at = bisect_left(kept, one.start, key=_start)
        if not any(one.overlaps(other) for other in kept[max(0, at - 1) : at + 1]):
            insort(kept, one, key=_start)
    return kept


def outside(found: Iterable[Span], others: Iterable[Span]) -> list[Span]:
    """Return the spans that overlap none of the others."""
    taken = sorted(others, key=_start)
    reach = [*accumulate((one.end for one in taken), max)]
    left = []
    for one in found:
        before = bisect_left(taken, one.end, key=_start)
        if before == 0 or reach[before - 1] <= one.start:
            left.append(one)
    return left


def blanked(text: str, taken: Iterable[Span]) -> str:
    """Return the text with these words out of sight, and all others in their places."""
    signs = list(text)
    for one in taken:
        signs[one.start : one.end] = "\x00" * (one.end - one.start)
    return "".join(signs)


def without_spans(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return the text without these stretches, which may overlap."""
    kept, upto = [], 0
    for start, end in sorted(spans):
        kept.append(text[upto:start])
        upto = max(upto, end)
    return "".join([*kept, text[upto:]])


def _start(one: Span) -> int:
    return one.start
