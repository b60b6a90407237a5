"""Slots and readings for tests: what a model declares, and what the rules find in a message."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import pytest
from pydantic import Field, JsonValue, create_model

from sayso.core.extraction_ops import Clear, Correct, Operation, Reading, Set, Suggest
from sayso.core.requirements import Pending, Slot
from sayso.gate.actions import Actions
from sayso.gate.fields import Ask, Requirements
from sayso.reading.rule_extractor import RuleExtractor

#: What the rules alone read rightly, and the network decides otherwise: the price of decision 55,
#: in sight until it hears these too.
UNHEARD = pytest.mark.xfail(strict=True, reason="the network hears it otherwise")
#: A Sunday.
NOW = datetime(2026, 11, 22, 9, tzinfo=UTC)


class Checklist(Requirements):
    destination: Annotated[str, Ask("Where are you going?")]
    current_location: Annotated[str, Ask("Where will you be traveling from?")]
    trip_duration: Annotated[timedelta, Ask("How long is the trip?")]
    num_travelers: Annotated[int, Field(ge=1), Ask("Alone or with others?")] = 1


class Itinerary(Requirements):
    destinations: Annotated[list[str], Ask("Where are you going?", slot="destination")]
    interests: Annotated[list[str], Field(min_length=2), Ask("Name two things you like to do.")]


class Budget(Requirements):
    total_budget: Annotated[float, Field(gt=0), Ask("What is your total budget?")]


def trips(trigger: str = "confirm") -> Actions:
    actions = Actions()
    actions.add("checklist", None, requires=Checklist, trigger=trigger, phrases=["pack for me"])
    actions.add("itinerary", None, requires=Itinerary, trigger=trigger)
    actions.add("budget", None, requires=Budget, trigger=trigger)
    return actions


def slot(kind: Any, question: str = "", *, name: str = "value", **options: Any) -> Slot:
    """The slot that a field of this type and name makes."""
    field = (Annotated[kind, Ask(question or f"{name}?", **options)], ...)
    made: type[Requirements] = create_model("Made", __base__=Requirements, **{name: field})  # type: ignore[call-overload]
    actions = Actions()
    actions.add("do", None, requires=made)
    return next(iter(actions.slots.values()))


def read(message: str, *slots: Slot, **beside: Any) -> list[Operation]:
    """What the rules make of a message about these slots (or about the trips' own)."""
    actions = trips()
    reading = Reading(
        message=message,
        slots={one.name: one for one in slots} or actions.slots,
        actions=[] if slots else actions.specs,
        today=NOW,
    )
    return list(asyncio.run(RuleExtractor().extract(replace(reading, **beside))))


def values(message: str, *slots: Slot, **beside: Any) -> dict[str, JsonValue]:
    """The values that are found, each checked to stand where it says."""
    found: dict[str, JsonValue] = {}
    for op in read(message, *slots, **beside):
        if isinstance(op, Set | Correct):
            assert op.span is not None
            assert message[op.span[0] : op.span[1]] == op.quote
            found[op.slot] = op.value
        elif isinstance(op, Clear):
            found[op.slot] = None
    return found


def suggested(message: str, *slots: Slot, **beside: Any) -> dict[str, tuple[JsonValue, str]]:
    """The values that are named and not stated, each with the reason."""
    found = read(message, *slots, **beside)
    return {op.slot: (op.value, op.doubt.value) for op in found if isinstance(op, Suggest)}


def intents(
    message: str, *, pending: Sequence[str] = (), kind: Any = "offer", **beside: Any
) -> list[str]:
    """The orders that are found: "confirm", "checklist!" for a run, "checklist?" for a wish."""
    waits = Pending(id="p", kind=kind, hashes=dict.fromkeys(pending, "h")) if pending else None
    found = []
    for op in read(message, pending=waits, **beside):
        if op.op == "request_action":
            found.append(op.action + ("!" if op.runs else "?"))
        elif not isinstance(op, Set | Correct | Suggest | Clear):
            found.append(op.op)
    return found
