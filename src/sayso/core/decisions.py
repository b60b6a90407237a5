"""What may move an interaction, and where to.

Answer, dismissal and expiry are decided here, by pure functions; the store performs the decision as
one compare-and-set.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sayso.core.cards import ApprovalCard, OptionsCard, UiToolCard, UncertainEffectCard
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
)


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
    """What this answer does to this interaction at `now`. Validation against the card has been done
    before."""
    if it.state.is_final:
        return _answer_to_settled(it, response, key)
    if is_overdue(it, now):
        return Overdue()
    stale = _stale_digest(it, response)
    if stale is not None:
        return Refused(stale)
    return Settle(state_after(it, response), response)


def decide_dismissal(it: Interaction, *, now: datetime) -> Settle | Repeated | Overdue | Refused:
    if it.state is InteractionState.DISMISSED:
        return Repeated()
    if it.state.is_final:
        return Refused(already_settled(it))
    return Overdue() if is_overdue(it, now) else Settle(InteractionState.DISMISSED, None)


def is_overdue(it: Interaction, now: datetime) -> bool:
    return it.expires_at is not None and now >= it.expires_at


def expiry_of(it: Interaction) -> Settle:
    """The state and the response that passing its time gives."""
    if it.on_expiry.action == "answer" and it.on_expiry.answer is not None:
        body = {**it.on_expiry.answer, "interaction_id": it.id}
        body.setdefault("approved", True)
        return Settle(InteractionState.EXPIRED, InteractionResponse.model_validate(body))
    said = InteractionResponse(
        interaction_id=it.id, approved=False, user_message="Nobody answered in time."
    )
    return Settle(InteractionState.EXPIRED, said)


def state_after(it: Interaction, response: InteractionResponse) -> InteractionState:
    """Completed, or rejected where the card asked for a yes and got a no."""
    is_choice = isinstance(it.card, UncertainEffectCard | OptionsCard)
    if _asks_for_yes(it) and not is_choice and response.decision == "reject":
        return InteractionState.REJECTED
    return InteractionState.COMPLETED


def tool_to_remember(it: Interaction, response: InteractionResponse) -> str | None:
    """The tool that need not ask again in this chat, if this answer says so and its card offered
    it."""
    offered = isinstance(it.card, ApprovalCard) and it.card.may_be_remembered
    if not offered or not wants_to_remember(response) or response.decision != "approve":
        return None
    return it.proposal.tool_name if it.proposal is not None else None


def wants_to_remember(response: InteractionResponse) -> bool:
    return response.metadata.get("always_allow") is True


def already_settled(it: Interaction) -> AlreadySettled:
    at = f" at {it.settled_at:%Y-%m-%d %H:%M} UTC" if it.settled_at else ""
    return AlreadySettled(
        f"Interaction '{it.id}' was already {it.state.value}{at}.",
        context={"outcome": it.outcome()},
    )


def is_approval(it: Interaction, response: InteractionResponse) -> bool:
    """Whether this answer lets something happen, rather than telling the agent something."""
    return _asks_for_yes(it) and response.decision != "reject"


def check_together(it: Interaction, response: InteractionResponse) -> None:
    """Raises AnswerAlone unless this approval may be given together with others: its policy allows
    it, and it names the digest of what was listed."""
    if not it.may_be_bulk:
        raise AnswerAlone(f"'{it.title}' cannot be approved together with others.")
    if it.proposal is None or response.metadata.get("digest") != it.proposal.digest:
        raise AnswerAlone(f"The approval of '{it.title}' does not name what was seen.")


def settled_summary(
    it: Interaction, state: InteractionState, response: InteractionResponse | None
) -> str:
    """The words after the glyph of a settled card: "{title} completed", "… rejected: reason".

    A title names what was proposed; where something else was approved, the words say so.
    """
    name = it.title if not isinstance(it.card, UiToolCard) else it.ui_tool_id
    words = f"{name} {state.value}"
    if state is InteractionState.REJECTED and response and response.user_message:
        return f"{words}: {response.user_message}"
    if state is not InteractionState.COMPLETED or response is None:
        return words
    edits = response.response_data.edits
    if edits:
        # By name only: a value may be a secret.
        what = " and ".join(sorted(edits)) if len(edits) <= 2 else f"{len(edits)} values"
        words = f"{words}, with {what} changed"
    if tool_to_remember(it, response) is not None:
        words = f"{words}, from now on without asking in this chat"
    return words


def _asks_for_yes(it: Interaction) -> bool:
    return it.type in (InteractionType.TOOL_APPROVAL, InteractionType.CONFIRMATION)


def _answer_to_settled(
    it: Interaction, response: InteractionResponse, key: str | None
) -> Repeated | Refused:
    same_content = (
        it.response is not None and it.response.content_digest() == response.content_digest()
    )
    if key is not None and key == it.answer_key:
        if same_content:
            return Repeated()
        return Refused(
            IdempotencyKeyReused(f"The key '{key}' came with another answer to '{it.id}'.")
        )
    was_answered = it.state in (InteractionState.COMPLETED, InteractionState.REJECTED)
    return Repeated() if same_content and was_answered else Refused(already_settled(it))


def _stale_digest(it: Interaction, response: InteractionResponse) -> StaleDigest | None:
    if it.proposal is None:
        return None
    seen, current = response.metadata.get("digest"), it.proposal.digest
    if seen == current or (seen is None and it.proposal.revision == 1):
        return None
    said = "names no digest" if seen is None else "was made on an older proposal"
    return StaleDigest(
        f"The answer to '{it.id}' {said}; the card is at revision {it.proposal.revision}.",
        context={"digest": current, "revision": it.proposal.revision},
    )
