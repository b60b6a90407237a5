"""The record: under whose word a call runs, and what came of a decision. Decision and outcome are
two facts; the row of the effect keeps both, and everything that is shown of them is told from it.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

from sayso.core.cards import Change
from sayso.core.digest import JsonObject
from sayso.core.messages import Said


class OutcomeState(StrEnum):
    """What came of an approval. There is none while nothing is known."""

    RAN = "ran"
    FAILED = "failed"
    NOT_RUN = "not_run"
    UNCLEAR = "unclear"


class Outcome(BaseModel):
    """What became of what a person allowed on a card."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    interaction_id: str
    state: OutcomeState
    #: What ran, in the words of `prepare`; None where the tool has none for just that.
    title: str | None = None
    #: What a person changed before it ran, with the value before.
    changed: list[Change] = Field(default_factory=list)


class UsedRule(BaseModel):
    """The rule of a person that answered for them (core.standing_rules)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rule_id: str
    by: str
    #: Its conditions as people read them, by the names of the arguments: "≤ 50".
    conditions: JsonObject


class Allowed(BaseModel):
    """Under whose word a call runs: a person's, on a card or in a message, or a rule's."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    interaction_id: str | None = None
    #: The message whose words allowed it, where no card had asked.
    message_id: str | None = None
    #: The rule that let it run unasked.
    rule: str | None = None
    #: The same, where a person wrote it: it has to hold still as the call begins.
    standing: UsedRule | None = None
    title: str | None = None
    changed: list[Change] = Field(default_factory=list)

    def outcome_of(self, state: OutcomeState) -> Outcome | None:
        """Return what is told on the card; None where no card had asked."""
        if self.interaction_id is None:
            return None
        return Outcome(
            interaction_id=self.interaction_id, state=state, title=self.title, changed=self.changed
        )


class KnownState(StrEnum):
    """The outcomes, and those that stand before one is known. An approval that was asked for from
    outside is *not used* until its asker starts."""

    RAN = "ran"
    FAILED = "failed"
    NOT_RUN = "not_run"
    UNCLEAR = "unclear"
    RUNNING = "running"
    NOT_YET = "not_yet"
    NOT_USED = "not_used"


class Account(Said):
    """What is known now of what became of a decision, for lists and exports."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    text_field = "error"

    state: KnownState
    title: str | None = None
    changed: list[Change] = Field(default_factory=list)
    error: str | None = None
    at: datetime | None = None
    #: What ran, as people were shown it.
    arguments: JsonObject | None = None
    executed_digest: str | None = None
