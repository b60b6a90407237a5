"""One value that a message could mean, and how it was found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

from pydantic import JsonValue

from sayso.reading.span import Span


class Found(IntEnum):
    """How a candidate was found, which the network is told."""

    #: In a form of its own: "3 March", "40 euros", "two of us".
    BY_FORM = 0
    #: A bare number, or a word that hints at one.
    BARE = 1
    #: What the words make of the known value: "at nine" of the known day.
    OF_KNOWN = 2
    #: The same words the other way: the hour in the other half of the day, the day in the past.
    OTHER_WAY = 3
    #: The known value, or the day beside it, and the amount: "a day longer".
    MORE = 4
    #: The same without the amount.
    LESS = 5


@dataclass(frozen=True, slots=True)
class Candidate:
    span: Span
    how: Found

    @property
    def value(self) -> JsonValue:
        return self.span.value


FoundSpans: TypeAlias = Iterator[tuple[Found, Span]]
#: What adds an amount to the known value, and what takes it away.
SIGNS = {Found.MORE: 1, Found.LESS: -1}


def by_form(spans: Iterable[Span]) -> FoundSpans:
    return ((Found.BY_FORM, one) for one in spans if one.value is not None)


def as_bare(spans: Iterable[Span]) -> FoundSpans:
    return ((Found.BARE, one) for one in spans)
