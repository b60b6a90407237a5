"""What an amount or a factor makes of a known value."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime, time

from pydantic import JsonValue, ValidationError

from sayso.reading.parsers.durations import LENGTH, iso
from sayso.reading.span import Span


def moved(known: JsonValue, amount: Span, sign: int) -> JsonValue:
    """Return the known value with the amount added; None where it cannot be."""
    if isinstance(known, bool):
        return None
    said = amount.value.get("amount") if isinstance(amount.value, dict) else amount.value
    if isinstance(known, dict):
        changed = moved(known.get("amount"), replace(amount, value=said), sign)
        return {**known, "amount": changed} if changed is not None else None
    if (number := _number(known)) is not None:
        added = _number(said)
        return _not_negative(number + sign * added) if added is not None else None
    if not isinstance(known, str) or not str(said).startswith("P"):
        return None
    try:
        length = LENGTH.validate_python(said) * sign
        for kind in (date, datetime):
            with suppress(ValueError):
                return (kind.fromisoformat(known) + length).isoformat()
        with suppress(ValueError):
            at = datetime.combine(date(2000, 1, 1), time.fromisoformat(known)) + length
            return at.time().isoformat()
        minutes = (LENGTH.validate_python(known) + length).total_seconds() / 60
    except (ValidationError, OverflowError):
        return None
    return iso(minutes) if minutes > 0 else None


def times(known: JsonValue, factor: float) -> JsonValue:
    """Return so many times the known value; None where that is none."""
    if isinstance(known, dict):
        changed = times(known.get("amount"), factor)
        return {**known, "amount": changed} if changed is not None else None
    if (number := _number(known)) is not None:
        return _not_negative(round(number * factor, 2))
    if not isinstance(known, str) or not known.startswith("P"):
        return None
    try:
        minutes = LENGTH.validate_python(known).total_seconds() / 60 * factor
    except (ValidationError, OverflowError):
        return None
    return iso(minutes) if minutes > 0 else None


def _number(value: JsonValue) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        return float(value) if re.fullmatch(r"\d+(?:\.\d+)?", value) else None
    return float(value) if isinstance(value, int | float) else None


def _not_negative(value: float) -> int | float | None:
    if value < 0:
        return None
    return int(value) if value == int(value) else value
