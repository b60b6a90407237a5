"""Ids: UUIDv7 (RFC 9562) made from a time and entropy, and ids derived from other ids."""

from __future__ import annotations

import uuid
from datetime import datetime

_NAMESPACE = uuid.UUID("5a9150c8-6f2e-5c07-9b5e-0d6f7ab1c001")


def uuid7(at: datetime, entropy: bytes) -> str:
    """Return a UUIDv7 for the instant `at` (timezone-aware) with 10 bytes of `entropy`."""
    milliseconds = int(at.timestamp() * 1000) & 0xFFFF_FFFF_FFFF
    number = (milliseconds << 80) | int.from_bytes(entropy[:10], "big")
    number = (number & ~(0xF << 76)) | (0x7 << 76)
    number = (number & ~(0x3 << 62)) | (0x2 << 62)
    return str(uuid.UUID(int=number))


def derived_id(*parts: str) -> str:
    """Return the id that these parts always give: for a child run, for a tool call under a run."""
    return str(uuid.uuid5(_NAMESPACE, "\x1f".join(parts)))
