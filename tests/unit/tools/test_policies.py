"""Policies: read from TOML, and what they decide."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import JsonValue

from sayso.core.errors import PolicyInvalid
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
