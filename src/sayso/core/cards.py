"""What a person sees when an agent needs them: one model per card.

A card's fields lie flat in the payload of its UI tool (docs/reference/contracts.md). What Sayso
adds (who it is for, how long it waits, which digest it shows) lies beside them under the one
reserved key `sayso`.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, model_validator

from sayso.core.attachments import Attached
from sayso.core.digest import JsonObject
from sayso.core.messages import Said, Saying


class CardKind(StrEnum):
    APPROVAL = "approval"
    OPTIONS = "options"
    FORM = "form"
    EXCHANGES = "exchanges"
    REQUIREMENTS = "requirements"
    CONFIRMATION = "confirmation"
    HOLD = "hold"
    VALIDATION = "validation"
    CRITICAL_FAILURE = "critical_failure"
    RECOVERABLE_ERROR = "recoverable_error"
    UNCERTAIN_EFFECT = "uncertain_effect"
    ARTIFACT = "artifact"
    UI_TOOL = "ui_tool"


class Display(StrEnum):
    """Where a card is drawn: in the chat, or in the panel beside it."""

    INLINE = "inline"
    ARTIFACT = "artifact"


class Asker(BaseModel):
    """Who asks from outside, as it says itself: shown as claimed, never as known."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    #: The program: "ci", "claude-code", "backup.sh".
    client: str = ""
    #: What joins the asks of one piece of work.
    session: str = ""
    folder: str = ""
    host: str = ""


class _Card(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    title: str
    agent_message: str = ""
    #: What the server itself says on the card. On the wire it is `sayso.code` and `sayso.params`.
    says: Saying | None = None
    #: Who asks, of an ask from outside. On the wire it is `sayso.asker`.
    asker: Asker | None = None
    #: What it rests on: files and links. A file's bytes are had by its digest.
    attachments: list[Attached] | None = None


class Change(BaseModel):
    """One value that differs: from the revision before, or from what the agent proposed."""

    model_config = ConfigDict(frozen=True)

    path: str
    before: JsonValue = None
    after: JsonValue = None


class AskingRule(BaseModel):
    """What asks for a person: a rule of the policy or of a named one, the tool itself, or that
    nobody has declared the tool."""

    model_config = ConfigDict(frozen=True)

    by: Literal["rule", "policy", "tool", "undeclared", "unclear"]
    number: int | None = None
    #: The name of the policy.
    policy: str | None = None
    #: The rule as it would stand in a TOML file.
    line: str | None = None
    #: Set where a rule that a person writes may answer instead (core.standing_rules).
    may_be_ruled: Literal[True] | None = None


class ValueFormat(BaseModel):
    """How a value of an argument is read, as the tool's schema says: an amount of a currency (ISO
    4217), a number of a unit, a date or a time."""

    model_config = ConfigDict(frozen=True)

    format: Literal["currency", "date", "date-time"] | None = None
    currency: str | None = None
    unit: str | None = None


class FieldMistake(Said):
    """What is wrong with a value that a person gave, at its place in the answer."""

    text_field = "message"

    path: str
    message: str


class ApprovalCard(_Card):
    """An approval. `entity_details` is exactly what will run or be written, whole."""

    card: Literal[CardKind.APPROVAL] = CardKind.APPROVAL
    message: str | None = None
    tool_name: str
    tool_params: JsonObject
    tool_description: str = ""
    entity_type: str = ""
    entity_summary: str = ""
    entity_details: JsonObject = Field(default_factory=dict)
    action: str = ""
    impact: str | None = None
    context: JsonObject = Field(default_factory=dict)
    warnings: list[str] = Field(default_factory=list)
    approval_options: list[str] = Field(default_factory=lambda: ["approve", "reject"])
    requires_reason: bool = True
    final_confirmation: bool = False
    #: JSON Schema of the arguments a person may change here; its properties name them.
    edit_schema: JsonObject | None = None
    changes: list[Change] = Field(default_factory=list)
    #: What is there now and would be replaced, by the name of the argument that replaces it.
    before: JsonObject | None = None
    #: The edits that a person made on the revision before, which the tool refused, and why: the
    #: card comes back with what was typed, and its words at their fields.
    typed: JsonObject | None = None
    errors: list[FieldMistake] | None = None
    #: True when the agent itself acts on the answer, and Sayso runs nothing (a foreign tool's
    #: request).
    agent_acts: bool = False
    #: The rule that asks permits "always allow in this chat", so the answer may say so
    #: (`metadata.always_allow`).
    may_be_remembered: bool = False
    #: Whether it may be approved together with others. On the wire it is `sayso.bulk`.
    bulk: bool = False
    #: Which rule asks. On the wire it is `sayso.rule`.
    rule: AskingRule | None = None
    #: How arguments are read that are more than text or a bare number. On the wire it is
    #: `sayso.formats`.
    formats: dict[str, ValueFormat] | None = None
    #: The rest of what an ask from outside came with: shown, and no part of what a yes is to.
    not_bound: JsonObject | None = None


class Option(BaseModel):
    model_config = ConfigDict(frozen=True)

    id: str
    label: str
    description: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _a_bare_word_is_an_option(cls, value: object) -> object:
        return {"id": value, "label": value} if isinstance(value, str) else value


class OptionsCard(_Card):
    """A question. Without options it is a free question, answered in `additional_notes`."""

    card: Literal[CardKind.OPTIONS] = CardKind.OPTIONS
    question: str
    options: list[Option] = Field(default_factory=list)
    context: JsonObject = Field(default_factory=dict)
    allow_notes: bool = True
    #: True on a notice: it asks nothing, and whoever is shown it has answered with its one option.
    is_notice: Literal[True] | None = None

    @property
    def is_free_question(self) -> bool:
        return not self.options


class FormCard(_Card):
    """Values to fill in, described and checked by one JSON Schema."""

    card: Literal[CardKind.FORM] = CardKind.FORM
    message: str | None = None
    response_schema: JsonObject
    values: JsonObject = Field(default_factory=dict)
    context: JsonObject = Field(default_factory=dict)
    submit_label: str | None = None
    #: True on the gate's own form: a message does not wait for it, and is read instead of it.
    for_gate: Literal[True] | None = None


class Row(BaseModel):
    model_config = ConfigDict(frozen=True)

    row_id: str
    values: JsonObject
    warnings: list[str] = Field(default_factory=list)


class Column(BaseModel):
    model_config = ConfigDict(frozen=True)

    key: str
    label: str
    editable: bool = False


class ExchangesCard(ApprovalCard):
    """An approval whose rows are decided one by one."""

    card: Literal[CardKind.EXCHANGES] = CardKind.EXCHANGES  # type: ignore[assignment]  # narrower tag
    columns: list[Column]
    rows: list[Row]
    #: The argument that the rows are: a changed cell is an edit of it, whole. None where the rows
    #: were computed, and nothing in them can be changed.
    rows_argument: str | None = None
    #: Whether each row is one thing that would run, so that some can be approved and others not;
    #: else all of them are approved, or none.
    rows_decidable: bool = True


class KnownValue(Said):
    """One value of an action about to run, in words, with where it came from."""

    text_field = "text"

    field: str
    label: str
    text: str
    source: str
    source_code: str | None = None
    #: The person's own words, where they said it.
    quote: str = ""
    #: The agent's words that those took up, where the agent had offered the value.
    offered: str = ""
    #: A default that nobody has spoken about.
    assumed: bool = False


class RequirementsCard(ApprovalCard):
    """Go ahead with these values? Every one is shown, says where it came from, and can be changed;
    changing one opens the card anew."""

    card: Literal[CardKind.REQUIREMENTS] = CardKind.REQUIREMENTS  # type: ignore[assignment]  # narrower tag
    known: list[KnownValue]


class Detail(BaseModel):
    model_config = ConfigDict(frozen=True)

    label: str
    value: JsonValue


class ConfirmationCard(_Card):
    """Yes or no before something goes ahead, with everything it depends on."""

    card: Literal[CardKind.CONFIRMATION] = CardKind.CONFIRMATION
    message: str | None = None
    details: list[Detail] = Field(default_factory=list)
    impact: str | None = None
    context: JsonObject = Field(default_factory=dict)
    approval_options: list[str] = Field(default_factory=lambda: ["approve", "reject"])
    requires_reason: bool = False


class HoldCard(ConfirmationCard):
    """What was approved and has not begun: it runs when the time is over, unless the yes is taken
    back before. A yes lets it run at once."""

    card: Literal[CardKind.HOLD] = CardKind.HOLD  # type: ignore[assignment]  # narrower tag
    tool_name: str
    approval_options: list[str] = Field(default_factory=lambda: ["run now", "undo"])


class ValidationCard(_Card):
    """A validation report: for information, nothing is asked."""

    card: Literal[CardKind.VALIDATION] = CardKind.VALIDATION
    model_config = ConfigDict(frozen=True, extra="allow")

    status: Literal["validation_complete"] = "validation_complete"
    is_valid: bool
    validation_errors: list[str] = Field(default_factory=list)
    validation_warnings: list[str] = Field(default_factory=list)
    exchange_summary: dict[str, JsonValue] = Field(default_factory=dict)
    next_steps: list[str] = Field(default_factory=list)


class Retry(BaseModel):
    """What `POST /api/tool-calls/{id}/retry` needs: the call, and its arguments to start from."""

    model_config = ConfigDict(frozen=True)

    tool_call_id: str
    tool_name: str
    arguments: JsonObject = Field(default_factory=dict)
    #: JSON Schema of the arguments, so that they can be corrected before the retry.
    arguments_schema: JsonObject | None = None


class CriticalFailureCard(_Card):
    """A critical failure: red, with steps that resolve it."""

    card: Literal[CardKind.CRITICAL_FAILURE] = CardKind.CRITICAL_FAILURE
    status: Literal["critical_failure"] = "critical_failure"
    message: str
    details: str | None = None
    code: str | None = None
    resolution_steps: list[str] = Field(default_factory=list)
    retry: Retry | None = None


class RecoverableErrorCard(_Card):
    """A recoverable error: amber, with a suggestion."""

    card: Literal[CardKind.RECOVERABLE_ERROR] = CardKind.RECOVERABLE_ERROR
    status: Literal["error"] = "error"
    message: str
    details: str | None = None
    code: str | None = None
    suggestion: str
    retry: Retry | None = None
    #: The run that `POST /api/runs/{id}/retry` lets go on from where it was.
    retry_run: str | None = None


class UncertainEffectCard(_Card):
    """A crash fell between "started" and "recorded": a person says what is true.

    Answered with `selected_option` run_again, mark_done (with `values.result`) or skip.
    """

    card: Literal[CardKind.UNCERTAIN_EFFECT] = CardKind.UNCERTAIN_EFFECT
    tool_name: str
    tool_params: JsonObject
    started_at: datetime
    attempt: int
    options: list[Option] = Field(
        default_factory=lambda: [
            Option(id="run_again", label="Run it again"),
            Option(id="mark_done", label="It was done"),
            Option(id="skip", label="Skip it"),
        ]
    )


class ArtifactCard(_Card):
    """Points from the chat to a versioned result that is drawn beside it."""

    card: Literal[CardKind.ARTIFACT] = CardKind.ARTIFACT
    artifact_id: str
    version: int


class UiToolCard(BaseModel):
    """An application's own card: its payload is the application's, kept as given."""

    model_config = ConfigDict(frozen=True)

    card: Literal[CardKind.UI_TOOL] = CardKind.UI_TOOL
    payload: JsonObject = Field(default_factory=dict)
    response_schema: JsonObject | None = None

    @property
    def title(self) -> str:
        return str(self.payload.get("title") or "")

    @property
    def agent_message(self) -> str:
        return str(self.payload.get("agent_message") or "")


Card = Annotated[
    ApprovalCard
    | OptionsCard
    | FormCard
    | ExchangesCard
    | RequirementsCard
    | ConfirmationCard
    | HoldCard
    | ValidationCard
    | CriticalFailureCard
    | RecoverableErrorCard
    | UncertainEffectCard
    | ArtifactCard
    | UiToolCard,
    Field(discriminator="card"),
]
CARD: TypeAdapter[Card] = TypeAdapter(Card)


class CardMeta(BaseModel):
    """What stands under `payload.sayso`: how the card is to be answered. Times are RFC 3339."""

    model_config = ConfigDict(frozen=True)

    card: CardKind
    #: None for a card that asks for nothing.
    interaction_type: str | None = None
    run_id: str | None = None
    tool_call_id: str | None = None
    batch_id: str | None = None
    expires_at: str | None = None
    on_expiry: JsonObject | None = None
    #: Over all that this revision shows and all that would run: an answer names it.
    digest: str | None = None
    revision: int = 1
    #: What this revision changed, where the card was redrawn.
    changes: list[Change] | None = None
    assignees: list[str] = Field(default_factory=list)
    #: Who asks, of an ask from outside.
    asker: Asker | None = None
    response_schema: JsonObject | None = None
    #: True where a policy lets it be approved together with others.
    bulk: bool | None = None
    #: Which rule asks for a person.
    rule: AskingRule | None = None
    #: How values are read, by the names of the arguments.
    formats: dict[str, ValueFormat] | None = None
    #: What says its texts in other languages, where they are the server's own.
    code: str | None = None
    params: JsonObject | None = None


#: What stands under `sayso`, and not among the card's own fields.
_IN_META = {"card", "bulk", "rule", "formats", "says", "asker"}


def payload_of(card: Card, meta: CardMeta) -> JsonObject:
    """Return the wire payload: the card's own fields, and `sayso` beside them."""
    if isinstance(card, UiToolCard):
        fields = dict(card.payload)
    else:
        fields = card.model_dump(mode="json", exclude_none=True, exclude=_IN_META)
        if card.says is not None:
            meta = meta.model_copy(update={**card.says.model_dump()})
    return {**fields, "sayso": meta.model_dump(mode="json", exclude_none=True)}
