"""The network as the second witness of a yes. It gives none by itself: what the closed forms hear
it can doubt, and where they hear more than a yes it has to hear leave as well."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sayso.core.extraction_ops import Confirm, Deny, Lean, Operation, Reading, RequestAction
from sayso.core.requirements import Pending
from sayso.reading.reply_kinds import Heard, ReplyKind

if TYPE_CHECKING:
    from sayso.reading.hearing import Hearing
    from sayso.reading.network import Shares

#: A yes is asked for once more where it is this likely to be none; and so is a no that is this
#: likely to be a yes: "I don't see anything wrong there, get it sent".
WITHHELD, GIVEN_AFTER_ALL = 0.95, 0.9
#: And more than a yes is leave where that is this likely: with a question, and amid other talk with
#: an order, with the card's verb in looser words, with neither, and beside what often takes a yes
#: back. Praise may be no more than that.
BESIDE_QUESTION, WITH_ORDER, WITH_DEED, WITHOUT_ORDER, AT_ODDS = 0.4, 0.9, 0.95, 0.995, 0.95
#: A word of leave in no closed form is leave where nothing else is likely.
IN_NO_FORM = 0.999
IN_PRAISE, LEANS_BELOW = 0.25, 0.5
_LEAST = {
    ReplyKind.LIKED: IN_PRAISE,
    ReplyKind.ORDER_AMID: WITH_ORDER,
    ReplyKind.DEED_AMID: WITH_DEED,
    ReplyKind.YES_AMID: WITHOUT_ORDER,
    ReplyKind.YES_AT_ODDS: AT_ODDS,
    ReplyKind.LOOSE: IN_NO_FORM,
}


def doubted(intents: Sequence[Operation], reading: Reading) -> list[Operation]:
    """Return what a reply to the open card asks for. A yes, or the card's own order, that the
    network hears as neither only leans to it, and so does a no that it hears as a yes."""
    pending = reading.pending
    told = [op for op in intents if pending is not None and _decides(op, pending)]
    hearing = _hearing_of(reading) if told else None
    if hearing is None or not any(_is_doubtful(op, hearing.shares) for op in told):
        return [*intents]
    wishes = [op.model_copy(update={"runs": False}) for op in told if isinstance(op, RequestAction)]
    return [*(op for op in intents if op not in told), *wishes, Lean()]


def is_second_heard(heard: Heard, reading: Reading) -> bool:
    """Return whether the network hears a yes to the open card as surely as it has to be."""
    least = _LEAST.get(heard.leave, BESIDE_QUESTION if heard.question else 0.0)
    if not least:
        return True
    hearing = _hearing_of(reading)
    return hearing is not None and hearing.shares.given >= least


def is_all_but_heard(heard: Heard, reading: Reading) -> bool:
    """Return whether a yes that is not heard surely enough leans to one; one at odds with what
    stands beside it does where the network rather hears that, and a word of leave never does."""
    if heard.leave is ReplyKind.LOOSE:
        return False
    if heard.leave is not ReplyKind.YES_AT_ODDS:
        return True
    hearing = _hearing_of(reading)
    return hearing is not None and hearing.shares.withheld < LEANS_BELOW


def _is_doubtful(op: Operation, shares: Shares) -> bool:
    if isinstance(op, Deny):
        return shares.given >= GIVEN_AFTER_ALL
    return shares.withheld >= WITHHELD


def _hearing_of(reading: Reading) -> Hearing | None:
    # numpy takes a tenth of a second to load: a process that reads no yes does not.
    from sayso.reading.hearing import heard_in

    return heard_in(reading)


def _decides(op: Operation, pending: Pending) -> bool:
    orders = isinstance(op, RequestAction) and op.runs and op.action in pending.hashes
    return orders or isinstance(op, Confirm | Deny)
