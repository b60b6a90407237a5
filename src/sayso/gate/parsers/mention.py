"""A value that some words say, and where those words stand."""

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
class Mention:
    value: JsonValue
    start: int
    end: int
    #: The word that was counted ("days", "tickets"), or the currency.
    unit: str = ""

    def words(self, text: str) -> str:
        return text[self.start : self.end]

    def overlaps(self, other: Mention) -> bool:
        return self.start < other.end and other.start < self.end


def read_once(read: Callable[P, list[Mention]]) -> Callable[P, list[Mention]]:
    """What a parser found in the last few texts: several slots and parsers ask for it."""
    kept = lru_cache(maxsize=8)(read)

    @wraps(read)
    def found(*args: P.args, **kwargs: P.kwargs) -> list[Mention]:
        return [*kept(*args, **kwargs)]  # type: ignore[arg-type]  # texts, lexicons and days

    return found


def apart(found: list[Mention]) -> list[Mention]:
    """Without those that overlap a longer one, in the order of the text."""
    in_order = sorted(found, key=_start)
    if all(one.end <= other.start for one, other in pairwise(in_order)):
        return in_order
    kept: list[Mention] = []
    for one in sorted(found, key=lambda m: (m.start - m.end, m.start)):
        # Those that are kept stand apart, so that only the two beside it can touch it.
        at = bisect_left(kept, one.start, key=_start)
        if not any(one.overlaps(other) for other in kept[max(0, at - 1) : at + 1]):
            insort(kept, one, key=_start)
    return kept


def outside(found: Iterable[Mention], others: Iterable[Mention]) -> list[Mention]:
    """Those that overlap none of the others."""
    taken = sorted(others, key=_start)
    reach = [*accumulate((one.end for one in taken), max)]
    left = []
    for one in found:
        before = bisect_left(taken, one.end, key=_start)
        if before == 0 or reach[before - 1] <= one.start:
            left.append(one)
    return left


def _start(one: Mention) -> int:
    return one.start
