"""An effect: the side effect of a tool call, with its own record, so that a crash never makes it
happen twice."""

from __future__ import annotations

from dataclasses import dataclass, replace
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

    @classmethod
    def started(cls, start: EffectStart, *, at: datetime) -> Effect:
        return cls(
            key=start.key,
            attempt=start.attempt,
            state=EffectState.STARTED,
            tool_name=start.tool_name,
            arguments=start.arguments,
            started_at=at,
            shown_digest=start.shown_digest,
            executed_digest=start.executed_digest,
        )

    def ended(self, end: EffectEnd, *, at: datetime) -> Effect:
        return replace(self, state=end.state, result=end.result, error=end.error, ended_at=at)


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantUse:
    """A grant about to be used, and the values it must have been given for."""

    grant_id: str
    value_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectStart:
    """An attempt about to begin; its start is committed before the body runs."""

    key: str
    attempt: int
    tool_name: str
    arguments: JsonObject
    #: The call's row in the chat: a cancelled run leaves it open, and `end_effect` tells its truth.
    tool_call_id: str | None = None
    shown_digest: str | None = None
    executed_digest: str | None = None
    #: The leave under which a gated action runs: used up in the transaction that starts it.
    grant: GrantUse | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectEnd:
    """How an attempt ended: with a result (DONE), an error, or nobody knows (UNCERTAIN)."""

    state: EffectState
    result: JsonValue = None
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallRecord:
    """What a retry starts from: the call, its run, and its last effect."""

    tool_call_id: str
    chat_id: str
    run_id: str
    tool_name: str
    arguments: JsonObject
    status: str
    effect: Effect | None = None


def uncertain_key(key: str, attempt: int) -> str:
    """The call key of the card that asks what became of an attempt."""
    return f"{key}!uncertain{attempt}"
