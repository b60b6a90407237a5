"""What clients may send: one model per body, closed, with a bound on every size."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Literal, TypeVar

import orjson
from pydantic import (
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    StringConstraints,
    ValidationError,
)

from sayso.core.depth import DEEPEST, is_too_deep
from sayso.core.digest import JsonObject
from sayso.core.errors import InvalidInput

# Names, keys and ids of ours are 36 characters; others' may be longer, but nobody reads 200.
Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Title = Annotated[str, StringConstraints(strip_whitespace=True, max_length=500)]
# Some 20 pages. A whole document belongs in an artifact or a tool.
Words = Annotated[str, StringConstraints(min_length=1, max_length=100_000)]
Reason = Annotated[str, StringConstraints(strip_whitespace=True, max_length=10_000)]
#: The largest number that every client can say exactly; a database can compare it too.
LARGEST = 2**53 - 1
# A year: a card that waits longer should not have a time at all.
Seconds = Annotated[float, Field(gt=0, le=366 * 86_400)]


class Body(BaseModel):
    """A request's body. An unknown field is an error: it may be a misspelt one that matters."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class NewChatBody(Body):
    agent: Name | None = None
    title: Title = ""


class RenameBody(Body):
    title: Annotated[Title, StringConstraints(min_length=1)]


class RequirementBody(Body):
    """A field of an action and its value; null clears it."""

    field: Name
    value: JsonValue = None


class MessageBody(Body):
    content: Words
    client_message_id: Name
    context: JsonObject = Field(default_factory=dict)
    mode: Literal["queue", "supersede"] = "queue"


class CancelBody(Body):
    reason: Reason | None = None


class DismissBody(Body):
    reason: Reason | None = None


class ExtendBody(Body):
    """`seen` is the `expires_at` that was on the screen; with it, two people never extend twice."""

    seconds: Seconds
    seen: AwareDatetime | None = None


class AnswerItem(Body):
    """One answer of a batch, or of a WebSocket's `answer` frame."""

    interaction_id: Name
    key: Name
    body: JsonObject


class RetryBody(Body):
    arguments: JsonObject | None = None


class ArtifactBody(Body):
    content: JsonValue
    title: Title | None = None


class ChatPreferenceBody(Body):
    key: Name
    value: JsonValue


class SessionBody(Body):
    token: Annotated[str, StringConstraints(min_length=1, max_length=1000)]


# ── the frames of a WebSocket ──


class DismissFrame(DismissBody):
    interaction_id: Name


class ExtendFrame(ExtendBody):
    interaction_id: Name


class DraftFrame(Body):
    interaction_id: Name
    content: JsonObject


class ClientFrame(Body):
    """`{"ref", "type", "data"}`; the acknowledgement carries the same `ref`."""

    ref: Annotated[str, StringConstraints(max_length=200)] | int
    type: Literal["message", "answer", "dismiss", "extend", "cancel", "draft"]
    data: JsonObject = Field(default_factory=dict)


BodyT = TypeVar("BodyT", bound=Body)


def read_json(text: str | bytes) -> object:
    """Any JSON in which each name stands once. Raises JSONDecodeError; orjson refuses NaN, lone
    surrogates and broken UTF-8."""
    wire: object = orjson.loads(text)
    if is_too_deep(wire):
        raise json.JSONDecodeError(f"it is nested deeper than {DEEPEST} levels", "", 0)
    # orjson keeps the last of two; whoever looked at the first would have read another answer.
    json.loads(text, object_pairs_hook=_each_once)
    return wire


def _each_once(pairs: list[tuple[str, object]]) -> None:
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            raise json.JSONDecodeError(f"the name '{name[:80]}' stands twice in one object", "", 0)
        seen.add(name)


def read_object(text: str | bytes) -> JsonObject:
    """A JSON object. Raises InvalidInput."""
    try:
        wire = read_json(text)
    except json.JSONDecodeError as exc:
        raise InvalidInput(f"This is not JSON: {exc}.") from exc
    if not isinstance(wire, dict):
        raise InvalidInput("This is not a JSON object.")
    return wire


def read_as(model: type[BodyT], value: JsonObject) -> BodyT:
    """`value` as this model. Raises InvalidInput with what does not fit, field by field."""
    try:
        return model.model_validate(value)
    except ValidationError as exc:
        fields = [(error["loc"], error["msg"]) for error in exc.errors(include_url=False)]
        raise invalid_fields(fields) from exc


def invalid_fields(found: Sequence[tuple[Sequence[object], str]]) -> InvalidInput:
    """The error that names each field by its path (`rows/0/id`) and says what it needs."""
    fields = [{"path": "/".join(map(str, loc)), "message": _lower(said)} for loc, said in found]
    first = fields[0] if fields else {"path": "body", "message": "could not be read"}
    place = first["path"] or "body"
    return InvalidInput(f"{place}: {first['message']}.", context={"errors": fields})


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]
