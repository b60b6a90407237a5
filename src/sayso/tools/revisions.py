"""The revisions of a call's proposal: each has a card of its own, and the newest answer counts."""

from __future__ import annotations

from sayso.core.effects import Effect
from sayso.core.interactions import Interaction
from sayso.tools.outcomes import approval_notes, outcome_of
from sayso.tools.proposals import approved_part
from sayso.tools.running import Approved
from sayso.tools.world import World


def revision_key(call_key: str, revision: int) -> str:
    """The call key of a proposal's revision: the call's own for the first."""
    return call_key if revision == 1 else f"{call_key}#r{revision}"


def newest_answer(world: World, call_key: str) -> Interaction | None:
    answers = _answers(world, call_key)
    return answers[-1] if answers else None


def notes_of(world: World, call_key: str) -> tuple[str, ...]:
    """What the model must know of the approvals of a call."""
    approvals = [it for it in _answers(world, call_key) if outcome_of(it).approved]
    return tuple(note for it in approvals for note in approval_notes(it))


def approval_of(world: World, effect: Effect) -> Approved:
    """The approval under which an attempt was started, for the attempt after it."""
    it = newest_answer(world, effect.key)
    proposal = it.proposal if it is not None else None
    if proposal is not None and it is not None:
        proposal = approved_part(proposal, it.response).model_copy(
            update={"arguments": dict(effect.arguments)}
        )
    return Approved(
        proposal=proposal,
        shown_digest=effect.shown_digest,
        executed_digest=effect.executed_digest,
    )


def _answers(world: World, call_key: str) -> list[Interaction]:
    found: list[Interaction] = []
    while (it := world.answer(revision_key(call_key, len(found) + 1))) is not None:
        found.append(it)
    return found
