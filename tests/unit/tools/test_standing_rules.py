"""A rule that a person wrote answers for them, only where they would be asked by default."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import JsonValue

from sayso.adapters.program import AgentProgram
from sayso.adapters.scripted import CallTool, Say, ScriptedAgent, Together
from sayso.core.effects import EffectStart
from sayso.core.policy_rules import Rule, Verdict
from sayso.core.segments import Completed, Waiting
from sayso.core.sessions import SavedState
from sayso.core.standing_rules import StandingRule
from sayso.testing.recorder import MemoryRecorder, MemoryRun
from sayso.tools.tool import Prepared, Tool, tool

ALLOW, DENY, ASK = Verdict.ALLOW, Verdict.DENY, Verdict.ASK


def standing(then: Verdict = ALLOW, **when: JsonValue) -> StandingRule:
    return StandingRule(
        id="rule-1",
        agent_name="scripted",
        rule=Rule(tool="refund", then=then, when=when),
        written_by="ada",
        written_at=datetime(2026, 1, 1, tzinfo=UTC),
        interaction_id="i-1",
        chat_id="c",
    )


def desk(**traits: Any) -> tuple[Tool[..., Any], list[float]]:
    ran: list[float] = []

    @tool(**{"approval": True, **traits})
    async def refund(amount: float = 42.0) -> str:
        """Refund an order."""
        ran.append(amount)
        return f"refunded {amount}"

    return refund, ran


def program(made: Tool[..., Any], *amounts: float, policy: Any = None) -> AgentProgram:
    calls = [CallTool("refund", {"amount": amount}) for amount in amounts or (42.0,)]
    agent = ScriptedAgent([Together(calls), Say("done")])
    return AgentProgram(agent, tools=[made], policy=policy)


def with_rules(*rules: StandingRule, recorder: MemoryRecorder | None = None) -> MemoryRun:
    run = MemoryRun(recorder=recorder or MemoryRecorder())
    run.recorder.rules.update({rule.id: rule for rule in rules})
    return run


async def test_what_a_rule_allows_runs_unasked_and_says_by_whose_rule() -> None:
    refund, ran = desk()
    rule = standing(amount={"le": 50})
    run = with_rules(rule)
    assert isinstance(await run.go(program(refund)), Completed)
    assert ran == [42.0]
    (begun,), (told,) = run.recorder.attempts, run.returns
    assert (begun.allowed.standing, begun.allowed.rule) == (rule.used, rule.words)
    assert (told.rule, told.status.value) == (rule.used, "done")


async def test_a_look_up_that_a_rule_allows_is_recorded_too() -> None:
    refund, ran = desk(read_only=True)
    run = with_rules(standing())
    await run.go(program(refund))
    assert (ran, len(run.recorder.attempts)) == ([42.0], 1)


async def test_what_a_rule_denies_does_not_run_and_the_agent_hears_by_whose_rule() -> None:
    refund, ran = desk()
    rule = standing(DENY)
    run = with_rules(rule)
    assert isinstance(await run.go(program(refund)), Completed)
    (told,) = run.returns
    assert (ran, told.status.value, told.rule) == ([], "denied", rule.used)
    assert isinstance(told.result, dict)
    assert rule.words in str(told.result["reason"])


FILE = [Rule(tool="refund", when={"amount": {"gt": 10}}, then=ASK)]


@pytest.mark.parametrize(
    ("traits", "policy"),
    [
        pytest.param({}, FILE, id="a line of the policy asks"),
        pytest.param({"destructive": True}, None, id="destructive"),
        pytest.param({"final_confirmation": True}, None, id="final"),
        pytest.param({"assignees": ["kim"]}, None, id="of others"),
    ],
)
async def test_it_answers_nothing_that_has_to_be_asked(traits: Any, policy: Any) -> None:
    refund, ran = desk(**traits)
    run = with_rules(standing())
    assert isinstance(await run.go(program(refund, policy=policy)), Waiting)
    assert ran == []


async def test_what_the_policy_denies_stays_denied() -> None:
    refund, ran = desk()
    run = with_rules(standing())
    await run.go(program(refund, policy=[Rule(tool="refund", then=DENY)]))
    assert (ran, [told.status.value for told in run.returns]) == ([], ["denied"])


@pytest.mark.parametrize("shows", [{"warnings": ["Twice today"]}, {"rows": [{"order": 1}]}])
async def test_a_card_that_warns_or_has_rows_is_shown(shows: dict[str, Any]) -> None:
    refund, ran = desk()

    @refund.prepare
    def propose(amount: float) -> Prepared:
        return Prepared(**shows)

    run = with_rules(standing())
    assert isinstance(await run.go(program(refund)), Waiting)
    assert ran == []


async def test_a_rule_written_while_a_card_waits_is_for_the_next_call() -> None:
    refund, ran = desk()
    run = with_rules()
    agent = program(refund, 42.0, 43.0)
    await run.go(agent)
    first, second = run.pending
    run.recorder.rules["rule-1"] = standing()
    run.approve(first)
    # Also where the run goes on after each answer.
    assert isinstance(await run.go(agent), Waiting)
    assert ran == [42.0]
    run.reject(second, "no")
    await run.go(agent)
    assert ran == [42.0]


class _RevokedInBetween(MemoryRecorder):
    """Somebody revokes the rules between the call's look at them and its beginning."""

    async def start_effect(self, start: EffectStart, saved: SavedState | None) -> None:
        self.rules.clear()
        await super().start_effect(start, saved)


async def test_what_is_revoked_before_the_call_begins_asks() -> None:
    refund, ran = desk()
    run = with_rules(standing(), recorder=_RevokedInBetween())
    agent = program(refund)
    assert isinstance(await run.go(agent), Waiting)
    assert ran == []
    # It is a card like any other, and no rule written later answers it.
    run.recorder.rules["rule-1"] = standing()
    run.approve("refund")
    assert isinstance(await run.go(agent), Completed)
    assert ran == [42.0]
    (begun,) = run.recorder.attempts
    assert begun.allowed.standing is None


async def test_a_rule_is_for_one_agent() -> None:
    refund, ran = desk()
    run = with_rules(replace(standing(), agent_name="another"))
    assert isinstance(await run.go(program(refund)), Waiting)
    assert ran == []
