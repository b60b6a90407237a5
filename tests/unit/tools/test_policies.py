"""Policies: read from TOML, and what they decide."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import JsonValue

from sayso.adapters.program import AgentProgram
from sayso.core.cards import AskingRule
from sayso.core.errors import NotSupportedError, PolicyInvalid
from sayso.core.events import ToolCallStatus, ToolReturned
from sayso.core.policy_rules import ALWAYS_ALLOWED, Decision, Rule, Verdict
from sayso.core.tasks import ExecutionConfig, ExecutionMode, TaskRequest
from sayso.testing.recorder import MemoryRun
from sayso.tools.context import AgentContext
from sayso.tools.policies import Policy, as_policy, default_verdict, read_policy
from sayso.tools.tool import Tool, Traits, as_tool, tool

FILE = """
[[rule]]
tool = "transfer"
when = { amount = { gt = 10000 } }
then = "deny"
reason = "Too much."

[[rule]]
tool = "*"
role = "auditor"
then = "ask"

[[rule]]
tool = "clean_*"
then = "ask"
may_be_remembered = true

[[policy.large]]
when = { amount = { lt = 10 } }
then = "allow"
"""


def named(name: str, **options: object) -> Tool[..., None]:
    def body(amount: int = 0) -> None: ...

    return tool(name=name, **options)(body)  # type: ignore[call-overload, no-any-return]


def verdict(
    policy: Policy, name: str, amount: int = 0, *, allowed: tuple[str, ...] = (), **options: object
) -> Verdict:
    preferences: dict[str, JsonValue] = {"always_allow": list(allowed)}
    decision = policy.decide(
        named(name, **options), {"amount": amount}, person="ada", preferences=preferences
    )
    return decision.verdict


def test_a_rule_sees_what_a_tool_declares() -> None:
    looks = Policy(rules=[Rule(then=Verdict.DENY, read_only=True)])
    assert verdict(looks, "act", read_only=True) is Verdict.DENY
    assert verdict(looks, "act") is Verdict.ALLOW
    harms = Policy(rules=[Rule(then=Verdict.DENY, destructive=True)])
    assert verdict(harms, "act", destructive=True) is Verdict.DENY
    assert verdict(harms, "act") is Verdict.ALLOW


def test_rules_then_the_tools_own_wish() -> None:
    policy = read_policy(FILE)
    assert verdict(policy, "transfer", 10001) is Verdict.DENY
    assert verdict(policy, "transfer", 1) is Verdict.ALLOW
    assert verdict(policy, "transfer", 1, approval=True) is Verdict.ASK
    assert verdict(policy, "clean_up") is Verdict.ASK
    assert verdict(policy, "clean_up", allowed=("clean_up",)) is Verdict.ALLOW
    assert verdict(policy, "pay", 5, approval="large") is Verdict.ALLOW
    assert verdict(policy, "pay", 50, approval="large") is Verdict.ASK
    assert verdict(policy, "pay", 7, approval=lambda a: a["amount"] > 5) is Verdict.ASK


def test_a_tool_that_names_who_decides_is_asked_about_each_time() -> None:
    """Anybody who may act in a chat can put a tool on its list of what is always allowed."""
    policy = read_policy(FILE)
    tool_of_mara = named("clean_up", assignees=("mara",))
    decision = policy.decide(
        tool_of_mara, {}, person="ada", preferences={"always_allow": ["clean_up"]}
    )
    assert decision.verdict is Verdict.ASK
    assert not decision.may_be_remembered


def test_a_role_is_looked_up() -> None:
    rules = read_policy(FILE).rules
    policy = Policy(rules=rules, roles_of=lambda person: {"auditor"} if person == "ada" else ())
    assert verdict(policy, "transfer", 1) is Verdict.ASK


def test_what_cannot_be_evaluated_is_asked() -> None:
    assert verdict(Policy(), "pay", approval=lambda a: a["nothing"]) is Verdict.ASK


def test_a_predicate_that_is_interrupted_decides_nothing() -> None:
    def interrupted(_: object) -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        verdict(Policy(), "pay", approval=interrupted)


LARGE = """
[[rule]]
tool = "buy"
when = { amount = { gt = 0 } }
then = "ask"

[[policy.large]]
when = { amount = { gt = 10 } }
then = "ask"

[[policy.large]]
when = { amount = { lt = 5 } }
then = "allow"
"""


@pytest.mark.parametrize(
    ("name", "wish", "amount", "asking"),
    [
        ("buy", False, 1, {"by": "rule", "number": 1}),
        ("buy", False, None, {"by": "unclear"}),
        ("pay", lambda _: 1 / 0, 1, {"by": "unclear"}),
        ("pay", True, 1, {"by": "tool", "may_be_ruled": True}),
        ("pay", "large", 11, {"by": "policy", "policy": "large", "number": 1}),
        ("pay", "large", 7, {"by": "policy", "policy": "large", "may_be_ruled": True}),
        ("pay", "large", 4, {"by": "policy", "policy": "large", "number": 2}),
        ("pay", False, 1, None),
    ],
)
def test_a_decision_says_what_asked_for_a_person(
    name: str, wish: Any, amount: JsonValue, asking: dict[str, object] | None
) -> None:
    made = named(name, approval=wish)
    found = read_policy(LARGE).decide(made, {"amount": amount}, person="ada", preferences={})
    by = found.asking
    assert (by and by.model_dump(exclude={"line"}, exclude_none=True)) == asking


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[rule]]\nthen = 'perhaps'", "rule 1: `then`"),
        ("[[rule]]\nthen = 'ask'\nwen = 1", "unknown key 'wen'"),
        ("[[rules]]\nthen = 'ask'", "unknown table 'rules'"),
        ("[rule]\nthen = 'ask'", "double brackets"),
        ("[[rule]]\nthen = 'ask'\nwhen = { a = { above = 1 } }", "unknown operator 'above'"),
        ("[[rule]\n", "policy: "),
        ("[policy.large]", "double brackets"),
        ("rule = [1]", "double brackets"),
        ("policy = 1", "named policies as"),
    ],
)
def test_a_rule_that_cannot_be_read_is_named(text: str, said: str) -> None:
    with pytest.raises(PolicyInvalid, match=said.replace("[", r"\[")):
        read_policy(text)


def test_a_tool_names_a_policy_that_is_there() -> None:
    policy = read_policy(FILE)
    policy.check_names([named("pay", approval="large"), named("look"), named("buy", approval=True)])
    with pytest.raises(PolicyInvalid, match="'pay' names the policy 'small'; known are: large"):
        policy.check_names([named("pay", approval="small")])
    with pytest.raises(PolicyInvalid, match="known are: none"):
        Policy().check_names([named("pay", approval="small")])
    with pytest.raises(PolicyInvalid, match="unknown policy 'small'"):
        policy.decide(named("pay", approval="small"), {}, person="a", preferences={})
    decision = policy.decide(
        named("pay", approval="large"), {"amount": 5}, person="a", preferences={}
    )
    assert decision.rule == "policy large, rule 1, *: allow"


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        ({}, "no rule asked"),
        ({"approval": lambda _: False}, "the tool's own condition did not ask"),
    ],
)
def test_what_runs_unasked_says_why(options: dict[str, Any], rule: str) -> None:
    decision = Policy().decide(named("pay", **options), {}, person="a", preferences={})
    assert (decision.verdict, decision.rule) == (Verdict.ALLOW, rule)


def test_what_nobody_declared_says_why_it_ran() -> None:
    allowed = undeclared(Policy(), unless_said=Verdict.ALLOW)
    assert allowed.rule == "nobody declared it, and such tools are allowed"
    remembered = undeclared(Policy(), allowed=("bare",), unless_said=Verdict.ASK)
    assert (remembered.verdict, remembered.rule) == (Verdict.ALLOW, ALWAYS_ALLOWED)
    looks = named("looks")
    looks.traits = Traits(declared=False, read_only=True)
    decision = Policy(undeclared=Verdict.DENY).decide(looks, {}, person="a", preferences={})
    assert decision.verdict is Verdict.ALLOW


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "ours.toml"
    path.write_text("[[rule]]\nthen = 'perhaps'")
    with pytest.raises(PolicyInvalid, match=r"ours\.toml, rule 1"):
        as_policy(path)


@pytest.mark.parametrize(
    ("mode", "name", "expected"),
    [
        (ExecutionMode.INTERACTIVE, "bare", Verdict.ASK),
        (ExecutionMode.INTERACTIVE, "other", Verdict.ALLOW),
        (ExecutionMode.SYNC, "bare", Verdict.ALLOW),
    ],
)
def test_who_may_run_a_tool_that_came_with_a_task(
    mode: ExecutionMode, name: str, expected: Verdict
) -> None:
    task = TaskRequest(
        task_id="t",
        messages=[],
        available_tools=[bare],
        execution_config=ExecutionConfig(execution_mode=mode),
    )
    assert default_verdict(task, name) is expected


@pytest.mark.parametrize(
    ("traits", "rules", "spoken"),
    [
        (Traits(declared=False), (), False),
        (Traits(declared=True), (), True),
        (Traits(declared=False, read_only=True), (), True),
        (Traits(declared=False, approval=True), (), True),
        (Traits(declared=False), (Rule(then=Verdict.ASK, tool="pay_*"),), True),
        (Traits(declared=False), (Rule(then=Verdict.ASK, tool="buy_*"),), False),
    ],
)
def test_whether_somebody_has_spoken_of_a_tool(
    traits: Traits, rules: tuple[Rule, ...], spoken: bool
) -> None:
    assert Policy(rules=rules).speaks_of("pay_out", traits) is spoken


def test_a_file_is_read_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_text(FILE)
    assert as_policy(str(path)) == read_policy(FILE)
    path.write_text(FILE, "utf-8-sig")
    assert as_policy(path) == read_policy(FILE)
    path.write_text(FILE, "utf-16")
    with pytest.raises(PolicyInvalid, match="not UTF-8"):
        as_policy(path)
    given = Policy(undeclared=Verdict.DENY)
    assert as_policy(given) is given
    with pytest.raises(PolicyInvalid, match="cannot be opened"):
        as_policy(tmp_path / "none.toml")


def test_a_rule_that_asks_says_what_may_be_approved_together() -> None:
    policy = read_policy("""
[[rule]]
tool = "label"
then = "ask"
bulk = true

[[rule]]
tool = "strict_*"
then = "ask"

[[policy.large]]
when = { amount = { gt = 10 } }
then = "ask"
""")

    def may(name: str, amount: int = 0, **options: object) -> bool:
        tool, arguments = named(name, **options), {"amount": amount}
        return policy.decide(tool, arguments, person="ada", preferences={}).bulk

    assert may("label")
    assert may("pay", approval=True, bulk=True)
    assert not may("pay", approval=True)
    assert may("pay", 1, approval="large", bulk=True)
    # A rule that speaks of a call speaks of this too.
    assert not may("strict_label", approval=True, bulk=True)
    assert not may("pay", 50, approval="large", bulk=True)


def test_what_needs_a_second_look_is_never_approved_together() -> None:
    with pytest.raises(NotSupportedError, match="final confirmation"):
        named("drop", approval=True, final_confirmation=True, bulk=True)


@pytest.mark.parametrize(("secrets", "whole"), [((), True), (("pin",), False)])
def test_a_predicate_that_fails_logs_no_secret(
    secrets: tuple[str, ...], whole: bool, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(arguments: Mapping[str, JsonValue]) -> bool:
        raise ValueError(f"not a number: {arguments['pin']}")

    @tool(approval=broken, secrets=secrets)
    def pay(pin: str) -> None: ...

    decision = Policy().decide(pay, {"pin": "hunter22"}, person="ada", preferences={})
    assert decision.verdict is Verdict.ASK
    assert "not a number" in caplog.text
    assert ("hunter22" in caplog.text, "Traceback" in caplog.text) == (whole, whole)


def bare(amount: int = 0) -> None:
    """Nobody declared it."""


def undeclared(policy: Policy, *, allowed: tuple[str, ...] = (), unless_said: Verdict) -> Decision:
    preferences: dict[str, JsonValue] = {"always_allow": list(allowed)}
    return policy.decide(
        as_tool(bare), {}, person="ada", preferences=preferences, unless_said=unless_said
    )


def test_what_nobody_declared_is_for_the_application_to_decide() -> None:
    for said in Verdict:
        policy = Policy(undeclared=said)
        assert undeclared(policy, unless_said=Verdict.ALLOW).verdict is said
        assert verdict(policy, "declared") is Verdict.ALLOW
        assert verdict(policy, "looks", read_only=True) is Verdict.ALLOW
    assert undeclared(Policy(), unless_said=Verdict.ALLOW).verdict is Verdict.ALLOW
    asked = undeclared(Policy(), unless_said=Verdict.ASK)
    assert (asked.verdict, asked.may_be_remembered) == (Verdict.ASK, True)
    assert asked.asking == AskingRule(by="undeclared", may_be_ruled=True)
    assert undeclared(Policy(), allowed=("bare",), unless_said=Verdict.ASK).verdict is Verdict.ALLOW
    ruled = Policy(rules=[Rule(tool="b*", then=Verdict.ALLOW)], undeclared=Verdict.DENY)
    assert undeclared(ruled, unless_said=Verdict.ASK).verdict is Verdict.ALLOW


def decided(when: str, arguments: Mapping[str, JsonValue], then: str = "deny") -> Verdict:
    policy = read_policy(f'[[rule]]\nwhen = {{ {when} }}\nthen = "{then}"')
    return policy.decide(named("pay"), arguments, person="ada", preferences={}).verdict


@pytest.mark.parametrize("then", ["deny", "allow"])
@pytest.mark.parametrize("amount", [float("nan"), "much", None, True, [1]])
def test_a_comparison_that_cannot_be_made_asks(amount: JsonValue, then: str) -> None:
    assert decided("amount = { gt = 100 }", {"amount": amount}, then) is Verdict.ASK


@pytest.mark.parametrize("bound", ["nan", "{ gt = nan }", "{ le = nan }", "{ in = 'EU' }"])
def test_a_bound_that_nothing_can_be_held_against_asks(bound: str) -> None:
    for then in ("deny", "allow"):
        for value in (5, "EU", "E", ""):
            assert decided(f"amount = {bound}", {"amount": value}, then) is Verdict.ASK


def test_a_condition_that_is_false_decides_whatever_cannot_be_judged_beside_it() -> None:
    when = "amount = { gt = 100 }, order = 7"
    assert decided(when, {"amount": "much", "order": 8}) is Verdict.ALLOW
    assert decided(when, {"amount": "much", "order": 7}) is Verdict.ASK


def test_what_a_call_does_not_have_is_no_doubt() -> None:
    assert decided("amount = { gt = 100 }", {}) is Verdict.ALLOW


async def test_a_call_that_a_rule_forbids_without_a_reason_is_told_all_the_same() -> None:
    async def calls_it(ctx: AgentContext) -> None:
        await ctx.say(str(await ctx.call("pay")))

    run = MemoryRun()
    policy = Policy(rules=[Rule(tool="pay", then=Verdict.DENY)])
    await run.go(AgentProgram(calls_it, tools=[tool(name="pay")(lambda: None)], policy=policy))
    assert "The policy does not allow this call." in run.said
    (ended,) = [one for one in run.recorder.events if isinstance(one, ToolReturned)]
    assert (ended.status, ended.truncated) == (ToolCallStatus.DENIED, None)
