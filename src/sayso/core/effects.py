"""An effect: the side effect of a tool call, with its own record, so that a crash never makes it
happen twice."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from pydantic import JsonValue

from sayso.core.cards import UncertainEffectCard
from sayso.core.digest import JsonObject, as_canonical, digest
from sayso.core.errors import AlreadyUnderWay, InvalidInput
from sayso.core.interactions import CardRequest
from sayso.core.messages import Message, message, parts_of
from sayso.core.record import Allowed, Outcome, OutcomeState
from sayso.core.tool_ui import ToolUi


class EffectState(StrEnum):
    """none → started → done | failed | uncertain | not_executed"""

    STARTED = "started"
    DONE = "done"
    FAILED = "failed"
    UNCERTAIN = "uncertain"
    NOT_EXECUTED = "not_executed"


#: What an attempt that has ended is to whoever allowed it.
_OUTCOMES = {
    EffectState.DONE: OutcomeState.RAN,
    EffectState.FAILED: OutcomeState.FAILED,
    EffectState.UNCERTAIN: OutcomeState.UNCLEAR,
    EffectState.NOT_EXECUTED: OutcomeState.NOT_RUN,
}
#: In these, an effect holds its business key. Failed and not executed free it.
HOLDING = frozenset({EffectState.STARTED, EffectState.UNCERTAIN, EffectState.DONE})


class EndSource(StrEnum):
    """Who says how an attempt ended: the one who ran it knows, a person judges."""

    BODY = "body"
    PERSON = "person"


class Ruling(StrEnum):
    """What a person said of an attempt of which nobody knew whether it had run."""

    RUN_AGAIN = "run_again"
    MARK_DONE = "mark_done"
    SKIP = "skip"

    def is_contradicted_by(self, truth: EffectState) -> bool:
        """Return whether what really happened is other than this took it to be."""
        match self:
            case Ruling.MARK_DONE:
                return truth in (EffectState.FAILED, EffectState.NOT_EXECUTED)
            case Ruling.RUN_AGAIN | Ruling.SKIP:
                return truth is EffectState.DONE


#: Of a call that was stopped between its "started" and its body.
NEVER_BEGAN = message("effect.never_began")
#: Of a call that a person, who did not know either, told the agent to do without.
SKIPPED = message("effect.skipped")
#: Of a call whose run ended before it did.
LEFT_BEHIND = message("effect.left_behind")


def is_skip(state: str, error: object) -> bool:
    """Return whether an end, as it is stored, is a person's *skip*: these words say so alone."""
    return state == EffectState.NOT_EXECUTED and error == SKIPPED


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
    #: What it does, for the whole tenant, where its tool declares a key.
    business_key: str | None = None
    allowed: Allowed = field(default_factory=Allowed)

    @property
    def outcome(self) -> Outcome | None:
        """What its card is told; None before it has ended, and where no card had asked."""
        state = self.outcome_state
        return self.allowed.outcome_of(state) if state is not None else None

    @property
    def outcome_state(self) -> OutcomeState | None:
        """A person's *skip* lets the run go on, and frees the key; what happened stays unknown."""
        return OutcomeState.UNCLEAR if self.was_skipped else _OUTCOMES.get(self.state)

    @property
    def was_skipped(self) -> bool:
        """Whether a person told the agent to do without it, not knowing either."""
        return is_skip(self.state, self.error)

    @property
    def holds_its_key(self) -> bool:
        """Whether a second call under its business key must not run."""
        return self.business_key is not None and self.state in HOLDING

    @property
    def is_told(self) -> bool:
        """Unclear, and its agent has heard so: only a person may make it certain, when the same
        call is made again."""
        return self.state is EffectState.UNCERTAIN and self.result is not None

    @property
    def never_began(self) -> bool:
        """Whether it is certain that its body was not entered: the run may simply begin it."""
        return self.state is EffectState.NOT_EXECUTED and self.error == NEVER_BEGAN

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
            allowed=start.allowed,
            business_key=start.business_key,
        )

    def ended(self, end: EffectEnd, *, at: datetime) -> Effect:
        return replace(self, state=end.state, result=end.result, error=end.error, ended_at=at)


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantUse:
    """A grant about to be used, and the values it must have been given for."""

    grant_id: str
    value_hash: str
    #: The card, and the message where words gave it.
    interaction_id: str | None = None
    message_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectStart:
    """An attempt about to begin; its start is committed before the body runs."""

    key: str
    attempt: int
    tool_name: str
    arguments: JsonObject
    #: The call's row in the chat: a cancelled run leaves it open, and `end_effect` tells its truth.
    tool_call_id: str | None = None
    #: The digest of the card that was approved; None where nobody was asked.
    shown_digest: str | None = None
    executed_digest: str | None = None
    allowed: Allowed = field(default_factory=Allowed)
    #: What it does, for the whole tenant: taken in the transaction that starts it.
    business_key: str | None = None
    #: The grant under which a gated action runs: used up in the transaction that starts it.
    grant: GrantUse | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectEnd:
    """How an attempt ended: with a result (DONE), an error, or nobody knows (UNCERTAIN)."""

    state: EffectState
    result: JsonValue = None
    error: str | None = None
    told_by: EndSource = EndSource.BODY


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
    #: The call's own UI, if it has one.
    ui: ToolUi | None = None


def executed_digest(tool_name: str, arguments: JsonObject) -> str | None:
    """Return what ran, as an auditor can make it again: over the tool's name and the arguments
    that ran, as the record tells them. Secrets are masked in them, so that no digest lets anyone
    try what they were. None where a call that nobody had to approve took what canonical JSON
    cannot say."""
    try:
        return digest({"tool_name": tool_name, "arguments": arguments})
    except InvalidInput:
        return None


def uncertain_key(key: str, attempt: int) -> str:
    """Return the call key of the card that asks what became of an attempt."""
    return f"{key}!uncertain{attempt}"


def uncertain_request(
    effect: Effect, what: Message, *, arguments: JsonObject, agent_name: str, call_id: str | None
) -> CardRequest:
    """Return the card that asks what became of an attempt. `what` says how it began; the arguments
    are as people may see them."""
    texts = parts_of("effect.unclear", tool=effect.tool_name, what=what)
    card = UncertainEffectCard(
        says=texts.says,
        title=texts["title"],
        agent_message=texts["agent_message"],
        tool_name=effect.tool_name,
        # Nobody had to approve these: they may hold values that canonical JSON cannot write.
        tool_params={name: as_canonical(value) for name, value in arguments.items()},
        started_at=effect.started_at,
        attempt=effect.attempt,
    )
    return CardRequest(
        call_key=uncertain_key(effect.key, effect.attempt),
        card=card,
        ui_tool_id=card.card.value,
        agent_name=agent_name,
        tool_call_id=call_id,
    )


class KeyHeld(AlreadyUnderWay):
    """The business key of an attempt is held by another effect: this one did not begin."""

    def __init__(self, holder: Effect) -> None:
        super().__init__(f"Another call of '{holder.tool_name}' holds the same business key.")
        self.holder = holder


def holder_of(effects: Iterable[Effect], start: EffectStart) -> Effect | None:
    """Of these effects the one of another call that holds the key of this attempt."""
    return next(
        (
            effect
            for effect in effects
            if effect.holds_its_key
            and effect.business_key == start.business_key
            and effect.key != start.key
        ),
        None,
    )
