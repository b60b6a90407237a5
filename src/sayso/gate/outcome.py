"""What came of an action in a turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from sayso.gate.actions import Action


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """`done` with what its body gave, `granted` to an agent's own tool, or `rejected`."""

    action: Action
    status: Literal["done", "granted", "rejected"]
    result: JsonValue = None
