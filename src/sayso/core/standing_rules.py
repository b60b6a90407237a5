"""Rules that people write while they decide. Such a rule answers in its writer's name where the
application's policy asks by default; it never lets run what the policy itself asks about or denies.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime

from pydantic import JsonValue

from sayso.core.cards import ApprovalCard, ExchangesCard
from sayso.core.digest import JsonObject
from sayso.core.errors import InvalidInput, NotSupportedError, PolicyInvalid
from sayso.core.interactions import Interaction, InteractionState
from sayso.core.policy_rules import Rule, ToolFacts, Undecided, Verdict, rule_from_table
from sayso.core.record import UsedRule
from sayso.core.similar import was_decided

#: How many may hold at once in a tenant: people have to be able to read them.
MOST_RULES = 200
#: How many contradicted decisions a trial names.
MOST_NAMED = 20
#: Of several that speak of a call the strictest holds.
_STRICTEST = (Verdict.DENY, Verdict.ASK, Verdict.ALLOW)
_SIGNS = {"eq": "", "ne": "≠ ", "gt": "> ", "ge": "≥ ", "lt": "< ", "le": "≤ ", "in": "∈ "}


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingRule:
    """A rule for the calls of one tool by one agent, and whose word it is. It holds until its end,
    or until somebody revokes it."""

    id: str
    agent_name: str
    rule: Rule
    written_by: str
    written_at: datetime
    #: The card from which it was written, and its chat.
    interaction_id: str
    chat_id: str
    ends_at: datetime | None = None
    revoked_by: str | None = None
    revoked_at: datetime | None = None
    uses: int = 0
    last_used_at: datetime | None = None

    @property
    def words(self) -> str:
        """What the record calls it."""
        said = ", ".join(f"{path} {test}" for path, test in self.conditions.items())
        return f"rule by {self.written_by}, {self.rule.tool}{': ' if said else ''}{said}"

    @property
    def conditions(self) -> JsonObject:
        """Its conditions as people read them."""
        return {path: _told(test) for path, test in self.rule.when.items()}

    @property
    def used(self) -> UsedRule:
        return UsedRule(rule_id=self.id, by=self.written_by, conditions=self.conditions)

    def holds(self, now: datetime) -> bool:
        return self.revoked_at is None and (self.ends_at is None or self.ends_at > now)

    def speaks_of(self, facts: ToolFacts, agent_name: str) -> bool:
        """Raises Undecided where one of its conditions cannot be judged."""
        # The tool's very name: a rule of this kind has no patterns.
        same = (self.agent_name, self.rule.tool) == (agent_name, facts.tool_name)
        return same and self.rule.matches(facts)

    def as_json(self) -> JsonObject:
        def said(at: datetime | None) -> str | None:
            return at.isoformat() if at is not None else None

        return {
            "id": self.id,
            "agent_name": self.agent_name,
            "tool_name": self.rule.tool,
            "when": dict(self.rule.when),
            "conditions": self.conditions,
            "then": self.rule.then.value,
            "written_by": self.written_by,
            "written_at": said(self.written_at),
            "interaction_id": self.interaction_id,
            "chat_id": self.chat_id,
            "ends_at": said(self.ends_at),
            "revoked_by": self.revoked_by,
            "revoked_at": said(self.revoked_at),
            "uses": self.uses,
            "last_used_at": said(self.last_used_at),
        }


def rule_for(
    rules: Iterable[StandingRule], facts: ToolFacts, agent_name: str
) -> StandingRule | None:
    """Return the rule that answers for a person; None where they are asked, also where one that
    speaks of the call cannot be judged."""
    try:
        found = [rule for rule in rules if rule.speaks_of(facts, agent_name)]
    except Undecided:
        return None
    said = min(found, key=lambda rule: _STRICTEST.index(rule.rule.then), default=None)
    return said if said is not None and said.rule.then is not Verdict.ASK else None


def read_rule(it: Interaction, then: str, when: Mapping[str, JsonValue]) -> Rule:
    """Return the rule that a person writes from this card. Raises NotSupportedError for a card
    that no such rule could answer, and InvalidInput for a condition that cannot be judged on it."""
    card = it.card
    if not isinstance(card, ApprovalCard) or not may_be_ruled(card) or it.tool_name is None:
        raise NotSupportedError(
            f"'{it.title}' is always asked about: no rule can answer it.",
            fix="Decide it here. Who keeps the policy of this server can change what asks.",
        )
    table = {"tool": it.tool_name, "when": dict(when), "then": then}
    try:
        rule = rule_from_table(table, place="rule")
        for path, test in when.items():
            Rule(then=rule.then, when={path: test}).matches(_facts(it, card))
            _check_is_shown(card, path)
    except (PolicyInvalid, Undecided) as exc:
        detail = exc.detail if isinstance(exc, PolicyInvalid) else str(exc)
        raise _wrong(detail) from exc
    return rule


def may_be_ruled(card: ApprovalCard) -> bool:
    """Return whether a rule may answer calls like this one: not where the policy's own line asks,
    and not for what warns, is decided row by row or cannot be taken back."""
    asks_by_default = card.rule is not None and bool(card.rule.may_be_ruled)
    plain = not (card.warnings or card.final_confirmation or isinstance(card, ExchangesCard))
    return asks_by_default and plain


def _check_is_shown(card: ApprovalCard, path: str) -> None:
    value: JsonValue = dict(card.tool_params)
    for key in path.split("."):
        if not isinstance(value, dict) or key not in value:
            raise _wrong(f"'{path}' is no argument of this call.")
        value = value[key]
    if "•••" in str(value):
        raise _wrong(f"'{path}' holds a secret: no rule can look at it.")


def _wrong(detail: str) -> InvalidInput:
    return InvalidInput(
        f"when: {detail}", context={"errors": [{"path": "when", "message": detail}]}
    )


# ── tried on what people decided ──


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """A decision that was other than the rule's would have been."""

    interaction_id: str
    chat_id: str
    title: str
    decision: str
    by: str
    at: datetime | None

    def as_json(self) -> JsonObject:
        return {**asdict(self), "at": self.at.isoformat() if self.at is not None else None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What a rule would have done with the decisions of some days: it speaks of `matched` of
    `decided`; `agreed` were decided as it would have, `mine` of them by whoever asks."""

    days: int
    decided: int
    matched: int
    agreed: int
    mine: int
    against: int
    #: The newest of those.
    contradictions: list[Contradiction]

    def as_json(self) -> JsonObject:
        return {
            **asdict(self),
            "contradictions": [one.as_json() for one in self.contradictions],
        }


def trial(
    rule: Rule, it: Interaction, decided: Iterable[Interaction], *, me: str, days: int
) -> Trial:
    """Try a rule on what people decided of the calls of its tool by this card's agent."""
    calls = [
        other
        for other in decided
        if was_decided(other)
        and (other.tool_name, other.agent_name) == (rule.tool, it.agent_name)
        and isinstance(other.card, ApprovalCard)
    ]
    matched = [call for call in calls if _would_speak_of(rule, call)]
    against = [call for call in matched if _is_against(rule.then, call)]
    agreed = [call for call in matched if call not in against]
    return Trial(
        days=days,
        decided=len(calls),
        matched=len(matched),
        agreed=len(agreed),
        mine=sum(call.settled_by == me for call in agreed),
        against=len(against),
        contradictions=[_contradiction(call) for call in against[:MOST_NAMED]],
    )


def _would_speak_of(rule: Rule, call: Interaction) -> bool:
    assert isinstance(call.card, ApprovalCard)
    try:
        return rule.matches(_facts(call, call.card))
    except Undecided:
        return False


def _facts(it: Interaction, card: ApprovalCard) -> ToolFacts:
    return ToolFacts(tool_name=it.tool_name or "", arguments=card.tool_params)


def _is_against(then: Verdict, call: Interaction) -> bool:
    """Return whether a person decided otherwise; one who changed something first would not have
    had it run as it was."""
    if then is Verdict.ASK:
        return False
    return _decision(call) != ("approved" if then is Verdict.ALLOW else "rejected")


def _decision(call: Interaction) -> str:
    if call.state is InteractionState.REJECTED or call.response is None:
        return "rejected"
    data, card = call.response.response_data, call.card
    shown = card.tool_params if isinstance(card, ApprovalCard) else {}
    edited = any(shown.get(name) != value for name, value in data.edits.items())
    return "changed" if edited or data.rejected_rows else "approved"


def _contradiction(call: Interaction) -> Contradiction:
    return Contradiction(
        interaction_id=call.id,
        chat_id=call.chat_id,
        title=call.title,
        decision=_decision(call),
        by=call.settled_by or "",
        at=call.settled_at,
    )


def _told(test: JsonValue) -> str:
    tests = test if isinstance(test, dict) else {"eq": test}
    return ", ".join(f"{_SIGNS[name]}{bound}" for name, bound in tests.items())
