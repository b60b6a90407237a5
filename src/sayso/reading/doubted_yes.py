"""A yes that the network does not hear is asked for once more. It gives none itself."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.core.extraction_ops import Confirm, Lean, Operation, Reading, RequestAction
from sayso.core.requirements import Pending

#: A yes is asked for once more where it is this likely to be none.
WITHHELD = 0.95


def doubted(intents: Sequence[Operation], reading: Reading) -> list[Operation]:
    """Return what a reply to the open card asks for. A yes, or the card's own order, that the
    network hears as neither only leans to it."""
    pending = reading.pending
    told = [op for op in intents if pending is not None and _grants(op, pending)]
    if not told or _withheld(reading) < WITHHELD:
        return [*intents]
    wishes = [op.model_copy(update={"runs": False}) for op in told if isinstance(op, RequestAction)]
    return [*(op for op in intents if op not in told), *wishes, Lean()]


def _withheld(reading: Reading) -> float:
    # numpy takes a tenth of a second to load: a process that reads no yes does not.
    from sayso.reading.hearing import heard_in

    hearing = heard_in(reading)
    return hearing.shares.withheld if hearing is not None else 0.0


def _grants(op: Operation, pending: Pending) -> bool:
    orders = isinstance(op, RequestAction) and op.runs and op.action in pending.hashes
    return orders or isinstance(op, Confirm)
