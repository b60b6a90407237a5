"""A month or a year tells no day: the first or the last of it is offered and not stated, but for
what ends with it: "until the end of July"."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from sayso.core.extraction_ops import Correct, Doubt, Operation, Set, Suggest
from sayso.reading.heard_message import HeardMessage
from sayso.reading.lexicon import likely_lexicons
from sayso.reading.parsers.dates import dates_in
from sayso.reading.parsers.periods import Period, periods_in
from sayso.reading.slot_types import SlotType


def offered_if_of_a_period(
    op: Operation, told: Sequence[Operation], message: HeardMessage
) -> Operation:
    """Return the operation, as an offer if a month or year is all that says its day; not where what
    is told besides takes the other end of it: "all of February"."""
    if not isinstance(op, Set | Correct) or message.shape(op.slot).type is not SlotType.DATE:
        return op
    period = _period_of(op, message)
    if period is None or _is_last_of_what_ends(op, period, message):
        return op
    ends = {
        one.value for one in told if isinstance(one, Set | Correct) and _period_of(one, message)
    }
    if {period.first.value, period.last.value} <= ends:
        return op
    return Suggest(
        slot=op.slot, value=op.value, doubt=Doubt.AMBIGUOUS, quote=op.quote, span=op.span
    )


def _period_of(op: Set | Correct, message: HeardMessage) -> Period | None:
    """Return the month or year that alone says this day."""
    today, tense = message.reading.today, message.shape(op.slot).tense
    now: date | None = today.date() if today is not None else None
    if op.span is None or any(
        day.start < op.span[1] and op.span[0] < day.end
        for day in dates_in(message.text, message.lex, now, tense)
    ):
        return None
    for period in periods_in(message.text, message.lex, now, tense):
        is_within = period.first.start <= op.span[0] and op.span[1] <= period.first.end
        if is_within and op.value in (period.first.value, period.last.value):
            return period
    return None


def _is_last_of_what_ends(op: Set | Correct, period: Period, message: HeardMessage) -> bool:
    slot, shape = message.slots[op.slot], message.shape(op.slot)
    question = f"{slot.label} {slot.question}"
    asks_till_when = shape.is_end or any(
        lex.any_of("roles.end").search(question.casefold()) for lex in likely_lexicons(question)
    )
    return asks_till_when and period.is_its_end and op.value == period.last.value
