"""Rules that people write while they decide: which answers, and what it would have done before."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from pydantic import JsonValue

from sayso.core.cards import ApprovalCard, AskingRule
from sayso.core.errors import InvalidInput, NotSupportedError
from sayso.core.interactions import Interaction, InteractionResponse, InteractionState, ResponseData
from sayso.core.policy_rules import Rule, ToolFacts, Verdict
from sayso.core.standing_rules import StandingRule, read_rule, rule_for, trial
from tests.unit.core.test_similar import APPROVED, REJECTED, call

ALLOW, DENY, ASK = Verdict.ALLOW, Verdict.DENY, Verdict.ASK
AT = datetime(2026, 1, 1, tzinfo=UTC)


def standing(then: Verdict, *, agent: str = "desk", tool: str = "refund", **when: JsonValue):
    return StandingRule(
        id=f"{then}-{when}",
        agent_name=agent,
        rule=Rule(then=then, tool=tool, when=when),
        written_by="ada",
        written_at=AT,
        interaction_id="i-1",
        chat_id="c",
    )


def approved(was: float, by: str = "ada", **edits: JsonValue) -> Interaction:
    said = InteractionResponse(
        interaction_id="i", approved=True, response_data=ResponseData(edits=edits)
    )
    return replace(call(was, APPROVED, by), response=said)


def may_be_ruled(it: Interaction, **more: object) -> Interaction:
    rule = AskingRule(by="tool", may_be_ruled=True)
    return replace(it, card=it.card.model_copy(update={"rule": rule, **more}))


SMALL = standing(ALLOW, amount={"le": 50})


@pytest.mark.parametrize(
    ("rules", "amount", "expected"),
    [
        ([], 10, None),
        ([SMALL], 50, ALLOW),
        ([SMALL], 50.01, None),
        ([standing(ALLOW)], 10_000, ALLOW),
        ([SMALL, standing(DENY, amount={"ge": 20})], 30, DENY),
        ([SMALL, standing(DENY, amount={"ge": 20})], 10, ALLOW),
        ([SMALL, standing(ASK, amount={"ge": 20})], 30, None),
        ([standing(DENY), standing(ASK)], 30, DENY),
        ([replace(SMALL, agent_name="another")], 10, None),
        ([standing(ALLOW, tool="ref*")], 10, None),
        ([standing(ALLOW, order=1)], 10, None),
        # What cannot be judged is asked about, whatever another rule says.
        ([standing(ALLOW), standing(DENY, amount={"gt": "10"})], 10, None),
        ([SMALL], float("nan"), None),
    ],
)
def test_the_strictest_rule_that_speaks_of_a_call_answers(
    rules: list[StandingRule], amount: float, expected: Verdict | None
):
    found = rule_for(rules, ToolFacts(tool_name="refund", arguments={"amount": amount}), "desk")
    assert (found.rule.then if found is not None else None) == expected


def test_it_is_named_by_who_wrote_it_and_what_it_says():
    assert SMALL.words == "rule by ada, refund: amount ≤ 50"
    assert standing(ALLOW).words == "rule by ada, refund"


def test_it_holds_until_its_end_or_until_it_is_revoked():
    assert SMALL.holds(AT)
    assert not replace(SMALL, ends_at=AT).holds(AT)
    assert not replace(SMALL, revoked_at=AT).holds(AT)


@pytest.mark.parametrize(
    ("then", "expected", "named"),
    [
        ("allow", (6, 5, 3, 2, 2), ["rejected", "changed"]),
        ("deny", (6, 5, 1, 0, 4), ["approved", "approved", "approved", "changed"]),
        ("ask", (6, 5, 5, 3, 0), []),
    ],
)
def test_it_is_tried_on_what_people_decided(then: str, expected: tuple[int, ...], named: list[str]):
    now = may_be_ruled(call(42))
    before = [
        approved(5),
        approved(48, amount=40),
        approved(20, by="kim", amount=20.0),
        approved(7),
        call(30, REJECTED, by="kim"),
        approved(900),
        call(31, InteractionState.EXPIRED),
        replace(approved(8), agent_name="another"),
    ]
    rule = read_rule(now, then, {"amount": {"le": 50}})
    found = trial(rule, now, before, me="ada", days=30)
    assert (found.decided, found.matched, found.agreed, found.mine, found.against) == expected
    assert sorted(one.decision for one in found.contradictions) == sorted(named)


@pytest.mark.parametrize(
    "it",
    [
        pytest.param(call(42), id="a line of the policy asks"),
        pytest.param(may_be_ruled(call(42), warnings=["Twice"]), id="it warns"),
        pytest.param(may_be_ruled(call(42), final_confirmation=True), id="final"),
    ],
)
def test_what_is_always_asked_about_has_no_rule(it: Interaction):
    with pytest.raises(NotSupportedError, match="always asked about"):
        read_rule(it, "allow", {})


@pytest.mark.parametrize(
    ("when", "why"),
    [
        ({"amout": {"le": 50}}, "no argument"),
        ({"amount": {"below": 50}}, "unknown operator"),
        ({"amount": {"le": "50"}}, "cannot be compared"),
        ({"card": {"eq": "•••"}}, "a secret"),
    ],
)
def test_a_condition_has_to_be_one_that_can_be_judged(when: dict[str, JsonValue], why: str):
    now = may_be_ruled(call(42), tool_params={"amount": 42, "card": "•••"})
    assert isinstance(now.card, ApprovalCard)
    with pytest.raises(InvalidInput, match=why):
        read_rule(now, "allow", when)
