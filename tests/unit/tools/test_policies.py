"""Policies: read from TOML, and what they decide."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from pydantic import JsonValue

from sayso.core.errors import NotSupportedError, PolicyInvalid
from sayso.core.policy import Verdict
from sayso.tools.policies import Policy, as_policy, read_policy
from sayso.tools.tool import Tool, tool

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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[rule]]\nthen = 'perhaps'", "rule 1: `then`"),
        ("[[rule]]\nthen = 'ask'\nwen = 1", "unknown key 'wen'"),
        ("[[rules]]\nthen = 'ask'", "unknown table 'rules'"),
        ("[rule]\nthen = 'ask'", "double brackets"),
        ("[[rule]]\nthen = 'ask'\nwhen = { a = { above = 1 } }", "unknown operator 'above'"),
        ("[[rule]\n", "policy: "),
    ],
)
def test_a_rule_that_cannot_be_read_is_named(text: str, said: str) -> None:
    with pytest.raises(PolicyInvalid, match=said.replace("[", r"\[")):
        read_policy(text)


def test_a_file_is_read_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_text(FILE)
    assert as_policy(str(path)) == read_policy(FILE)
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
