"""Calls that another side keeps open while it asks a person: what the engine knows of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class CallOfRun:
    """A call of a tool, in its run."""

    app_id: str
    run_id: str
    tool_call_id: str


@dataclass(frozen=True, slots=True)
class HeldCall:
    """A call that stays open while its run waits."""

    id: str
    of: CallOfRun
    #: Whether the other side still waits for what it has asked.
    is_asking: bool


class HoldsCalls(Protocol):
    """Whoever keeps them open. All of it may be called from any thread."""

    def watch_calls(self, on_moved: Callable[[], None]) -> None:
        """Call this, in another thread, when a held call has moved."""

    def held_calls(self) -> Sequence[HeldCall]:
        """Return those that nobody works on: their runs wait."""

    def give_up(self, call_id: str) -> None:
        """Tell the other side that nobody waits for this call any more."""
