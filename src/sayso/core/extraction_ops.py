"""Extraction: what an extractor is given of one message, and the operations it may answer with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from sayso.core.requirements import ActionSpec, Begun, Pending, Slot


class Doubt(StrEnum):
    """Why words that name a value do not state it of this request."""

    NEGATED = "negated"
    ASKED = "asked"
    #: Of a wish, a condition, an example.
    SUPPOSED = "supposed"
    PAST = "past"
    #: About somebody else, or said to somebody else.
    OF_ANOTHER = "of_another"
    #: Quoted, forwarded or pasted.
    QUOTED = "quoted"
    #: Several questions, or several values, would fit it.
    AMBIGUOUS = "ambiguous"
    #: The words do not say this value.
    UNSUPPORTED = "unsupported"


class _Operation(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Valued(_Operation):
    slot: str
    value: JsonValue
    quote: str = ""
    span: tuple[int, int] | None = None


class Set(_Valued):
    """A value that the person states of this request, now."""

    op: Literal["set"] = "set"


class Begin(_Valued):
    """The day of a moment without its time: "on Friday". The time is asked for."""

    op: Literal["begin"] = "begin"


class Correct(_Valued):
    """A value in place of the one that is known; a list's entries replace the old ones."""

    op: Literal["correct"] = "correct"


class Suggest(_Valued):
    """A value that the words name and do not state. It is offered, and never counts."""

    op: Literal["suggest"] = "suggest"
    doubt: Doubt = Doubt.UNSUPPORTED


class Clear(_Operation):
    op: Literal["clear"] = "clear"
    slot: str


class Confirm(_Operation):
    """A strong yes: it is leave."""

    op: Literal["confirm"] = "confirm"
    #: The question for information that came with it: "Yes. What's the address?".
    question: str = ""


class Lean(_Operation):
    """It leans to a yes and is none: "great", "thanks". Whoever asked asks once outright."""

    op: Literal["lean"] = "lean"


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
    Set
    | Begin
    | Correct
    | Suggest
    | Clear
    | Confirm
    | Lean
    | Deny
    | Later
    | RequestAction
    | Unclear,
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
    #: Whether it was asked outright ("Shall I create it?"), so that "ok" is a yes.
    outright: bool = False
    #: The actions that were asked for and have not run: what "create both" speaks of.
    requested: Sequence[str] = ()
    known: Mapping[str, JsonValue] = field(default_factory=dict)
    #: The days that are told of moments which have no time yet.
    begun: Mapping[str, Begun] = field(default_factory=dict)
    #: What the card or offer shows of slots that nobody has said: "half an hour longer" is of it.
    assumed: Mapping[str, JsonValue] = field(default_factory=dict)
    #: What the agent offered in its last words, by slot: "the 10:30 train".
    offered: Mapping[str, Sequence[JsonValue]] = field(default_factory=dict)
    #: The last messages before this one, oldest first, as (role, text).
    tail: Sequence[tuple[str, str]] = ()
    #: The reader's language as a BCP 47 tag; "" when it is not known.
    language: str = ""
    today: datetime | None = None

    def to_change(self, slot: str) -> JsonValue | Begun:
        """Return what words may change or finish: what is known of a slot, shown or begun."""
        shown = self.known.get(slot, self.assumed.get(slot))
        return self.begun.get(slot) if shown is None else shown
