"""What may move an interaction, and where to.

Answer, dismissal and expiry are decided here, by pure functions; the store performs the decision as
one compare-and-set.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sayso.core.cards import ApprovalCard, HoldCard, OptionsCard, UncertainEffectCard
from sayso.core.errors import (
    AlreadySettled,
    AnswerAlone,
    IdempotencyKeyReused,
    SaysoError,
    StaleDigest,
)
from sayso.core.interactions import (
    Interaction,
    InteractionResponse,
    InteractionState,
    InteractionType,
    OnExpiry,
)
from sayso.core.messages import Message, message, recalled


@dataclass(frozen=True, slots=True)
class Settle:
    """Move it to `state` with this response."""

    state: InteractionState
    response: InteractionResponse | None


@dataclass(frozen=True, slots=True)
class Repeated:
    """The same answer came again: tell the stored outcome, change nothing."""


@dataclass(frozen=True, slots=True)
class Overdue:
    """Its time had passed: perform the expiry instead."""


@dataclass(frozen=True, slots=True)
class Refused:
    error: SaysoError


def decide_answer(
    it: Interaction, response: InteractionResponse, *, key: str | None, now: datetime
) -> Settle | Repeated | Overdue | Refused:
    """Return what this answer does to this interaction at `now`. Validation against the card has
    been done before."""
    if it.state.is_final:
        return _answer_to_settled(it, response, key)
    if is_overdue(it, now):
        return Overdue()
    stale = _stale_digest(it, response)
    if stale is not None:
        return Refused(stale)
    return Settle(state_after(it, response), response)


def asks_the_same(it: Interaction, seen: Interaction) -> bool:
    """Return whether what was checked against `seen` holds for `it`: its state, all that is
    shown, what would run, and who may answer."""
    return _asked(it) == _asked(seen)


def _asked(it: Interaction) -> tuple[object, ...]:
    return it.state, it.revision, it.digest, it.type, it.card, it.proposal, it.assignees


def decide_dismissal(it: Interaction, *, now: datetime) -> Settle | Repeated | Overdue | Refused:
    if it.state is InteractionState.DISMISSED:
        return Repeated()
    if it.state.is_final:
        return Refused(already_settled(it))
    return Overdue() if is_overdue(it, now) else Settle(InteractionState.DISMISSED, None)


def is_overdue(it: Interaction, now: datetime) -> bool:
    return it.expires_at is not None and now >= it.expires_at


def expiry_of(it: Interaction) -> Settle:
    """Return the state and the response that passing its time gives."""
    if it.on_expiry.action == "answer" and it.on_expiry.answer is not None:
        return Settle(InteractionState.EXPIRED, default_answer(it.on_expiry, it.id))
    return unanswered(it, message("run.nobody_answered"))


def unanswered(it: Interaction, why: str) -> Settle:
    """Return the end of a card that nobody has answered."""
    said = InteractionResponse(interaction_id=it.id, approved=False, user_message=why)
    return Settle(InteractionState.EXPIRED, said)


def default_answer(on_expiry: OnExpiry, interaction_id: str) -> InteractionResponse:
    """Return the answer that passing the time gives."""
    said = {"approved": True, **(on_expiry.answer or {}), "interaction_id": interaction_id}
    return InteractionResponse.model_validate(said)


def state_after(it: Interaction, response: InteractionResponse) -> InteractionState:
    """Completed, or rejected where the card asked for a yes and got a no."""
    if _asks_for_yes(it) and not _is_choice(it) and response.decision == "reject":
        return InteractionState.REJECTED
    return InteractionState.COMPLETED


def tool_to_remember(it: Interaction, response: InteractionResponse) -> str | None:
    """Return the tool that need not ask again in this chat, if this answer says so and its card
    offered it."""
    offered = isinstance(it.card, ApprovalCard) and it.card.may_be_remembered
    if not offered or not wants_to_remember(response) or response.decision != "approve":
        return None
    return it.proposal.tool_name if it.proposal is not None else None


def wants_to_remember(response: InteractionResponse) -> bool:
    return response.metadata.get("always_allow") is True


def already_settled(it: Interaction) -> AlreadySettled:
    how = message(f"state.{it.state.value}")
    said = (
        message("problem.settled_at", id=it.id, how=how, at=it.settled_at.isoformat())
        if it.settled_at
        else message("problem.settled", id=it.id, how=how)
    )
    return AlreadySettled(said, context={"outcome": it.settlement()})


def is_approval(it: Interaction, response: InteractionResponse) -> bool:
    """Return whether this answer lets something happen, rather than telling the agent something."""
    return _asks_for_yes(it) and response.decision != "reject"


def was_allowed(it: Interaction) -> bool:
    """Return whether something may run because of how this was settled: by a yes, or in part, or
    by the default that expiry gave."""
    settled = (InteractionState.COMPLETED, InteractionState.EXPIRED)
    return it.state in settled and it.response is not None and is_approval(it, it.response)


def asks_to_act(it: Interaction) -> bool:
    """Return whether its answer lets Sayso run something. An agent that asked for itself acts
    itself."""
    return it.proposal is not None and _asks_for_yes(it) and not _is_choice(it)


def check_together(it: Interaction, response: InteractionResponse) -> None:
    """Raises AnswerAlone unless this approval may be given together with others: its policy allows
    it, and it names the digest of what was listed."""
    if not it.may_be_bulk:
        raise AnswerAlone(message("problem.answer_alone", title=it.name))
    if it.digest is None or response.metadata.get("digest") != it.digest:
        raise AnswerAlone(message("problem.names_nothing_seen", title=it.name))


def settled_summary(
    it: Interaction, state: InteractionState, response: InteractionResponse | None
) -> Message:
    """Return the decision in words; of an ask also that nobody knows who answered it."""
    ended = _ended(it, state, response)
    if response is not None and not response.was_signed_in:
        return message("settled.without_sign_in", ended=ended)
    return ended


def _ended(
    it: Interaction, state: InteractionState, response: InteractionResponse | None
) -> Message:
    """Return the decision in words: "{title} completed", "… approved", "… rejected: reason".

    A title names what was proposed; where something else was approved, the words say so. What
    became of it is another fact.
    """
    if isinstance(it.card, HoldCard) and state in _HELD:
        return message(_HELD[state], name=it.name)
    ended = message(f"settled.{state.value}", name=it.name)
    if state is InteractionState.REJECTED and response and response.user_message:
        return message("settled.because", ended=ended, reason=recalled(response.user_message))
    if state is not InteractionState.COMPLETED or response is None:
        return ended
    if _asks_for_yes(it) and not _is_choice(it):
        is_partial = response.decision == "partial"
        ended = message(f"settled.approved{'_in_part' if is_partial else ''}", name=it.name)
    if isinstance(response.metadata.get("message_id"), str):
        ended = message("settled.in_words", ended=ended, words=response.user_message)
    edits = response.response_data.edits
    if edits:
        # By name only: a value may be a secret.
        ended = (
            message("settled.changed_many", ended=ended, n=len(edits))
            if len(edits) > 2
            else message("settled.changed", ended=ended, fields=[*sorted(edits)])
        )
    if tool_to_remember(it, response) is not None:
        ended = message("settled.remembered", ended=ended)
    return ended


#: How the time in which a yes can be taken back has ended.
_HELD = {
    InteractionState.COMPLETED: "settled.let_run",
    InteractionState.EXPIRED: "settled.let_run",
    InteractionState.REJECTED: "settled.taken_back",
    InteractionState.DISMISSED: "settled.taken_back",
}


def _asks_for_yes(it: Interaction) -> bool:
    return it.type in (InteractionType.TOOL_APPROVAL, InteractionType.CONFIRMATION)


def _is_choice(it: Interaction) -> bool:
    return isinstance(it.card, OptionsCard | UncertainEffectCard)


def _answer_to_settled(
    it: Interaction, response: InteractionResponse, key: str | None
) -> Repeated | Refused:
    same_content = it.response is not None and it.response.says_the_same(response)
    if key is not None and key == it.answer_key:
        if same_content:
            return Repeated()
        return Refused(
            IdempotencyKeyReused(f"The key '{key}' came with another answer to '{it.id}'.")
        )
    was_answered = it.state in (InteractionState.COMPLETED, InteractionState.REJECTED)
    return Repeated() if same_content and was_answered else Refused(already_settled(it))


def _stale_digest(it: Interaction, response: InteractionResponse) -> StaleDigest | None:
    """An answer is to the revision that it names; one that names none can only mean the first."""
    seen = response.metadata.get("digest")
    if seen == it.digest or (seen is None and it.revision == 1):
        return None
    code = "problem.no_digest" if seen is None else "problem.other_revision"
    return StaleDigest(
        message(code, id=it.id, revision=it.revision),
        context={"digest": it.digest, "revision": it.revision},
    )
