"""Policies: rules a person wrote, in Python or TOML, that decide each tool call before the tool's
own wish does.

A TOML file holds `[[rule]]` tables (`tool`, `when`, `then`, …) and named policies,
`[[policy.NAME]]` tables of the same form, which a tool asks for with `approval="NAME"`. The first
rule that matches decides.
"""

from __future__ import annotations

import logging
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import JsonValue

from sayso.core.errors import PolicyInvalid
from sayso.core.policy import Decision, Rule, ToolFacts, Verdict, decide, rule_from_table
from sayso.tools.masking import Mask, Secrets
from sayso.tools.tool import Runnable

log = logging.getLogger("sayso.tools")


def _no_roles(person: str | None) -> Collection[str]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """All rules of an application, and who has which role."""

    rules: Sequence[Rule] = ()
    named: Mapping[str, Sequence[Rule]] = field(default_factory=dict)
    roles_of: Callable[[str | None], Collection[str]] = _no_roles

    def decide(
        self,
        tool: Runnable,
        arguments: Mapping[str, JsonValue],
        *,
        person: str | None,
        preferences: Mapping[str, JsonValue],
    ) -> Decision:
        """Rules first; where none speaks, what the tool itself wants. What cannot be decided is
        asked."""
        traits = tool.traits
        facts = ToolFacts(
            tool_name=tool.name,
            arguments=arguments,
            read_only=traits.read_only,
            destructive=traits.destructive,
            idempotent=traits.idempotent,
            roles=frozenset(self.roles_of(person)),
            # Who else may act in a chat may not say "always" for those whom a tool names.
            preferences={} if traits.assignees else preferences,
        )
        try:
            said = decide(self.rules, facts) or self._own_wish(tool, facts)
            return replace(said, may_be_remembered=False) if traits.assignees else said
        except PolicyInvalid:
            raise
        except Exception as exc:
            secrets = Secrets()
            secrets.add(Mask(traits.secrets, dict(arguments)))
            what = f"a predicate on the tool {tool.name!r} failed; a person is asked"
            secrets.log(log, what, exc)
            return Decision(Verdict.ASK, "The rule for this call could not be evaluated.")

    def check_names(self, tools: Collection[Runnable]) -> None:
        """Raises PolicyInvalid for a tool whose named policy does not exist."""
        for tool in tools:
            wanted = tool.traits.approval
            if isinstance(wanted, str) and wanted not in self.named:
                known = ", ".join(sorted(self.named)) or "none"
                raise PolicyInvalid(
                    f"The tool '{tool.name}' names the policy '{wanted}'; known are: {known}."
                )

    def _own_wish(self, tool: Runnable, facts: ToolFacts) -> Decision:
        wish = tool.traits.approval
        if isinstance(wish, str):
            if wish not in self.named:
                raise PolicyInvalid(f"The tool '{tool.name}' names an unknown policy '{wish}'.")
            return decide(self.named[wish], facts) or Decision(Verdict.ASK, bulk=tool.traits.bulk)
        asks = wish(facts.arguments) if callable(wish) else wish
        return Decision(Verdict.ASK, bulk=tool.traits.bulk) if asks else Decision(Verdict.ALLOW)


#: What an application may give: a policy, rules, or the path of a TOML file.
Policies = Policy | Sequence[Rule] | str | Path | None


def as_policy(given: Policies) -> Policy:
    """A policy as it is, a list of rules, or the path of a TOML file."""
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
    """The policy of a TOML file. Raises PolicyInvalid with the place of what cannot be read."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as exc:
        raise PolicyInvalid(
            f"The policy file '{path}' cannot be opened: {exc.strerror}.", fix="Check the path."
        ) from exc
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
