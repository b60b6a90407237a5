"""What the models of a run were asked for, in tokens: a record for each call, and their sum."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pydantic import BaseModel, ConfigDict, Field

#: Of a run with more calls of models than this, the oldest are told as one.
MOST_CALLS = 200


class ModelCall(BaseModel):
    """One call of a model, as its framework tells it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str | None = None
    agent_name: str | None = None
    input_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)
    #: Of the input: read from the provider's cache.
    cached_tokens: int = Field(default=0, ge=0)
    #: Of the output: thought, and not said.
    reasoning_tokens: int = Field(default=0, ge=0)
    #: More than one where older calls are told together.
    calls: int = Field(default=1, ge=1)


class Usage(BaseModel):
    """The sum of a run's calls of models."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model_calls: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0
    reasoning_tokens: int = 0


def usage_of(calls: Sequence[ModelCall]) -> Usage | None:
    """Return the sum; None where nothing is known of any call."""
    if not calls:
        return None
    return Usage(
        model_calls=sum(call.calls for call in calls),
        input_tokens=sum(call.input_tokens for call in calls),
        output_tokens=sum(call.output_tokens for call in calls),
        cached_tokens=sum(call.cached_tokens for call in calls),
        reasoning_tokens=sum(call.reasoning_tokens for call in calls),
    )


def with_calls(before: Sequence[ModelCall], more: Iterable[ModelCall]) -> tuple[ModelCall, ...]:
    """Return all of them; the oldest together where they are too many to keep."""
    calls = (*before, *more)
    older, newer = calls[: -MOST_CALLS + 1], calls[-MOST_CALLS + 1 :]
    whole = usage_of(older) if len(calls) > MOST_CALLS else None
    if whole is None:
        return calls
    fields = whole.model_dump(exclude={"model_calls"})
    return (ModelCall(calls=whole.model_calls, **fields), *newer)
