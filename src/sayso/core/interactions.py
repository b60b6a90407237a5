"""An interaction: one moment that needs a person, from the request that opens it to its answer.

It leaves `pending` exactly once; `core/decisions.py` has the rules by which it moves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    StrictBool,
    field_validator,
    model_validator,
)

from sayso.core.attachments import AttachedFile
from sayso.core.cards import (
    ApprovalCard,
    Asker,
    Card,
    CardKind,
    CardMeta,
    Change,
    Display,
    UiToolCard,
    payload_of,
)
from sayso.core.digest import JsonObject, canonical_json, digest, object_in
from sayso.core.messages import Message, coded, message, recalled
from sayso.core.record import Account
from sayso.core.shown import changes_between, content_of, is_same, shown_digest


class InteractionType(StrEnum):
    TOOL_APPROVAL = "tool_approval"
    USER_INPUT = "user_input"
    CONFIRMATION = "confirmation"
    CANCELLATION = "cancellation"


class InteractionState(StrEnum):
    PENDING = "pending"
    COMPLETED = "completed"
    REJECTED = "rejected"
    DISMISSED = "dismissed"
    EXPIRED = "expired"
    CANCELLED = "cancelled"
    SUPERSEDED = "superseded"

    @property
    def is_final(self) -> bool:
        return self is not InteractionState.PENDING


TYPE_OF_CARD: dict[CardKind, InteractionType] = {
    CardKind.APPROVAL: InteractionType.TOOL_APPROVAL,
    CardKind.EXCHANGES: InteractionType.TOOL_APPROVAL,
    CardKind.OPTIONS: InteractionType.USER_INPUT,
    CardKind.FORM: InteractionType.USER_INPUT,
    CardKind.UI_TOOL: InteractionType.USER_INPUT,
    CardKind.REQUIREMENTS: InteractionType.CONFIRMATION,
    CardKind.CONFIRMATION: InteractionType.CONFIRMATION,
    CardKind.HOLD: InteractionType.CONFIRMATION,
    CardKind.UNCERTAIN_EFFECT: InteractionType.CONFIRMATION,
}

#: In the metadata of an answer to an ask, written by the server alone.
_SIGNED_IN = "signed_in"
#: What an in-process approval, AG-UI, MCP or an expiry says when it gives no reason.
DEFAULT_REJECTION = message("answer.not_approved")
DISMISSED_RESULT: JsonObject = {"status": "dismissed"}


class InteractionRequest(BaseModel):
    """A request of the session API, as clients see it: `content` is the chunk content of its kind,
    `metadata` has the ids."""

    model_config = ConfigDict(frozen=True)

    interaction_id: str
    interaction_type: InteractionType
    task_id: str
    content: str | dict[str, Any]
    metadata: JsonObject = Field(default_factory=dict)
    timestamp: datetime = Field(default_factory=lambda: datetime.now(UTC))


class ResponseData(BaseModel):
    """The parts an answer can have. `values` holds a form's fields or an application card's own
    answer; what has no part of its own is one of them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    selected_option: str | None = None
    additional_notes: str | None = None
    suggestions: list[str] = Field(default_factory=list)
    edits: JsonObject = Field(default_factory=dict)
    approved_rows: list[str] | None = None
    rejected_rows: dict[str, str] = Field(default_factory=dict)
    values: JsonObject = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _other_keys_are_values(cls, given: object) -> object:
        """Take other keys as values: in the session API `response_data` is any dict."""
        if not isinstance(given, Mapping):
            return given
        others = {key: value for key, value in given.items() if key not in cls.model_fields}
        values = given.get("values") or {}
        if not others or not isinstance(values, Mapping):
            return given
        parts = {key: value for key, value in given.items() if key in cls.model_fields}
        return {**parts, "values": {**others, **values}}


class InteractionResponse(BaseModel):
    """The one normal form of an answer. `user_message` is the reason; `metadata.digest` what was on
    the screen."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    interaction_id: str
    approved: StrictBool
    response_data: ResponseData = Field(default_factory=ResponseData)
    user_message: str | None = None
    metadata: JsonObject = Field(default_factory=dict)

    @field_validator("response_data", mode="before")
    @classmethod
    def _nothing_said(cls, value: object) -> object:
        """Read None as empty: callers give it where an answer is only a yes or a no."""
        return ResponseData() if value is None else value

    def as_json(self) -> JsonObject:
        """Return the answer as it is told, with the code of a reason that is the server's own."""
        told: JsonObject = self.model_dump(mode="json", exclude_none=True)
        return {**told, **coded(recalled(self.user_message))}

    def says_the_same(self, other: InteractionResponse) -> bool:
        """Return whether two answers are the same answer. One may leave out what both were made
        on."""
        named = [one.metadata.get("digest") for one in (self, other)]
        is_of_one_revision = None in named or named[0] == named[1]
        return is_of_one_revision and self._content_digest() == other._content_digest()

    def _content_digest(self) -> str:
        beside = {"metadata": {"digest", _SIGNED_IN}}
        return digest(self.model_dump(mode="json", exclude_none=True, exclude=beside))

    def without_sign_in(self) -> InteractionResponse:
        """Return the answer as one by who did not have to say who they are: any process of the
        asker's user could have given it."""
        return self.model_copy(update={"metadata": {**self.metadata, _SIGNED_IN: False}})

    @property
    def was_signed_in(self) -> bool:
        return self.metadata.get(_SIGNED_IN) is not False

    @property
    def decision(self) -> Literal["approve", "reject", "partial"]:
        rows = self.response_data
        if not self.approved or rows.approved_rows == []:
            return "reject"
        return "partial" if rows.rejected_rows else "approve"


class OnExpiry(BaseModel):
    """What passing `expires_at` means: a rejection, the end of the run, or a default answer."""

    model_config = ConfigDict(frozen=True)

    action: Literal["reject", "cancel", "answer"] = "reject"
    answer: JsonObject | None = None


class Proposal(BaseModel):
    """What a card shows before a side effect, with the real arguments that would run."""

    model_config = ConfigDict(frozen=True)

    tool_name: str
    arguments: JsonObject
    summary: str = ""
    details: JsonObject = Field(default_factory=dict)
    rows: list[JsonObject] = Field(default_factory=list)
    impact: str | None = None
    warnings: list[str] = Field(default_factory=list)
    #: What `prepare` found out and the body needs; under the digest, shown only as details.
    data: JsonObject = Field(default_factory=dict)
    #: Which proposal of its call it is. A card that is redrawn counts its revisions by itself.
    revision: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class CardRequest:
    """What an adapter asks the engine to open when its segment must wait.

    `call_key` names the moment within its run; asking again with the same key is the same
    interaction. Raises InvalidInput where no digest can be made of what it would show.
    """

    call_key: str
    card: Card
    ui_tool_id: str
    agent_name: str = ""
    display: Display = Display.INLINE
    tool_call_id: str | None = None
    proposal: Proposal | None = None
    expires_in: timedelta | None = None
    on_expiry: OnExpiry = field(default_factory=OnExpiry)
    assignees: tuple[str, ...] = ()
    workflow_stage: str | None = None
    #: A card of the cancellation type asks whether to stop; all others get the type of their card.
    type: InteractionType | None = None
    #: What its message carries beside the card.
    metadata: JsonObject = field(default_factory=dict)
    #: The files beside the card, by their digests: they are kept as it opens.
    files: Mapping[str, bytes] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        canonical_json(self.content)

    @property
    def interaction_type(self) -> InteractionType:
        return self.type or TYPE_OF_CARD[CardKind(self.card.card)]

    @property
    def shown_card(self) -> Card:
        """The card with the stage of the work that it belongs to, where the page looks for it."""
        card, stage = self.card, self.workflow_stage
        if stage is None:
            return card
        if isinstance(card, UiToolCard):
            known = object_in(card.payload.get("context"))
            payload = {**card.payload, "context": {**known, "workflow_stage": stage}}
            return card.model_copy(update={"payload": payload})
        context = getattr(card, "context", None)
        if not isinstance(context, dict):
            return card
        return card.model_copy(update={"context": {**context, "workflow_stage": stage}})

    @property
    def content(self) -> JsonObject:
        return content_of(
            type_=self.interaction_type.value,
            ui_tool_id=self.ui_tool_id,
            agent_name=self.agent_name,
            card=self.shown_card,
            proposal=self.proposal,
        )

    def opened(
        self,
        *,
        interaction_id: str,
        app_id: str,
        chat_id: str,
        run_id: str,
        task_id: str,
        batch_id: str,
        now: datetime,
        steady: datetime,
        salt: str,
        revision: int = 1,
    ) -> Interaction:
        """Return the pending interaction that this request opens; its time is counted from
        `steady`. `revision` is a later one where it takes the place of another card."""
        first = self.proposal.revision if self.proposal is not None else 1
        return Interaction(
            id=interaction_id,
            app_id=app_id,
            chat_id=chat_id,
            run_id=run_id,
            task_id=task_id,
            call_key=self.call_key,
            batch_id=batch_id,
            type=self.interaction_type,
            state=InteractionState.PENDING,
            card=self.shown_card,
            ui_tool_id=self.ui_tool_id,
            agent_name=self.agent_name,
            display=self.display,
            created_at=now,
            tool_call_id=self.tool_call_id,
            proposal=self.proposal,
            expires_at=steady + self.expires_in if self.expires_in is not None else None,
            on_expiry=self.on_expiry,
            assignees=self.assignees,
            salt=salt,
            digest=shown_digest(self.content, (), salt),
            revision=max(first, revision),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Interaction:
    """The row: the truth about one moment. The card, the inbox and the sessions are views of it."""

    id: str
    app_id: str
    chat_id: str
    run_id: str
    task_id: str
    call_key: str
    batch_id: str
    type: InteractionType
    state: InteractionState
    card: Card
    ui_tool_id: str
    agent_name: str
    display: Display
    created_at: datetime
    tool_call_id: str | None = None
    proposal: Proposal | None = None
    expires_at: datetime | None = None
    on_expiry: OnExpiry = field(default_factory=OnExpiry)
    assignees: tuple[str, ...] = ()
    #: The random part of the digest. It never leaves the server.
    salt: str = field(default="", repr=False)
    #: Over all that this revision shows and all that would run; made when it was drawn. None on a
    #: card that was opened before every card had one.
    digest: str | None = None
    revision: int = 1
    #: What this revision changed, where the card was redrawn.
    changes: tuple[Change, ...] = ()
    response: InteractionResponse | None = None
    answer_key: str | None = None
    settled_at: datetime | None = None
    settled_by: str | None = None
    #: The fence of the segment that took this answer into its work; None while no segment has.
    applied_fence: int | None = None

    @property
    def title(self) -> str:
        return self.card.title or self.ui_tool_id

    @property
    def name(self) -> str:
        """What it is called once it is settled: an application's own card goes by its id."""
        if isinstance(self.card, UiToolCard):
            return self.ui_tool_id
        says = self.card.says
        return (
            self.title if says is None else Message(self.title, f"{says.code}.title", says.params)
        )

    @property
    def tool_name(self) -> str | None:
        """The tool whose call it is about: of a request that an agent makes itself, the card says
        it."""
        if self.proposal is not None:
            return self.proposal.tool_name
        return self.card.tool_name if isinstance(self.card, ApprovalCard) else None

    @property
    def files(self) -> list[AttachedFile]:
        """The files that are shown beside it."""
        given = None if isinstance(self.card, UiToolCard) else self.card.attachments
        return [one for one in given or () if isinstance(one, AttachedFile)]

    @property
    def asker(self) -> Asker | None:
        """Who asks, of an ask from outside: what it says of itself."""
        return None if isinstance(self.card, UiToolCard) else self.card.asker

    @property
    def may_be_bulk(self) -> bool:
        """Whatever the policy says: what was redrawn is looked at alone."""
        return isinstance(self.card, ApprovalCard) and self.card.bulk and self.revision == 1

    @property
    def content(self) -> JsonObject:
        return content_of(
            type_=self.type.value,
            ui_tool_id=self.ui_tool_id,
            agent_name=self.agent_name,
            card=self.card,
            proposal=self.proposal,
        )

    def asked_again(self, request: CardRequest, *, salt: str) -> Interaction:
        """This pending interaction as the same request draws it now. Its time goes on as it was;
        whatever it shows or would run otherwise makes it a new revision, so that no answer to the
        old one can pass for one to the new."""
        drawn = replace(
            self,
            card=request.shown_card,
            ui_tool_id=request.ui_tool_id,
            agent_name=request.agent_name,
            display=request.display,
            tool_call_id=request.tool_call_id,
            proposal=request.proposal,
            assignees=request.assignees,
        )
        before, after = self.content, drawn.content
        if is_same(before, after):
            return drawn
        changes = tuple(changes_between(before, after))
        return replace(
            drawn,
            salt=salt,
            digest=shown_digest(after, changes, salt),
            revision=self.revision + 1,
            changes=changes,
        )

    @property
    def meta(self) -> CardMeta:
        own_schema = self.card.response_schema if isinstance(self.card, UiToolCard) else None
        return CardMeta(
            card=CardKind(self.card.card),
            interaction_type=self.type.value,
            run_id=self.run_id,
            tool_call_id=self.tool_call_id,
            batch_id=self.batch_id,
            expires_at=self.expires_at.isoformat() if self.expires_at else None,
            on_expiry=self.on_expiry.model_dump(exclude_none=True) if self.expires_at else None,
            digest=self.digest,
            revision=self.revision,
            changes=list(self.changes) or None,
            assignees=list(self.assignees),
            asker=self.asker,
            response_schema=own_schema,
            bulk=True if self.may_be_bulk else None,
            rule=self.card.rule if isinstance(self.card, ApprovalCard) else None,
            formats=self.card.formats if isinstance(self.card, ApprovalCard) else None,
        )

    @property
    def payload(self) -> JsonObject:
        return payload_of(self.card, self.meta)

    def as_request(self) -> InteractionRequest:
        return InteractionRequest(
            interaction_id=self.id,
            interaction_type=self.type,
            task_id=self.task_id,
            content=chunk_content(self.card),
            metadata={
                "interaction_id": self.id,
                "requires_approval": self.type is InteractionType.TOOL_APPROVAL,
                "ui_tool_id": self.ui_tool_id,
                "payload": self.payload,
            },
            timestamp=self.created_at,
        )

    def as_json(self, became: Account | None = None) -> JsonObject:
        """Return the interaction as the inbox, the API and the terminal list it, with what
        became of it."""
        return {
            "chat_id": self.chat_id,
            "run_id": self.run_id,
            "task_id": self.task_id,
            "interaction_type": self.type.value,
            "card": self.card.card.value,
            "ui_tool_id": self.ui_tool_id,
            "title": self.title,
            "agent_name": self.agent_name,
            "display": self.display.value,
            "tool_call_id": self.tool_call_id,
            "created_at": self.created_at.isoformat(),
            "expires_at": self.expires_at.isoformat() if self.expires_at else None,
            "assignees": list(self.assignees),
            "payload": self.payload,
            **self.settlement(),
            "outcome": became.model_dump(mode="json") if became is not None else None,
        }

    def settlement(self) -> JsonObject:
        """Return how it was settled, if it was: what anyone who answers again is told."""
        return {
            "interaction_id": self.id,
            "status": self.state.value,
            "response": self.response.as_json() if self.response else None,
            "settled_at": self.settled_at.isoformat() if self.settled_at else None,
            "settled_by": self.settled_by,
        }


def digest_in(payload: JsonValue) -> str | None:
    """Return the digest that a card's payload shows."""
    digest = object_in(object_in(payload).get("sayso")).get("digest")
    return digest if isinstance(digest, str) else None


def chunk_content(card: Card) -> dict[str, Any]:
    """Return the content of a card's chunk: an approval's tool call, else the card's own fields."""
    if isinstance(card, ApprovalCard):
        return {
            "tool_name": card.tool_name,
            "tool_params": card.tool_params,
            "tool_description": card.tool_description,
        }
    if isinstance(card, UiToolCard):
        return dict(card.payload)
    return card.model_dump(mode="json", exclude={"card"}, exclude_none=True)
