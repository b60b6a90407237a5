"""An interaction: one moment that needs a person, from the request that opens it to its answer.

It leaves `pending` exactly once; `core/decisions.py` has the rules by which it moves.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, field_validator

from sayso.core.cards import (
    ApprovalCard,
    Card,
    CardKind,
    CardMeta,
    Display,
    UiToolCard,
    card_title,
    payload_of,
)
from sayso.core.digest import JsonObject, digest


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
    CardKind.UNCERTAIN_EFFECT: InteractionType.CONFIRMATION,
}

#: What an in-process approval, AG-UI, MCP or an expiry says when it gives no reason.
DEFAULT_REJECTION = "The person did not approve this."
DISMISSED_RESULT: JsonObject = {"status": "dismissed"}


class InteractionRequest(BaseModel):
    """Seed 5's request, as clients see it: `content` is the chunk content of its kind, `metadata`
    has the ids."""

    model_config = ConfigDict(frozen=True)

    interaction_id: str
    interaction_type: InteractionType
    task_id: str
    content: str | dict[str, Any]
    metadata: JsonObject = Field(default_factory=dict)
    timestamp: datetime = Field(default_factory=lambda: datetime.now(UTC))


class ResponseData(BaseModel):
    """The parts an answer can have. `values` holds a form's fields or an application card's own
    answer."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    selected_option: str | None = None
    additional_notes: str | None = None
    suggestions: list[str] = Field(default_factory=list)
    edits: JsonObject = Field(default_factory=dict)
    approved_rows: list[str] | None = None
    rejected_rows: dict[str, str] = Field(default_factory=dict)
    values: JsonObject = Field(default_factory=dict)


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
        """Seed 5 gives None where an answer is only a yes or a no."""
        return ResponseData() if value is None else value

    def content_digest(self) -> str:
        """Two answers are the same answer when this is equal."""
        return digest(self.model_dump(mode="json", exclude_none=True))

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
    """What a card shows before a side effect. Its digest binds what was shown to what runs."""

    model_config = ConfigDict(frozen=True)

    tool_name: str
    arguments: JsonObject
    summary: str = ""
    details: JsonObject = Field(default_factory=dict)
    rows: list[JsonObject] = Field(default_factory=list)
    impact: str | None = None
    warnings: list[str] = Field(default_factory=list)
    #: What `prepare` found out and the body needs; part of the digest, shown only as details.
    data: JsonObject = Field(default_factory=dict)
    revision: int = 1

    @property
    def digest(self) -> str:
        return digest(
            {
                "tool_name": self.tool_name,
                "arguments": self.arguments,
                "details": self.details,
                "rows": list(self.rows),
                "impact": self.impact,
                "data": self.data,
            }
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CardRequest:
    """What an adapter asks the engine to open when its segment must wait.

    `call_key` names the moment within its run; asking again with the same key is the same
    interaction.
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
            context = card.payload.get("context")
            known = context if isinstance(context, dict) else {}
            payload = {**card.payload, "context": {**known, "workflow_stage": stage}}
            return card.model_copy(update={"payload": payload})
        context = getattr(card, "context", None)
        if not isinstance(context, dict):
            return card
        return card.model_copy(update={"context": {**context, "workflow_stage": stage}})

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
    ) -> Interaction:
        """The pending interaction that this request opens."""
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
            expires_at=now + self.expires_in if self.expires_in is not None else None,
            on_expiry=self.on_expiry,
            assignees=self.assignees,
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
    response: InteractionResponse | None = None
    answer_key: str | None = None
    settled_at: datetime | None = None
    settled_by: str | None = None
    #: The fence of the segment that took this answer into its work; None while no segment has.
    applied_fence: int | None = None

    @property
    def title(self) -> str:
        return card_title(self.card, self.ui_tool_id)

    @property
    def may_be_bulk(self) -> bool:
        return isinstance(self.card, ApprovalCard) and self.card.bulk

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
            digest=self.proposal.digest if self.proposal else None,
            revision=self.proposal.revision if self.proposal else 1,
            assignees=list(self.assignees),
            response_schema=own_schema,
            bulk=True if self.may_be_bulk else None,
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

    def as_json(self) -> JsonObject:
        """The interaction as the inbox, the API and the terminal list it."""
        return {
            "interaction_id": self.id,
            "chat_id": self.chat_id,
            "run_id": self.run_id,
            "task_id": self.task_id,
            "interaction_type": self.type.value,
            "card": self.card.card.value,
            "ui_tool_id": self.ui_tool_id,
            "title": self.title,
            "agent_name": self.agent_name,
            "display": self.display.value,
            "status": self.state.value,
            "tool_call_id": self.tool_call_id,
            "created_at": self.created_at.isoformat(),
            "expires_at": self.expires_at.isoformat() if self.expires_at else None,
            "assignees": list(self.assignees),
            "payload": self.payload,
            "response": self.response.model_dump(mode="json", exclude_none=True)
            if self.response
            else None,
            "settled_at": self.settled_at.isoformat() if self.settled_at else None,
            "settled_by": self.settled_by,
        }

    def outcome(self) -> JsonObject:
        """What a settled interaction tells anyone who answers again."""
        return {
            "interaction_id": self.id,
            "status": self.state.value,
            "response": self.response.model_dump(mode="json", exclude_none=True)
            if self.response
            else None,
            "settled_at": self.settled_at.isoformat() if self.settled_at else None,
            "settled_by": self.settled_by,
        }


def chunk_content(card: Card) -> dict[str, Any]:
    """Seed 5's chunk content: the tool call for an approval, else the card's own fields."""
    if isinstance(card, ApprovalCard):
        return {
            "tool_name": card.tool_name,
            "tool_params": card.tool_params,
            "tool_description": card.tool_description,
        }
    if isinstance(card, UiToolCard):
        return dict(card.payload)
    return card.model_dump(mode="json", exclude={"card"}, exclude_none=True)
