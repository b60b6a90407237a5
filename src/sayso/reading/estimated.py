"""What is said as one of two amounts is offered and not stated: "two or three days"."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.core.extraction_ops import Correct, Doubt, Operation, Set, Suggest
from sayso.reading.heard_message import HeardMessage
from sayso.reading.lexicon import Lexicon
from sayso.reading.parsers.estimates import estimates_in
from sayso.reading.slot_types import SlotShape, SlotType
from sayso.reading.span import Span

_AMOUNTS = (
    SlotType.DURATION, SlotType.COUNT, SlotType.PEOPLE, SlotType.NUMBER, SlotType.MONEY,
)  # fmt: skip


def is_estimated(text: str, shape: SlotShape, lex: Lexicon) -> bool:
    """Return whether a text gives such a field one of two amounts."""
    return shape.type in _AMOUNTS and bool(estimates_in(text, lex))


def offered_if_estimated(
    op: Operation, told: Sequence[Operation], message: HeardMessage
) -> Operation:
    """Return the operation, as an offer if its words say one of two amounts; not where what is
    told besides takes them as the ends of a range."""
    if not isinstance(op, Set | Correct) or op.span is None:
        return op
    if not is_estimated(message.text, message.shape(op.slot), message.lex):
        return op
    start, end = op.span
    around = [one for one in estimates_in(message.text, message.lex) if _meet(one, start, end)]
    if isinstance(op, Correct):  # "from 2 to 4" is a change
        either = message.lex.any_of("values.either")
        around = [one for one in around if either.search(one.words(message.text))]
    others = [
        each.span
        for each in told
        if isinstance(each, Set | Correct) and each.slot != op.slot and each.span is not None
    ]
    is_range = any(_meet(one, *span) for one in around for span in others)
    if not around or is_range:
        return op
    return Suggest(
        slot=op.slot, value=op.value, doubt=Doubt.AMBIGUOUS, quote=op.quote, span=op.span
    )


def _meet(one: Span, start: int, end: int) -> bool:
    return one.start < end and start < one.end
