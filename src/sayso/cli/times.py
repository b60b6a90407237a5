"""Lengths of time as people type them: 90s, 10m, 1h, 2d."""

from __future__ import annotations

import re

from sayso.core.errors import InvalidInput

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


def seconds_of(text: str) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd]?)", text.strip())
    if match is None:
        raise InvalidInput(f"{text!r} is no time.", fix="Say 90s, 10m, 1h or 2d.")
    return float(match[1]) * _UNITS[match[2] or "s"]
