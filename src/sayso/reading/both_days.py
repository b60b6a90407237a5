"""A range of days that fills a first and a last day: "from the 3rd to the 6th of June"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sayso.core.requirements import Tense
from sayso.reading.heard_message import HeardMessage
from sayso.reading.parsers.dates import dates_in
from sayso.reading.parsers.ranges import between
from sayso.reading.slot_types import SlotType
from sayso.reading.span import Span


def both_days(message: HeardMessage) -> Iterator[tuple[str, Span]]:
    """Yield the fields of a first and a last day with the ends of the one range that the message
    states, where it knows neither and the form has no other days."""
    days = [name for name in message.slots if message.shape(name).type is SlotType.DATE]
    tenses = {message.shape(name).tense for name in days}
    if len(days) != 2 or len(tenses) > 1 or not message.known.keys().isdisjoint(days):
        return
    ends = _range_in(message, tenses.pop())
    if ends is None:
        return
    told = [*zip(days, ends, strict=True)]
    if all(message.doubt(name, one.start, one.end) is None for name, one in told):
        yield from told


def _range_in(message: HeardMessage, tense: Tense) -> tuple[Span, Span] | None:
    today = message.reading.today.date() if message.reading.today else None
    found = dates_in(message.text, message.lex, today, tense)
    if len(found) != 2 or not all(one.value for one in found):
        return None
    first, last = sorted(found, key=lambda one: one.start)
    joined = re.compile(between(message.lex), re.IGNORECASE)
    is_range = joined.fullmatch(message.text, first.end, last.start) is not None
    return (first, last) if is_range and str(first.value) < str(last.value) else None
