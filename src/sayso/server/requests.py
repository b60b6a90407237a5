"""What clients may send: one model per body, closed, with a bound on every size."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Literal, TypeVar

import orjson
from fastapi import Query
from pydantic import (
    AwareDatetime,
    Base64Encoder,
    BaseModel,
    ConfigDict,
    EncodedBytes,
    Field,
    JsonValue,
    StrictBool,
    StringConstraints,
    ValidationError,
)
from pydantic_core import PydanticCustomError

from sayso.core.asks import UNNAMED_TOOL, AskKind, AskSpec, ReportState
from sayso.core.attachments import MOST_ATTACHMENTS, File, WebLink
from sayso.core.cards import Asker, Option
from sayso.core.digest import JsonObject
from sayso.core.errors import InvalidInput
from sayso.core.interactions import OnExpiry
from sayso.core.json_limits import DEEPEST, is_too_deep
from sayso.core.messages import SOURCE, Message, field_error

# Names, keys and ids of ours are 36 characters; others' may be longer, but nobody reads 200.
Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Title = Annotated[str, StringConstraints(strip_whitespace=True, max_length=500)]
# Some 20 pages. A whole document belongs in an artifact or a tool.
Words = Annotated[str, StringConstraints(min_length=1, max_length=100_000)]
Reason = Annotated[str, StringConstraints(strip_whitespace=True, max_length=10_000)]
# What the query of many routes holds: how much of a list, an id, and how long a reply may be held.
Limit = Annotated[int, Query(ge=1, le=200)]
Id = Annotated[str | None, Query(max_length=200)]
#: An answer rarely takes longer; a client that wants to wait more can ask again.
MOST_WAIT_SECONDS = 300
Wait = Annotated[float, Query(ge=0, le=MOST_WAIT_SECONDS)]
#: The largest number that every client can say exactly; a database can compare it too.
LARGEST = 2**53 - 1
# A year: a card that waits longer should not have a time at all.
Seconds = Annotated[float, Field(gt=0, le=366 * 86_400)]
# Year 9999 ends earlier in UTC than it does west of it, and what is after that has no date.
Time = Annotated[AwareDatetime, Field(lt=datetime(9999, 1, 1, tzinfo=UTC))]


class RequestBody(BaseModel):
    """A request's body. An unknown field is an error: it may be a misspelt one that matters."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class NewChatBody(RequestBody):
    agent: Name | None = None
    title: Title = ""


class RenameBody(RequestBody):
    title: Annotated[Title, StringConstraints(min_length=1)]


class RequirementBody(RequestBody):
    """A field of an action and its value; null clears it."""

    field: Name
    value: JsonValue = None


class MessageBody(RequestBody):
    content: Words
    client_message_id: Name
    context: JsonObject = Field(default_factory=dict)
    mode: Literal["queue", "supersede"] = "queue"


class CancelBody(RequestBody):
    reason: Reason | None = None


class DismissBody(RequestBody):
    reason: Reason | None = None


class ExtendBody(RequestBody):
    """`seen` is the `expires_at` that was on the screen; with it, two people never extend twice."""

    seconds: Seconds
    seen: AwareDatetime | None = None


class ClaimBody(RequestBody):
    """Without `person` it is one's own; with it the card is handed over, with a note."""

    person: Name | None = None
    note: Annotated[str, StringConstraints(max_length=500)] = ""
    seconds: Annotated[Seconds, Field(ge=60, le=30 * 86_400)] = 900.0
    take_over: StrictBool = False


class SnoozeBody(RequestBody):
    until: Time


class TriedRuleBody(RequestBody):
    """A rule in the words of the policy file: `when` compares arguments of the card's call."""

    interaction_id: Name
    then: Literal["allow", "ask", "deny"]
    when: dict[Name, JsonValue] = Field(default_factory=dict, max_length=20)


class RuleBody(TriedRuleBody):
    ends_at: Time | None = None


class AnswerItem(RequestBody):
    """One answer of a batch, or of a WebSocket's `answer` frame."""

    interaction_id: Name
    key: Name
    body: JsonObject


class UiRequestBody(RequestBody):
    """A JSON-RPC request of a tool's own UI, as its page passes it on."""

    method: Name
    params: JsonObject = Field(default_factory=dict)


class AgreeBody(RequestBody):
    """A held tool, as its digest says that it was shown."""

    tool: Name
    digest: Name


class UiToolCall(RequestBody):
    """The params of `tools/call` that count here; the rest is not passed on."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: Name
    arguments: JsonObject = Field(default_factory=dict)


class UiResourceRead(RequestBody):
    model_config = ConfigDict(frozen=True, extra="ignore")

    uri: Annotated[str, StringConstraints(min_length=1, max_length=2000)]


class RetryBody(RequestBody):
    arguments: JsonObject | None = None


class ArtifactBody(RequestBody):
    content: JsonValue
    title: Title | None = None


class ChatPreferenceBody(RequestBody):
    key: Name
    value: JsonValue


class PushKeysBody(RequestBody):
    p256dh: Name
    auth: Name


class PushSubscriptionBody(RequestBody):
    """A browser's `PushSubscription` as it writes itself, and the language of its page."""

    endpoint: Annotated[str, StringConstraints(min_length=1, max_length=2000)]
    #: Browsers say it; nothing depends on it.
    expirationTime: float | None = None
    keys: PushKeysBody
    language: Annotated[str, StringConstraints(max_length=20)] = SOURCE


class NoticePlaceBody(RequestBody):
    """A mail address, or the URL of a webhook, and the language that its person reads."""

    address: Annotated[str, StringConstraints(min_length=3, max_length=2000)]
    language: Annotated[str, StringConstraints(max_length=20)] = SOURCE


class _Base64(Base64Encoder):
    """Passes over line breaks, and over nothing else: it would be missing from what is shown."""

    @classmethod
    def decode(cls, data: bytes) -> bytes:
        try:
            return b64decode(b"".join(data.split()), validate=True)
        except ValueError as exc:
            raise PydanticCustomError("base64_decode", "needs to be base64") from exc


class FileBody(File):
    """A file, its content in base64."""

    content: Annotated[bytes, EncodedBytes(encoder=_Base64)]


class AskBody(RequestBody):
    """What a script, a job or an agent outside asks. `digest_over` names the arguments that a yes
    is to (all of them, if it is left out); the rest is shown as not bound."""

    kind: AskKind
    title: Annotated[Title, StringConstraints(min_length=1)]
    context: JsonObject = Field(default_factory=dict)
    tool_name: Name = UNNAMED_TOOL
    arguments: JsonObject = Field(default_factory=dict)
    #: Names of arguments that a person may change, or each with the JSON Schema of its values.
    editable: list[Name] | dict[Name, JsonObject] = Field(default_factory=list, max_length=100)
    digest_over: list[Name] | None = Field(default=None, max_length=100)
    options: list[Option] = Field(default_factory=list, max_length=100)
    schema_: JsonObject | None = Field(default=None, alias="schema")
    asker: Asker = Field(default_factory=Asker)
    assignees: list[Name] = Field(default_factory=list, max_length=100)
    expires_at: Time | None = None
    on_expiry: OnExpiry = Field(default_factory=OnExpiry)
    callback_url: Annotated[str, StringConstraints(max_length=2000)] | None = None
    #: Files, in base64, and links.
    attachments: list[FileBody | WebLink] = Field(default_factory=list, max_length=MOST_ATTACHMENTS)

    def ask(self, *, now: datetime) -> AskSpec:
        editable: JsonObject = (
            {**self.editable}
            if isinstance(self.editable, dict)
            else {name: {} for name in self.editable}
        )
        return AskSpec(
            kind=self.kind,
            title=self.title,
            context=self.context,
            tool_name=self.tool_name,
            arguments=self.arguments,
            editable=editable,
            digest_over=self.digest_over,
            options=self.options,
            schema=self.schema_,
            asker=self.asker,
            assignees=tuple(self.assignees),
            expires_in=self.expires_at - now if self.expires_at is not None else None,
            on_expiry=self.on_expiry,
            attachments=self.attachments,
        )


class StartBody(RequestBody):
    """`report_within` is how long the asker may take to report; `idempotent` says that it may be
    done twice, so that an asker which has died in between may go on."""

    report_within: Seconds = 3600.0
    idempotent: bool = False


class ReportBody(RequestBody):
    state: ReportState
    result: JsonValue = None
    error: Reason | None = None


class WithdrawBody(RequestBody):
    reason: Reason | None = None


class SessionBody(RequestBody):
    token: Annotated[str, StringConstraints(min_length=1, max_length=1000)]


# ── the frames of a WebSocket ──


class DismissFrame(DismissBody):
    interaction_id: Name


class ExtendFrame(ExtendBody):
    interaction_id: Name


class DraftFrame(RequestBody):
    interaction_id: Name
    content: JsonObject


class ClientFrame(RequestBody):
    """`{"ref", "type", "data"}`; the acknowledgement carries the same `ref`."""

    ref: Annotated[str, StringConstraints(max_length=200)] | int
    type: Literal["message", "answer", "dismiss", "extend", "cancel", "draft"]
    data: JsonObject = Field(default_factory=dict)


RequestT = TypeVar("RequestT", bound=RequestBody)


def read_json(text: str | bytes) -> object:
    """Read any JSON in which no name is repeated. Raises JSONDecodeError; orjson refuses NaN, lone
    surrogates and broken UTF-8."""
    wire: object = orjson.loads(text)
    if is_too_deep(wire):
        raise json.JSONDecodeError(f"it is nested deeper than {DEEPEST} levels", "", 0)
    # orjson keeps the last of two; another reader may keep the first, and see another answer.
    json.loads(text, object_pairs_hook=_reject_repeated_names)
    return wire


def _reject_repeated_names(pairs: list[tuple[str, object]]) -> None:
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            raise json.JSONDecodeError(f"the name '{name[:80]}' stands twice in one object", "", 0)
        seen.add(name)


def read_object(text: str | bytes) -> JsonObject:
    """Read a JSON object. Raises InvalidInput."""
    try:
        wire = read_json(text)
    except json.JSONDecodeError as exc:
        raise InvalidInput(f"This is not JSON: {exc}.") from exc
    if not isinstance(wire, dict):
        raise InvalidInput("This is not a JSON object.")
    return wire


def read_as(model: type[RequestT], value: JsonObject) -> RequestT:
    """Read `value` as this model. Raises InvalidInput with what does not fit, field by field."""
    try:
        return model.model_validate(value)
    except ValidationError as exc:
        fields = [(error["loc"], error["msg"]) for error in exc.errors(include_url=False)]
        raise invalid_fields(fields) from exc


def invalid_field(path: str, needed: str) -> InvalidInput:
    """Return the error that names one field."""
    return invalid_fields([((path,), needed)])


def invalid_fields(found: Sequence[tuple[Sequence[object], str]]) -> InvalidInput:
    """Return the error that names each field by its path (`rows/0/id`) and says what it needs."""
    fields = [field_error("/".join(map(str, loc)), _needed(text)) for loc, text in found]
    first = fields[0] if fields else {"path": "body", "message": "could not be read"}
    path = first["path"] or "body"
    return InvalidInput(f"{path}: {first['message']}.", context={"errors": fields})


def _needed(said: str) -> str:
    """Return what pydantic says of a field, in the form of our own sentences."""
    text = said[:1].lower() + said[1:]
    return Message(text, "field.missing", {}) if said == "Field required" else text
