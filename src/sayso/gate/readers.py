"""What a reader of messages is made of: what it is given, what it answers, and two functions.

`operations_in` reads a message as the built-in rules do, and `is_stated` says whether its words
state a value. A reader of one's own may use both; whatever it answers, the gate asks `is_stated`
again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from pydantic import JsonValue

from sayso.core.extraction_ops import (
    Begin,
    Clear,
    Confirm,
    Correct,
    Deny,
    Doubt,
    Later,
    Operation,
    Reading,
    RequestAction,
    Set,
    Suggest,
    Unclear,
)
from sayso.gate.extraction import BlockingExtractor, Extractor
from sayso.gate.fields import Requirements, needs_of
from sayso.reading.evidence import is_stated
from sayso.reading.rule_extractor import operations_in

__all__ = [
    "Begin",
    "BlockingExtractor",
    "Clear",
    "Confirm",
    "Correct",
    "Deny",
    "Doubt",
    "Extractor",
    "Later",
    "Operation",
    "Reading",
    "RequestAction",
    "Set",
    "Suggest",
    "Unclear",
    "is_stated",
    "operations_in",
    "reading_of",
]


def reading_of(
    message: str,
    requires: type[Requirements],
    *,
    asked: Sequence[str] = (),
    known: Mapping[str, JsonValue] | None = None,
    language: str = "",
    today: datetime | None = None,
) -> Reading:
    """Return what a reader is given of a message about these requirements: to try one out."""
    return Reading(
        message=message,
        slots={need.slot.name: need.slot for need in needs_of(requires)},
        actions=(),
        asked=asked,
        known=known or {},
        language=language,
        today=today,
    )
