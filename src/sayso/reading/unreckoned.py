"""Differences that a message says and that nobody could reckon: "five days less" of four, "a few
more". A yes beside one is none: the person wants something else than the card shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sayso.core.extraction_ops import (
    Clear,
    Confirm,
    Correct,
    Lean,
    Operation,
    Reading,
    RequestAction,
    Set,
    Suggest,
    Unclear,
)
from sayso.reading.differences import CHANGEABLE, differences_in, is_named
from sayso.reading.lexicon import lexicon_for
from sayso.reading.normalize import even
from sayso.reading.slot_types import shape_of


def without_grants(
    intents: Sequence[Operation], values: Iterable[Operation], reading: Reading
) -> list[Operation]:
    """Return what a message asks for, as no leave where it says a difference that is not taken."""
    if not any(map(_may_run, intents)) or not _leaves_one(values, reading):
        return [*intents]
    return [_unclear(op) if _may_run(op) else op for op in intents]


def _may_run(op: Operation) -> bool:
    return isinstance(op, Confirm | Lean) or (isinstance(op, RequestAction) and op.runs)


def _unclear(op: Operation) -> Operation:
    return op.model_copy(update={"runs": False}) if isinstance(op, RequestAction) else Unclear()


def _leaves_one(values: Iterable[Operation], reading: Reading) -> bool:
    text = even(reading.message)
    lex = lexicon_for(text, reading.language)
    heard = {op.slot for op in values if isinstance(op, Set | Correct | Suggest | Clear)}
    shown = {*reading.known, *reading.assumed} & {*reading.slots}
    shapes = [shape_of(reading.slots[name]) for name in sorted(shown - heard)]
    return any(
        shape.type in CHANGEABLE and is_named(each, text, shape, lex)
        for each in differences_in(text, lex)
        for shape in shapes
    )
