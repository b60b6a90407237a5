"""A rule speaks of a call where all of its conditions hold; what cannot be judged is no no."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from sayso.core.cards import AskingRule
from sayso.core.errors import PolicyInvalid
from sayso.core.policy_rules import (
    ALWAYS_ALLOWED,
    Decision,
    Rule,
    ToolFacts,
    Undecided,
    Verdict,
    decide,
    holds,
    rule_as_toml,
    rule_from_table,
)

NAN = float("nan")


def facts(**more: Any) -> ToolFacts:
    return ToolFacts(
        **{"tool_name": "pay_out", "arguments": {"n": 5, "to": {"who": "ann"}}, **more}
    )


def rule(**more: Any) -> Rule:
    return Rule(then=Verdict.DENY, **more)


@pytest.mark.parametrize(
    ("made", "seen", "matches"),
    [
        (rule(), facts(), True),
        (rule(tool="pay_*"), facts(), True),
        (rule(tool="Pay_*"), facts(), False),
        (rule(tool="pay"), facts(), False),
        (rule(read_only=True), facts(read_only=True), True),
        (rule(read_only=True), facts(), False),
        (rule(read_only=False), facts(), True),
        (rule(read_only=False), facts(read_only=True), False),
        (rule(destructive=True), facts(destructive=True), True),
        (rule(destructive=True), facts(), False),
        (rule(destructive=False), facts(destructive=True), False),
        (rule(role="clerk"), facts(roles=frozenset({"clerk", "boss"})), True),
        (rule(role="clerk"), facts(roles=frozenset({"boss"})), False),
        (rule(predicate=lambda a: a["n"] == 5), facts(), True),
        (rule(predicate=lambda a: a["n"] == 6), facts(), False),
        (rule(when={"n": 5}), facts(), True),
        (rule(when={"n": 6}), facts(), False),
        (rule(when={"n": 5, "to.who": "ann"}), facts(), True),
        (rule(when={"n": 5, "to.who": "ben"}), facts(), False),
        (rule(when={"to.where": "x"}), facts(), False),
        (rule(when={"n.who": "x"}), facts(), False),
        (rule(when={"n": {"gt": 4, "lt": 6}}), facts(), True),
        (rule(when={"n": {"gt": 4.5}}), facts(), True),
        (rule(when={"n": {"gt": 4, "lt": 5}}), facts(), False),
        (rule(when={"n": 6, "to.who": {"gt": 1}}), facts(), False),
        (rule(when={"to.who": {"gt": 1}, "n": 6}), facts(), False),
    ],
)
def test_a_rule_holds_where_every_condition_does(
    made: Rule, seen: ToolFacts, matches: bool
) -> None:
    assert made.matches(seen) is matches


@pytest.mark.parametrize(
    ("operator", "below", "same", "above"),
    [
        ("eq", False, True, False),
        ("ne", True, False, True),
        ("gt", False, False, True),
        ("ge", False, True, True),
        ("lt", True, False, False),
        ("le", True, True, False),
    ],
)
def test_the_operators(operator: str, below: bool, same: bool, above: bool) -> None:
    held = [rule(when={"n": {operator: bound}}).matches(facts()) for bound in (6, 5, 4)]
    assert held == [below, same, above]


def test_one_of_several() -> None:
    assert rule(when={"n": {"in": [4, 5]}}).matches(facts())
    assert not rule(when={"n": {"in": [4, 6]}}).matches(facts())


@pytest.mark.parametrize(
    ("when", "arguments"),
    [
        ({"n": {"gt": 4}}, {"n": "5"}),
        ({"n": {"lt": "x"}}, {"n": 5}),
        ({"n": {"gt": 0}}, {"n": True}),
        ({"n": {"le": True}}, {"n": 0}),
        ({"n": {"in": 5}}, {"n": 5}),
        ({"n": {"gt": 4}}, {"n": NAN}),
        ({"n": {"ne": 4}}, {"n": NAN}),
        ({"n": 5}, {"n": NAN}),
        ({"n": {"gt": 4}, "m": 1}, {"n": "5", "m": 1}),
    ],
)
def test_what_cannot_be_judged_is_said(when: Any, arguments: Any) -> None:
    with pytest.raises(Undecided):
        rule(when=when).matches(facts(arguments=arguments))


class Later:
    """Awaitable, and no coroutine."""

    def __await__(self) -> Iterator[None]:
        yield


async def later() -> bool:
    return False


@pytest.mark.parametrize("said", [later, Later])
def test_what_is_said_later_decides_nothing(said: Callable[[], object]) -> None:
    with pytest.raises(Undecided, match="async"):
        holds(lambda _: said(), {})


def test_truth_is_compared_with_truth() -> None:
    assert rule(when={"n": {"ge": True}}).matches(facts(arguments={"n": True}))
    assert rule(when={"n": {"eq": 0}}).matches(facts(arguments={"n": False}))


ASKING = Rule(then=Verdict.ASK, tool="pay_*", reason="Look.", may_be_remembered=True, bulk=True)
REMEMBERED: Any = {"always_allow": ["pay_out"]}


def test_the_first_rule_that_speaks_of_a_call_decides() -> None:
    other = Rule(then=Verdict.DENY, tool="other")
    deny = Rule(then=Verdict.DENY)
    assert decide([], facts()) is None
    assert decide([other], facts()) is None
    found = decide([other, ASKING, deny], facts())
    assert found == Decision(Verdict.ASK, "Look.", True, True, "rule 2, pay_*: Look.")
    assert found.asking == AskingRule(by="rule", number=2, line=rule_as_toml(ASKING))
    assert decide([deny, ASKING], facts()) == Decision(Verdict.DENY, rule="rule 1, *: deny")


@pytest.mark.parametrize(
    ("made", "preferences", "verdict"),
    [
        (ASKING, REMEMBERED, Verdict.ALLOW),
        (ASKING, {}, Verdict.ASK),
        (ASKING, {"always_allow": ["pay"]}, Verdict.ASK),
        (ASKING, {"always_allow": "pay_out"}, Verdict.ASK),
        (Rule(then=Verdict.ASK), REMEMBERED, Verdict.ASK),
        (Rule(then=Verdict.DENY, may_be_remembered=True), REMEMBERED, Verdict.DENY),
    ],
)
def test_always_allowed_is_obeyed_where_the_rule_that_asks_offers_it(
    made: Rule, preferences: Any, verdict: Verdict
) -> None:
    found = decide([made], facts(preferences=preferences))
    assert found is not None
    assert found.verdict is verdict
    assert (found.rule == ALWAYS_ALLOWED) is (verdict is Verdict.ALLOW)


def test_a_line_of_a_file_says_every_part_of_a_rule() -> None:
    line: dict[str, Any] = {
        "tool": "pay_*",
        "when": {"n": {"gt": 1}},
        "read_only": False,
        "destructive": True,
        "role": "clerk",
        "reason": "Look.",
        "may_be_remembered": True,
        "bulk": True,
    }
    assert rule_from_table({**line, "then": "ask"}, place="here") == Rule(then=Verdict.ASK, **line)


WHOLE = """[[rule]]
tool = "pay_*"
when = { "to.who" = "Zoë", "n" = { "in" = [1, { "a" = 2 }] } }
read_only = true
destructive = true
role = "clerk"
then = "ask"
reason = "Look."
may_be_remembered = true
bulk = true"""


def test_a_person_sees_the_rule_as_a_file_would_say_it() -> None:
    when: Any = {"to.who": "Zoë", "n": {"in": [1, {"a": 2}]}}
    made = replace(ASKING, when=when, read_only=True, destructive=True, role="clerk")
    assert rule_as_toml(made) == WHOLE
    assert rule_from_table(tomllib.loads(WHOLE)["rule"][0], place="here") == made
    short = Rule(then=Verdict.DENY, predicate=lambda _: True)
    line = '[[rule]]\ntool = "*"\nthen = "deny"'
    assert rule_as_toml(short) == f"{line}\n# and a condition in Python"
    assert rule_as_toml(replace(short, predicate=None)) == line


@pytest.mark.parametrize(
    "line",
    [
        {},
        {"then": "perhaps"},
        {"then": "ask", "whenever": {}},
        {"then": "ask", "when": 5},
        {"then": "ask", "when": {"n": {"above": 5}}},
        {"then": "deny", "tool": ["pay", "refund"]},
        {"then": "deny", "role": ["clerk"]},
        {"then": "deny", "destructive": "true"},
        {"then": "deny", "read_only": 0},
        {"then": "ask", "may_be_remembered": "false"},
        {"then": "ask", "bulk": "no"},
        {"then": "ask", "reason": 5},
    ],
)
def test_a_line_that_says_nothing_we_know_is_refused(line: dict[str, Any]) -> None:
    with pytest.raises(PolicyInvalid, match="here"):
        rule_from_table(line, place="here")
