"""What can be asked of the inbox and the history: which interactions, in what order, how many."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal

from sayso.core.interactions import InteractionState


@dataclass(frozen=True, slots=True, kw_only=True)
class InteractionFilter:
    """Every part that is given must hold. `kind` is the card; `assignee` gives what this person may
    answer: what names them, and what names nobody."""

    status: InteractionState | None = None
    kind: str | None = None
    chat_id: str | None = None
    assignee: str | None = None
    run_id: str | None = None
    agent: str | None = None
    #: The tool whose call is under approval.
    tool: str | None = None
    #: approve, reject or partial.
    decision: str | None = None
    settled_by: str | None = None
    #: When it was settled: from `since` on, and before `until`.
    since: datetime | None = None
    until: datetime | None = None
    expires_before: datetime | None = None
    #: Found on the card as people saw it, and in what they answered.
    words: str | None = None
    #: Approved with changes of the person.
    edited: bool = False
    #: What was allowed ran, or it failed, did not run, or nobody knows.
    outcome: Literal["ran", "went_wrong"] | None = None


class InteractionOrder(StrEnum):
    """NEWEST and OLDEST go by creation. EXPIRING has the shortest time left first, and what has no
    time last. SETTLED has what is settled alone, the last decision first."""

    NEWEST = "newest"
    OLDEST = "oldest"
    EXPIRING = "expiring"
    SETTLED = "settled"


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingCount:
    """How many cards of one kind wait for one agent."""

    kind: str
    agent_name: str
    count: int
