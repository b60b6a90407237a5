"""An ask: a script, a job or an agent outside needs a person.

It is an ordinary run, born waiting with its card, in a chat of its own. Its agent is whoever asked:
no worker of ours runs it. An approval is taken once (*start*) and its outcome told (*report*).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, JsonValue

from sayso.core.attachments import File, WebLink, attached, contents
from sayso.core.cards import (
    ApprovalCard,
    Asker,
    Card,
    FormCard,
    Option,
    OptionsCard,
)
from sayso.core.decisions import was_allowed
from sayso.core.digest import JsonObject, digest
from sayso.core.effects import Effect, EffectState
from sayso.core.errors import IdempotencyKeyReused, InvalidInput, SchemaInvalid
from sayso.core.feed import Frame
from sayso.core.ids import derived_id
from sayso.core.interactions import (
    CardRequest,
    Interaction,
    InteractionState,
    OnExpiry,
    Proposal,
)
from sayso.core.schemas import compiled
from sayso.core.sessions import Run, RunState

#: The agent of every ask. No program has this name, so no worker ever claims such a run.
ASK_AGENT = "sayso:ask"
ASK_TASK = "ask"
#: The call key of the one card of an ask, and the key of its effect.
CARD_KEY = "ask"
#: What an approval is of where the asker names no tool.
UNNAMED_TOOL = "approval"
#: The one option of a notice, which a page gives for whoever it shows it to.
SEEN = "seen"


class AskKind(StrEnum):
    APPROVE = "approve"
    CHOOSE = "choose"
    FORM = "form"
    NOTICE = "notice"


class AskState(StrEnum):
    """Where an ask stands, in one word: the card's state, and then what became of an approval."""

    PENDING = "pending"
    ANSWERED = "answered"
    SHOWN = "shown"
    REJECTED = "rejected"
    EXPIRED = "expired"
    DISMISSED = "dismissed"
    WITHDRAWN = "withdrawn"
    #: Allowed, and not used yet.
    APPROVED = "approved"
    STARTED = "started"
    DONE = "done"
    FAILED = "failed"
    NOT_EXECUTED = "not_executed"
    #: Nobody knows whether it ran: a person is asked.
    UNKNOWN = "unknown"


class ReportState(StrEnum):
    """What an asker says became of what it started."""

    DONE = "done"
    FAILED = "failed"
    NOT_EXECUTED = "not_executed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class AskSpec:
    """What somebody outside asks. `digest_over` names the arguments that a yes is to; None is all
    of them."""

    kind: AskKind
    title: str
    context: JsonObject = field(default_factory=dict)
    tool_name: str = UNNAMED_TOOL
    arguments: JsonObject = field(default_factory=dict)
    #: The arguments that a person may change, each with the schema of its values.
    editable: JsonObject = field(default_factory=dict)
    digest_over: Sequence[str] | None = None
    options: Sequence[Option] = ()
    schema: JsonObject | None = None
    asker: Asker = field(default_factory=Asker)
    assignees: tuple[str, ...] = ()
    expires_in: timedelta | None = None
    on_expiry: OnExpiry = field(default_factory=OnExpiry)
    attachments: Sequence[File | WebLink] = ()

    @property
    def bound(self) -> JsonObject:
        """The arguments that a yes is to."""
        if self.digest_over is None:
            return self.arguments
        return {name: self.arguments[name] for name in self.digest_over if name in self.arguments}

    @property
    def not_bound(self) -> JsonObject:
        return {name: value for name, value in self.arguments.items() if name not in self.bound}

    @property
    def binding(self) -> str:
        """Two asks under one key are the same ask exactly when this is equal."""
        parts: JsonObject = {"kind": self.kind.value, "tool": self.tool_name}
        return digest({**parts, "arguments": self.bound, "schema": self.schema})


def card_request(ask: AskSpec, *, call_id: str) -> CardRequest:
    """Return the card of an ask. Raises InvalidInput."""
    _check(ask)
    shown = {"asker": ask.asker, "attachments": attached(ask.attachments) or None}
    card = _card(ask).model_copy(update=shown)
    acts = ask.kind is AskKind.APPROVE
    return CardRequest(
        call_key=CARD_KEY,
        card=card,
        ui_tool_id=card.card.value,
        agent_name=ask.asker.client or ASK_TASK,
        tool_call_id=call_id if acts else None,
        proposal=Proposal(tool_name=ask.tool_name, arguments=ask.bound, summary=ask.title)
        if acts
        else None,
        expires_in=ask.expires_in,
        on_expiry=ask.on_expiry,
        assignees=ask.assignees,
        files=contents(ask.attachments),
    )


def _check(ask: AskSpec) -> None:
    unknown = [name for name in ask.digest_over or () if name not in ask.arguments]
    if unknown:
        raise _invalid("digest_over", f"names {unknown[0]!r}, which is no argument")
    fixed = [name for name in ask.editable if name not in ask.bound]
    if fixed:
        raise _invalid("editable", f"names {fixed[0]!r}, which is no argument that binds")
    if ask.kind is AskKind.CHOOSE and len({option.id for option in ask.options}) < len(ask.options):
        raise _invalid("options", "name one id twice")
    if ask.kind is AskKind.FORM and ask.schema is None:
        raise _invalid("schema", "is needed for a form")
    if ask.kind is AskKind.APPROVE and ask.on_expiry.action == "answer":
        raise _invalid("on_expiry", "cannot approve: a person does, and never who asks")
    for path, schema in (("schema", ask.schema), ("editable", {"properties": ask.editable})):
        try:
            compiled(schema or {})
        except SchemaInvalid as exc:
            raise _invalid(path, f"cannot be used. {exc.detail.rstrip('.')}") from exc


def _invalid(path: str, what: str) -> InvalidInput:
    return InvalidInput(f"{path}: {what}.", context={"errors": [{"path": path, "message": what}]})


def _card(ask: AskSpec) -> Card:
    match ask.kind:
        case AskKind.APPROVE:
            schema: JsonObject = {"type": "object", "properties": ask.editable}
            return ApprovalCard(
                title=ask.title,
                tool_name=ask.tool_name,
                tool_params=ask.bound,
                context=ask.context,
                edit_schema=schema if ask.editable else None,
                not_bound=ask.not_bound or None,
            )
        case AskKind.CHOOSE:
            return OptionsCard(
                title=ask.title,
                question=ask.title,
                options=list(ask.options),
                context=ask.context,
            )
        case AskKind.FORM:
            assert ask.schema is not None
            return FormCard(title=ask.title, response_schema=ask.schema, context=ask.context)
        case AskKind.NOTICE:
            seen = Option(id=SEEN, label="Seen")
            return OptionsCard(
                title=ask.title,
                question=ask.title,
                options=[seen],
                context=ask.context,
                allow_notes=False,
                is_notice=True,
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class NewAsk:
    """An ask on its way into the store. `key` is its asker's own name for it, `by` is who the token
    stands for."""

    ask: AskSpec
    by: str
    key: str | None = None
    callback_url: str | None = None

    def run_id(self, fresh: str) -> str:
        """The same key of the same asker is the same run."""
        return fresh if self.key is None else derived_id(ASK_TASK, self.by, self.key)

    def check_is(self, run: Run) -> None:
        """Raise IdempotencyKeyReused unless this asks what the run of its key asks."""
        if asked_in(run).binding != self.ask.binding:
            raise IdempotencyKeyReused(
                f"The key '{self.key}' came with another kind, tool or binding argument.",
                fix="Use a new Idempotency-Key for another ask.",
            )


class KeptAsk(BaseModel):
    """What the task of an ask's run keeps of it."""

    model_config = ConfigDict(frozen=True)

    kind: AskKind
    binding: str


def asked_in(run: Run) -> KeptAsk:
    return KeptAsk.model_validate(run.task.context[ASK_TASK])


def is_ask(run: Run) -> bool:
    return run.agent == ASK_AGENT


@dataclass(frozen=True, slots=True, kw_only=True)
class AskRecord:
    """An ask as it stands: its run, its card, the newest attempt at what was approved."""

    run: Run
    card: Interaction
    effect: Effect | None = None
    webhook: Webhook | None = None

    @property
    def kind(self) -> AskKind:
        return asked_in(self.run).kind

    @property
    def state(self) -> AskState:
        match self.card.state:
            case InteractionState.PENDING:
                return AskState.PENDING
            case InteractionState.REJECTED:
                return AskState.REJECTED
            case InteractionState.DISMISSED:
                return AskState.DISMISSED
            case InteractionState.CANCELLED | InteractionState.SUPERSEDED:
                return AskState.WITHDRAWN
            case InteractionState.EXPIRED if not was_allowed(self.card):
                return AskState.EXPIRED
            case InteractionState.EXPIRED | InteractionState.COMPLETED:
                return self._after_yes()

    def _after_yes(self) -> AskState:
        if self.kind is AskKind.NOTICE:
            return AskState.SHOWN
        if self.kind is not AskKind.APPROVE:
            return AskState.ANSWERED
        if self.run.state is RunState.READY:
            return AskState.APPROVED
        if self.effect is None:
            return AskState.WITHDRAWN
        return _OF_EFFECT[self.effect.state]

    @property
    def arguments(self) -> JsonObject:
        """The arguments as they stand: those that were approved, as a person edited them, and
        those that do not bind."""
        return standing_arguments(self.card)

    @property
    def next_attempt(self) -> int:
        return self.effect.attempt + 1 if self.effect is not None else 1


_OF_EFFECT = {
    EffectState.STARTED: AskState.STARTED,
    EffectState.DONE: AskState.DONE,
    EffectState.FAILED: AskState.FAILED,
    EffectState.NOT_EXECUTED: AskState.NOT_EXECUTED,
    EffectState.UNCERTAIN: AskState.UNKNOWN,
}


def standing_arguments(it: Interaction) -> JsonObject:
    if it.proposal is None:
        return {}
    edits = it.response.response_data.edits if it.response is not None else {}
    rest = it.card.not_bound if isinstance(it.card, ApprovalCard) else None
    return {**(rest or {}), **it.proposal.arguments, **edits}


@dataclass(frozen=True, slots=True, kw_only=True)
class AskStart:
    """An asker takes its approval. `seconds` is how long it may take to report."""

    seconds: float
    #: It may be done twice, says the asker: who has begun may begin again.
    idempotent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AskOpened:
    """`is_new` is false where the key was known; it may have been redrawn all the same."""

    record: AskRecord
    is_new: bool
    frames: Sequence[Frame] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AskMoved:
    """An ask after it was started, found unclear or withdrawn. Without frames nothing was
    written."""

    record: AskRecord
    frames: Sequence[Frame] = ()


class WebhookState(StrEnum):
    """waiting (for the answer) → due → delivered | given_up"""

    WAITING = "waiting"
    DUE = "due"
    DELIVERED = "delivered"
    GIVEN_UP = "given_up"


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """Where an answer is told."""

    app_id: str
    interaction_id: str
    url: str
    state: WebhookState
    attempts: int
    created_at: datetime
    due_at: datetime | None = None
    error: str | None = None
    ended_at: datetime | None = None

    @property
    def id(self) -> str:
        """The same at each delivery: who gets it twice knows."""
        return f"msg_{self.interaction_id}"

    def as_json(self) -> JsonObject:
        shown: dict[str, JsonValue] = {"id": self.id, "url": self.url, "state": self.state.value}
        return {**shown, "attempts": self.attempts, "error": self.error}
