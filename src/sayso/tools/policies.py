"""Policies: rules that a person wrote, in Python or TOML. They decide each tool call before the
tool's own `approval` does.

A TOML file holds `[[rule]]` tables (`tool`, `when`, `then`, …) and named policies,
`[[policy.NAME]]` tables of the same form, which a tool asks for with `approval="NAME"`. The first
rule that matches decides.
"""

from __future__ import annotations

import logging
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path

from pydantic import JsonValue

from sayso.core.cards import AskingRule
from sayso.core.errors import PolicyInvalid
from sayso.core.policy_rules import (
    ALWAYS_ALLOWED,
    Decision,
    Rule,
    ToolFacts,
    Undecided,
    Verdict,
    always_allowed,
    decide,
    holds,
    rule_from_table,
)
from sayso.core.tasks import ExecutionMode, TaskRequest, tool_name
from sayso.tools.masking import Mask, Secrets
from sayso.tools.suspension import is_unwinding
from sayso.tools.tool import Runnable, Traits

log = logging.getLogger("sayso.tools")


def _no_roles(person: str | None) -> Collection[str]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """All rules of an application, who has which role, and what becomes of undeclared tools. Where
    `undeclared` is None such a call is allowed, but a person is asked where the tool came with an
    interactive task."""

    rules: Sequence[Rule] = ()
    named: Mapping[str, Sequence[Rule]] = field(default_factory=dict)
    roles_of: Callable[[str | None], Collection[str]] = _no_roles
    undeclared: Verdict | None = None

    def decide(
        self,
        tool: Runnable,
        arguments: Mapping[str, JsonValue],
        *,
        person: str | None,
        preferences: Mapping[str, JsonValue],
        unless_said: Verdict = Verdict.ALLOW,
    ) -> Decision:
        """Decide a call by the first rule that matches, else by the tool's own `approval`, else by
        `undeclared`, or `unless_said` if the application did not choose. A person is asked where a
        rule cannot be evaluated."""
        traits = tool.traits
        facts = ToolFacts(
            tool_name=tool.name,
            arguments=arguments,
            read_only=traits.read_only,
            destructive=traits.destructive,
            roles=frozenset(self.roles_of(person)),
            # "Always allow" is for everybody in a chat; a tool with assignees is theirs to decide.
            preferences={} if traits.assignees else preferences,
        )
        try:
            said = (
                decide(self.rules, facts)
                or self._own_wish(tool, facts)
                or _undeclared(self.undeclared or unless_said, facts)
            )
            return _for_these(traits, said)
        except PolicyInvalid:
            raise
        except Undecided as exc:
            why = f"The rule for this call could not be evaluated: {exc}"
            return Decision(Verdict.ASK, why, asking=AskingRule(by="unclear"))
        except BaseException as exc:
            if is_unwinding(exc):
                raise
            secrets = Secrets()
            secrets.add(Mask(traits.secrets, dict(arguments)))
            what = f"a predicate on the tool {tool.name!r} failed; a person is asked"
            secrets.log(log, what, exc)
            why = "The rule for this call could not be evaluated."
            return Decision(Verdict.ASK, why, asking=AskingRule(by="unclear"))

    def check_names(self, tools: Collection[Runnable]) -> None:
        """Raise PolicyInvalid for a tool whose named policy does not exist."""
        for tool in tools:
            wanted = tool.traits.approval
            if isinstance(wanted, str) and wanted not in self.named:
                known = ", ".join(sorted(self.named)) or "none"
                raise PolicyInvalid(
                    f"The tool '{tool.name}' names the policy '{wanted}'; known are: {known}."
                )

    def speaks_of(self, name: str, traits: Traits) -> bool:
        """Return whether somebody has decided, or declared, when the calls of this tool need a
        person."""
        declared = traits.declared or traits.read_only or bool(traits.approval)
        return declared or any(fnmatchcase(name, rule.tool) for rule in self.rules)

    def _own_wish(self, tool: Runnable, facts: ToolFacts) -> Decision | None:
        wish = tool.traits.approval
        if isinstance(wish, str):
            if wish not in self.named:
                raise PolicyInvalid(f"The tool '{tool.name}' names an unknown policy '{wish}'.")
            said = decide(self.named[wish], facts)
            if said is None:
                none = AskingRule(by="policy", policy=wish)
                return Decision(Verdict.ASK, bulk=tool.traits.bulk, asking=none)
            named = {"by": "policy", "policy": wish}
            asking = said.asking.model_copy(update=named) if said.asking is not None else None
            return replace(said, rule=f"policy {wish}, {said.rule}", asking=asking)
        asks = holds(wish, facts.arguments) if callable(wish) else wish
        if asks:
            asking = AskingRule(by="tool")
            return Decision(Verdict.ASK, bulk=tool.traits.bulk, asking=asking)
        traits = tool.traits
        if not (traits.declared or traits.read_only):
            return None
        own = "the tool's own condition did not ask" if callable(wish) else "no rule asked"
        return Decision(Verdict.ALLOW, rule=own)


def _for_these(traits: Traits, said: Decision) -> Decision:
    """Return a decision with what it leaves to people: "always allow" and rules of theirs. They
    answer only where no line of the policy asks, and nothing that its tool holds dangerous."""
    if traits.assignees:
        return replace(said, may_be_remembered=False)
    asking = said.asking
    dangerous = traits.destructive or traits.final_confirmation or traits.rows is not None
    by_default = asking is not None and asking.number is None and asking.by != "unclear"
    if asking is None or dangerous or not by_default or said.verdict is not Verdict.ASK:
        return said
    return replace(said, asking=asking.model_copy(update={"may_be_ruled": True}))


def _undeclared(verdict: Verdict, facts: ToolFacts) -> Decision:
    """Return what becomes of a call of an undeclared tool."""
    match verdict:
        case Verdict.ALLOW:
            return Decision(Verdict.ALLOW, rule="nobody declared it, and such tools are allowed")
        case Verdict.DENY:
            return Decision(Verdict.DENY, "Nobody has declared when this tool may run.")
        case Verdict.ASK:
            if always_allowed(facts):
                return Decision(Verdict.ALLOW, ALWAYS_ALLOWED, rule=ALWAYS_ALLOWED)
            return Decision(
                Verdict.ASK,
                "Nobody has declared when this tool may run without being asked.",
                may_be_remembered=True,
                asking=AskingRule(by="undeclared"),
            )


def default_verdict(task: TaskRequest, name: str) -> Verdict:
    """Return what becomes of an undeclared tool where the application did not choose: one that came
    with an interactive task asks."""
    came_with_it = any(tool_name(tool) == name for tool in task.available_tools)
    interactive = task.execution_config.execution_mode is ExecutionMode.INTERACTIVE
    return Verdict.ASK if came_with_it and interactive else Verdict.ALLOW


#: What an application may give: a policy, rules, or the path of a TOML file.
Policies = Policy | Sequence[Rule] | str | Path | None


def as_policy(given: Policies) -> Policy:
    """Return a policy as it is, or make one from a list of rules or the path of a TOML file."""
    match given:
        case None:
            return Policy()
        case Policy():
            return given
        case str() | Path():
            return load_policy(Path(given))
        case _:
            return Policy(rules=tuple(given))


def load_policy(path: Path) -> Policy:
    """Read the policy of a TOML file. Raises PolicyInvalid with the place of what cannot be
    read."""
    try:
        text = path.read_text("utf-8-sig")
    except OSError as exc:
        raise PolicyInvalid(
            f"The policy file '{path}' cannot be opened: {exc.strerror}.", fix="Check the path."
        ) from exc
    except UnicodeDecodeError as exc:
        raise PolicyInvalid(f"The policy file '{path}' is not UTF-8.", fix="Save it so.") from exc
    return read_policy(text, place=path.name)


def read_policy(text: str, *, place: str = "policy") -> Policy:
    try:
        body = tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        raise PolicyInvalid(f"{place}: {exc}.") from exc
    unknown = sorted(set(body) - {"rule", "policy"})
    if unknown:
        raise PolicyInvalid(
            f"{place}: unknown table '{unknown[0]}'; known are [[rule]] and [[policy.NAME]]."
        )
    named = body.get("policy", {})
    if not isinstance(named, dict):
        raise PolicyInvalid(f"{place}: write named policies as [[policy.NAME]].")
    return Policy(
        rules=_rules(body.get("rule", []), f"{place}, rule"),
        named={
            name: _rules(tables, f"{place}, policy {name}, rule") for name, tables in named.items()
        },
    )


def _rules(tables: object, place: str) -> tuple[Rule, ...]:
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise PolicyInvalid(f"{place}s need double brackets: [[…]].")
    return tuple(
        rule_from_table(table, place=f"{place} {number}") for number, table in enumerate(tables, 1)
    )
