"""An effect: the side effect of a tool call, with its own record, so that a crash never makes it
happen twice."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pydantic import JsonValue

from sayso.core.digest import JsonObject


class EffectState(StrEnum):
    """none → started → done | failed | uncertain | not_executed"""

    STARTED = "started"
    DONE = "done"
    FAILED = "failed"
    UNCERTAIN = "uncertain"
    NOT_EXECUTED = "not_executed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """The newest attempt of one call. `key` is the call's key within its run."""

    key: str
    attempt: int
    state: EffectState
    tool_name: str
    arguments: JsonObject
    started_at: datetime
    ended_at: datetime | None = None
    result: JsonValue = None
    error: str | None = None
    shown_digest: str | None = None
    executed_digest: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectEnd:
    """How an attempt ended: with a result (DONE), an error, or nobody knows (UNCERTAIN)."""

    state: EffectState
    result: JsonValue = None
    error: str | None = None


def uncertain_key(key: str, attempt: int) -> str:
    """The call key of the card that asks what became of an attempt."""
    return f"{key}!uncertain{attempt}"
