"""Operations: what one message does to what is known, and all that an extractor is given to find
them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from sayso.core.requirements import ActionSpec, Pending, Slot


class _Operation(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Set(_Operation):
    op: Literal["set"] = "set"
    slot: str
    value: JsonValue
    quote: str = ""
    span: tuple[int, int] | None = None


class Correct(_Operation):
    """A value in place of the one that is known; a list's entries replace the old ones."""

    op: Literal["correct"] = "correct"
    slot: str
    value: JsonValue
    quote: str = ""
    span: tuple[int, int] | None = None


class Clear(_Operation):
    op: Literal["clear"] = "clear"
    slot: str


class Confirm(_Operation):
    op: Literal["confirm"] = "confirm"


class Deny(_Operation):
    op: Literal["deny"] = "deny"


class Later(_Operation):
    op: Literal["later"] = "later"


class RequestAction(_Operation):
    """The person asked for this action. `runs` when they told it to run, rather than wished for
    it."""

    op: Literal["request_action"] = "request_action"
    action: str
    runs: bool = False


class Unclear(_Operation):
    op: Literal["unclear"] = "unclear"


Operation = Annotated[
    Set | Correct | Clear | Confirm | Deny | Later | RequestAction | Unclear,
    Field(discriminator="op"),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What an extractor is given, and no more: one new message and what it may be about."""

    message: str
    slots: Mapping[str, Slot]
    actions: Sequence[ActionSpec]
    #: The slots of the last question.
    asked: Sequence[str] = ()
    #: What a yes would answer.
    pending: Pending | None = None
    #: The actions that were asked for and have not run: what "create both" speaks of.
    requested: Sequence[str] = ()
    known: Mapping[str, JsonValue] = field(default_factory=dict)
    #: What the agent offered in its last words, by slot: "the 10:30 train".
    offered: Mapping[str, Sequence[JsonValue]] = field(default_factory=dict)
    #: The last messages before this one, oldest first, as (role, text).
    tail: Sequence[tuple[str, str]] = ()
    #: The reader's language as a BCP 47 tag; "" when it is not known.
    language: str = ""
    today: datetime | None = None
