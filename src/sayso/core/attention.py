"""Who is looking at a card, and who wants to see it later. It decides nothing: whoever may answer a
card may answer it whoever has claimed it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from sayso.core.digest import JsonObject
from sayso.core.errors import AlreadySettled, InvalidInput
from sayso.core.interactions import Interaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A person is looking at a card until this time: they said so, or `by` gave it to them."""

    interaction_id: str
    person: str
    by: str
    until: datetime
    note: str = ""

    def as_json(self) -> JsonObject:
        return {
            "person": self.person,
            "by": self.by,
            "until": self.until.isoformat(),
            "note": self.note,
        }


def new_claim(it: Interaction, *, person: str, by: str, until: datetime, note: str = "") -> Claim:
    """Raises AlreadySettled, and InvalidInput for who may not answer it."""
    check_waits(it)
    if it.assignees and person not in it.assignees:
        raise InvalidInput(
            f"{person} is not among those who may answer this: {', '.join(it.assignees)}.",
            fix="Hand it to one of them.",
        )
    return Claim(interaction_id=it.id, person=person, by=by, until=until, note=note.strip())


def check_waits(it: Interaction) -> None:
    """Raises AlreadySettled."""
    if it.state.is_final:
        raise AlreadySettled(
            f"'{it.title}' is {it.state.value}.", context={"outcome": it.settlement()}
        )


@dataclass(frozen=True, slots=True)
class Attention:
    """What holds now for some cards: their claims, and until when one person has put them off."""

    claims: Mapping[str, Claim] = field(default_factory=dict)
    snoozed: Mapping[str, datetime] = field(default_factory=dict)

    def of(self, interaction_id: str) -> JsonObject:
        claim = self.claims.get(interaction_id)
        until = self.snoozed.get(interaction_id)
        return {
            "claim": claim.as_json() if claim is not None else None,
            "snoozed_until": until.isoformat() if until is not None else None,
        }


@dataclass(frozen=True, slots=True)
class AttentionMoved:
    """A claim or a snooze of this card has begun or ended: those who list cards read them again."""

    interaction_id: str

    def as_json(self) -> JsonObject:
        return {"type": "card.attention", "data": {"interaction_id": self.interaction_id}}
