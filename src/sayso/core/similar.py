"""What was decided of calls like this one. Nothing here decides anything."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10

from pydantic import JsonValue

from sayso.core.cards import ApprovalCard
from sayso.core.interactions import Interaction, InteractionState

#: How far back it looks.
DAYS = 30
_MEASURE = re.compile(
    "amount|price|total|cost|sum|value|quantity|count|limit|budget|percent|share|rate|size|weight",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Similar:
    """Decisions of the last DAYS on calls of one tool; `argument` and `at_most` narrow them."""

    tool_name: str
    argument: str | None
    at_most: float | None
    decided: int
    approved: int
    approved_by_me: int
    rejected: int


def similar_to(
    it: Interaction,
    decided: Iterable[Interaction],
    *,
    me: str,
    argument: str | None = None,
    at_most: float | None = None,
) -> Similar | None:
    """Return what was decided of calls like this one; None for what is no approval of a tool."""
    card = it.card
    if not isinstance(card, ApprovalCard) or it.tool_name is None:
        return None
    calls = [other for other in decided if was_decided(other) and other.tool_name == it.tool_name]
    measures = _measures(card.tool_params)
    if argument not in measures:
        argument = next(iter(measures), None) if at_most is None else None
    if argument is not None and at_most is None:
        at_most = _round_above(measures[argument])
    alike = [call for call in calls if _is_within(call, argument, at_most)]
    rejected = sum(call.state is InteractionState.REJECTED for call in alike)
    approved = [call for call in alike if call.state is InteractionState.COMPLETED]
    return Similar(
        tool_name=it.tool_name,
        argument=argument,
        at_most=at_most,
        decided=len(alike),
        approved=len(approved),
        approved_by_me=sum(call.settled_by == me for call in approved),
        rejected=rejected,
    )


def was_decided(it: Interaction) -> bool:
    """Return whether a person said yes or no: what expired or was replaced says nothing."""
    by_somebody = it.settled_by is not None and it.settled_by != ""
    return by_somebody and it.state in (InteractionState.COMPLETED, InteractionState.REJECTED)


def _is_within(it: Interaction, argument: str | None, at_most: float | None) -> bool:
    if argument is None or at_most is None:
        return True
    assert isinstance(it.card, ApprovalCard)
    value = _measures(it.card.tool_params).get(argument)
    return value is not None and value <= at_most


def _measures(arguments: Mapping[str, JsonValue]) -> dict[str, float]:
    """Return the arguments that measure something, as shown: what is masked is none, and neither is
    a whole number whose name says nothing of an amount, such as that of an order."""
    return {
        name: float(value)
        for name, value in arguments.items()
        if isinstance(value, int | float)
        and not isinstance(value, bool)
        and isfinite(value)
        and (_MEASURE.search(name) is not None or not float(value).is_integer())
    }


def _round_above(value: float) -> float:
    """Return the next of 1, 2, 5, 10, 20, 50 … that is not below; of nothing and less, itself."""
    if value <= 0:
        return value
    power: float = 10.0 ** floor(log10(value))
    return next((n * power for n in (1, 2, 5, 10) if n * power >= value), float(ceil(value)))
