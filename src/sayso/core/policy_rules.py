"""The rules of a policy: for each tool call, allow it, ask a person, or deny it. They stand in
order; the first that matches decides."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from enum import StrEnum
from fnmatch import fnmatchcase
from inspect import isawaitable, iscoroutine
from math import isnan
from typing import cast

from pydantic import JsonValue

from sayso.core.cards import AskingRule
from sayso.core.errors import PolicyInvalid

#: The reason of a call that a person allowed for the whole chat.
ALWAYS_ALLOWED = "always allowed in this chat"


class Undecided(Exception):
    """A rule speaks of this call, and it cannot be said whether it holds: a person is asked."""


class Verdict(StrEnum):
    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFacts:
    """What a rule may look at: the call, what the tool declares of itself, and who asks."""

    tool_name: str
    arguments: Mapping[str, JsonValue]
    read_only: bool = False
    destructive: bool = False
    roles: frozenset[str] = frozenset()
    #: The chat's preferences: `always_allow` lists tool names a person allowed for this chat.
    preferences: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One line of a policy. Every condition that is given must hold.

    `tool` is a name pattern (`refund_*`). `when` compares arguments: `{"amount": {"gt": 100}}`;
    operators are eq, ne, gt, ge, lt, le, in, or a plain value for eq. `predicate` is a Python
    function of the arguments.
    """

    then: Verdict
    tool: str = "*"
    when: Mapping[str, JsonValue] = field(default_factory=dict)
    predicate: Callable[[Mapping[str, JsonValue]], bool] | None = None
    read_only: bool | None = None
    destructive: bool | None = None
    role: str | None = None
    reason: str = ""
    #: Whether "always allow in this chat" may be offered, and obeyed, where this rule asks.
    may_be_remembered: bool = False
    #: Whether what this rule asks may be approved together with others, in one step.
    bulk: bool = False

    def matches(self, facts: ToolFacts) -> bool:
        """Raises Undecided where a condition that matters cannot be judged."""
        return (
            fnmatchcase(facts.tool_name, self.tool)
            and (self.read_only is None or self.read_only == facts.read_only)
            and (self.destructive is None or self.destructive == facts.destructive)
            and (self.role is None or self.role in facts.roles)
            and _all_hold(facts.arguments, self.when)
            and (self.predicate is None or holds(self.predicate, facts.arguments))
        )


def holds(
    predicate: Callable[[Mapping[str, JsonValue]], object], arguments: Mapping[str, JsonValue]
) -> bool:
    """Judge a copy of the arguments: what a predicate does to them must not run. Raises Undecided
    for an async one, whose coroutine would be as good as a yes."""
    said = predicate(deepcopy(dict(arguments)))
    if isawaitable(said):
        if iscoroutine(said):
            said.close()
        raise Undecided("its predicate is async, and a rule has to be judged at once")
    return bool(said)


@dataclass(frozen=True, slots=True)
class Decision:
    verdict: Verdict
    reason: str = ""
    may_be_remembered: bool = False
    bulk: bool = False
    #: Which line decided, for the record of what ran unasked; "" where none speaks of the call.
    rule: str = ""
    #: The same, for whoever is asked.
    asking: AskingRule | None = field(default=None, compare=False)


def decide(rules: Sequence[Rule], facts: ToolFacts) -> Decision | None:
    """Return what the first matching rule says; None when no rule speaks of this call."""
    found = next(((n, rule) for n, rule in enumerate(rules, 1) if rule.matches(facts)), None)
    if found is None:
        return None
    number, rule = found
    if rule.then is Verdict.ASK and rule.may_be_remembered and always_allowed(facts):
        return Decision(Verdict.ALLOW, ALWAYS_ALLOWED, rule=ALWAYS_ALLOWED)
    name = f"rule {number}, {rule.tool}: {rule.reason or rule.then.value}"
    asking = AskingRule(by="rule", number=number, line=rule_as_toml(rule))
    return Decision(rule.then, rule.reason, rule.may_be_remembered, rule.bulk, name, asking)


def rule_from_table(table: Mapping[str, object], *, place: str) -> Rule:
    """Return a rule of a TOML file: `{tool, when, then, read_only, destructive, role, reason,
    may_be_remembered, bulk}`."""
    unknown = set(table) - set(_KINDS)
    if unknown:
        raise PolicyInvalid(
            f"{place}: unknown key {sorted(unknown)[0]!r}; known are {sorted(_KINDS)}."
        )
    try:
        verdict = Verdict(str(table["then"]))
    except (KeyError, ValueError) as exc:
        raise PolicyInvalid(f'{place}: `then` needs to be "allow", "ask" or "deny".') from exc
    for key, value in table.items():
        kind, named = _KINDS[key]
        if not isinstance(value, kind):
            raise PolicyInvalid(f"{place}: `{key}` needs to be {named}.")
    when = cast("Mapping[str, JsonValue]", table.get("when", {}))
    for path, test in when.items():
        unknown_operators = set(test) - set(_OPERATORS) if isinstance(test, Mapping) else set()
        if unknown_operators:
            raise PolicyInvalid(
                f"{place}: {path!r} has an unknown operator {sorted(unknown_operators)[0]!r}; "
                f"known are {', '.join(_OPERATORS)}."
            )
    rest = {key: value for key, value in table.items() if key not in ("then", "when")}
    return Rule(then=verdict, when=dict(when), **rest)  # type: ignore[arg-type]  # keys checked above


_TEXT, _YES_NO = (str, "a text"), (bool, "true or false")
#: What may stand in a rule of a TOML file.
_KINDS: dict[str, tuple[type, str]] = {
    "tool": _TEXT,
    "when": (dict, "a table of arguments"),
    "then": _TEXT,
    "read_only": _YES_NO,
    "destructive": _YES_NO,
    "role": _TEXT,
    "reason": _TEXT,
    "may_be_remembered": _YES_NO,
    "bulk": _YES_NO,
}


def rule_as_toml(rule: Rule) -> str:
    """Return a rule as it stands in a TOML file; a Python predicate is named as a comment."""
    given: dict[str, JsonValue] = {"tool": rule.tool, "when": dict(rule.when)}
    given |= {"read_only": rule.read_only, "destructive": rule.destructive, "role": rule.role}
    given |= {"then": rule.then.value, "reason": rule.reason}
    given |= {"may_be_remembered": rule.may_be_remembered, "bulk": rule.bulk}
    lines = [f"{k} = {_toml(v)}" for k, v in given.items() if v not in (None, "", False, {})]
    if rule.predicate is not None:
        lines.append("# and a condition in Python")
    return "\n".join(["[[rule]]", *lines])


def _toml(value: JsonValue) -> str:
    if isinstance(value, dict):
        inner = ", ".join(f"{json.dumps(k)} = {_toml(v)}" for k, v in value.items())
        return f"{{ {inner} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False)


def always_allowed(facts: ToolFacts) -> bool:
    """Return whether a person has said of this tool that it need not ask again in this chat."""
    allowed = facts.preferences.get("always_allow")
    return isinstance(allowed, list) and facts.tool_name in allowed


_OPERATORS: dict[str, Callable[[JsonValue, JsonValue], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "gt": lambda a, b: a > b,  # type: ignore[operator]
    "ge": lambda a, b: a >= b,  # type: ignore[operator]
    "lt": lambda a, b: a < b,  # type: ignore[operator]
    "le": lambda a, b: a <= b,  # type: ignore[operator]
    "in": lambda a, b: a in b,  # type: ignore[operator]
}
_ORDERS = {"gt", "ge", "lt", "le"}


def _all_hold(arguments: Mapping[str, JsonValue], when: Mapping[str, JsonValue]) -> bool:
    """Return whether every test holds. One that is false decides, whatever cannot be judged
    beside it."""
    undecided: Undecided | None = None
    for path, test in when.items():
        try:
            if not _holds(arguments, path, test):
                return False
        except Undecided as exc:
            undecided = exc
    if undecided is not None:
        raise undecided
    return True


def _holds(arguments: Mapping[str, JsonValue], path: str, test: JsonValue) -> bool:
    value: JsonValue = dict(arguments)
    for key in path.split("."):
        if not isinstance(value, dict) or key not in value:
            return False
        value = value[key]
    if isinstance(value, float) and isnan(value):
        raise Undecided(f"'{path}' is not a number.")
    tests = test if isinstance(test, dict) else {"eq": test}
    return all(_compare(path, name, value, bound) for name, bound in tests.items())


def _compare(path: str, operator: str, value: JsonValue, bound: JsonValue) -> bool:
    differ = operator in _ORDERS and isinstance(value, bool) is not isinstance(bound, bool)
    part_of_word = operator == "in" and isinstance(bound, str)
    if differ or part_of_word or (isinstance(bound, float) and isnan(bound)):
        raise Undecided(f"'{path}' cannot be compared with {bound!r}.")
    try:
        return _OPERATORS[operator](value, bound)
    except TypeError as exc:
        raise Undecided(f"'{path}' cannot be compared with {bound!r}.") from exc
