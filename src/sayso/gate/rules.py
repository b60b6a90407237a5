"""The extractor without a model: typed parsers, the slot that was just asked for, and word lists.

It finds less than a good model does and never invents: every value comes with the words that say
it. It alone tells whether a person told an action to run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sayso.core.operations import Correct, Operation, Reading, Set
from sayso.gate.orders import orders_in
from sayso.gate.text import LONGEST_READ
from sayso.gate.values import values_in


class RuleExtractor:
    name = "rules"

    async def extract(self, reading: Reading) -> Sequence[Operation]:
        if len(reading.message) > LONGEST_READ:
            # Whoever writes this much orders nothing in passing, and a cut could lose a "not".
            return values_in(replace(reading, message=reading.message[:LONGEST_READ]))
        values = values_in(reading)
        return [
            *values,
            *orders_in(reading, said_values=any(_is_new(op, reading) for op in values)),
        ]


def _is_new(op: Operation, reading: Reading) -> bool:
    """Whether it would change what is known: who repeats a value has changed nothing."""
    return not isinstance(op, Set | Correct) or reading.known.get(op.slot) != op.value
