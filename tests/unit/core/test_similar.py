"""What was decided of calls like one, and a rule as it is written in a file."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from sayso.core.cards import ApprovalCard, ConfirmationCard, Display
from sayso.core.interactions import Interaction, InteractionState, InteractionType, Proposal
from sayso.core.policy_rules import Rule, ToolFacts, Verdict, decide, rule_as_toml
from sayso.core.similar import similar_to
from sayso.tools.policies import read_policy

APPROVED, REJECTED = InteractionState.COMPLETED, InteractionState.REJECTED


def call(
    amount: float | str, state: InteractionState = InteractionState.PENDING, by: str = "ada"
) -> Interaction:
    card = ApprovalCard(title="Refund", tool_name="refund", tool_params={"amount": amount})
    return Interaction(
        id=f"i-{amount}",
        app_id="default",
        chat_id="c",
        run_id="r",
        task_id="t",
        call_key="k",
        batch_id="b",
        type=InteractionType.TOOL_APPROVAL,
        state=state,
        card=card,
        ui_tool_id="approval",
        agent_name="desk",
        display=Display.INLINE,
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        proposal=Proposal(tool_name="refund", arguments={"amount": amount}),
        settled_by=by if state is not InteractionState.PENDING else None,
    )


def test_those_up_to_the_next_round_number_are_counted():
    before = [call(n, APPROVED) for n in (5, 20, 48)] + [call(30, APPROVED, by="kim")]
    found = similar_to(call(42), [*before, call(900, REJECTED)], me="ada")
    assert found is not None
    assert (found.argument, found.at_most) == ("amount", 50)
    assert (found.decided, found.approved, found.approved_by_me, found.rejected) == (4, 4, 3, 0)


def test_calls_of_other_tools_do_not_count():
    other = replace(call(5, APPROVED), proposal=Proposal(tool_name="pay", arguments={"amount": 5}))
    found = similar_to(call(42), [other, call(20.5, APPROVED)], me="ada")
    assert found is not None
    assert (found.decided, found.approved) == (1, 1)


def test_what_is_no_approval_of_a_call_is_like_nothing():
    other = replace(call(42), card=ConfirmationCard(title="Refund"))
    assert similar_to(other, [call(5, APPROVED)], me="ada") is None


def test_the_bound_may_be_chosen():
    before = [call(n, APPROVED) for n in (5, 20, 48)]
    found = similar_to(call(42), before, me="ada", argument="amount", at_most=20)
    assert found is not None
    assert (found.decided, found.at_most) == (2, 20)


def test_what_expired_or_is_masked_says_nothing():
    expired = call(5, InteractionState.EXPIRED)
    found = similar_to(call("•••"), [expired, call("•••", APPROVED)], me="ada")
    assert found is not None
    assert (found.argument, found.decided) == (None, 1)


def test_the_number_of_an_order_is_no_amount():
    before = [call(n, APPROVED) for n in (5, 20, 48)]
    numbered = [
        replace(it, card=it.card.model_copy(update={"tool_params": {"order": 1001}}))
        for it in (call(42), *before)
        if isinstance(it.card, ApprovalCard)
    ]
    found = similar_to(numbered[0], numbered[1:], me="ada")
    assert found is not None
    assert (found.argument, found.decided) == (None, 3)


def test_a_rule_reads_as_it_was_written():
    rule = Rule(
        then=Verdict.ASK,
        tool="refund_*",
        when={"amount": {"gt": 100}, "order.kind": "b2b"},
        reason='Over "100"',
        bulk=True,
    )
    assert read_policy(rule_as_toml(rule)).rules == (rule,)
    facts = ToolFacts(tool_name="refund_x", arguments={"amount": 200, "order": {"kind": "b2b"}})
    said = decide([Rule(then=Verdict.DENY, tool="drop"), rule], facts)
    assert said is not None
    assert said.asking is not None
    assert (said.asking.by, said.asking.number) == ("rule", 2)
    assert said.asking.line == rule_as_toml(rule)
