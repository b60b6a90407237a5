"""Kubernetes' quantities ("250m", "64Mi"), read and written; and ages as people say them."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal

_FACTORS = {
    "n": Decimal("1e-9"),
    "u": Decimal("1e-6"),
    "m": Decimal("1e-3"),
    "": Decimal(1),
    **{letter: Decimal(1000) ** n for n, letter in enumerate("kMGTPE", 1)},
    **{f"{letter}i": Decimal(1024) ** n for n, letter in enumerate("KMGTPE", 1)},
}
_QUANTITY = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?)([a-zA-Z]{0,2})")


def read_quantity(text: str) -> Decimal:
    """Return the number; 0 where it is none."""
    found = _QUANTITY.fullmatch(text)
    if found is None or found[2] not in _FACTORS:
        return Decimal(0)
    return Decimal(found[1]) * _FACTORS[found[2]]


def millicores(text: str) -> float:
    return float(round(read_quantity(text) * 1000, 3))


def size_in_bytes(text: str) -> int:
    return int(read_quantity(text))


def as_mebibytes(size: int) -> str:
    return f"{round(size / 1024**2)}Mi"


def age(since: datetime, now: datetime) -> str:
    """Return it as kubectl does: "45s", "12m", "5h", "3d"."""
    seconds = max(int((now - since).total_seconds()), 0)
    for unit, length in (("d", 86_400), ("h", 3600), ("m", 60)):
        if seconds >= 2 * length:
            return f"{seconds // length}{unit}"
    return f"{seconds}s"
