"""What an adapter finds as it looks through an agent, before any run: what works, what works with
care, and what cannot be served. `sayso doctor` prints them; a refusal keeps a server from starting.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from sayso.core.errors import NotSupportedError
from sayso.tools.tool import Runnable


class FindingKind(StrEnum):
    WORKS = "works"
    CAVEAT = "caveat"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing about one agent. A caveat and a refusal say what to do."""

    kind: FindingKind
    #: The agent; one within it as "desk > clerk".
    agent: str
    text: str
    fix: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AppSide:
    """What an application gives to an agent: its name there, tools, and deps."""

    agent_name: str
    tools: Sequence[Runnable] = ()
    deps: object = None


def works(agent: str, text: str) -> Finding:
    return Finding(kind=FindingKind.WORKS, agent=agent, text=text)


def caveat(agent: str, text: str, fix: str = "") -> Finding:
    return Finding(kind=FindingKind.CAVEAT, agent=agent, text=text, fix=fix)


def refused(agent: str, text: str, fix: str) -> Finding:
    return Finding(kind=FindingKind.REFUSED, agent=agent, text=text, fix=fix)


def twice_named(agent: str, tool: str) -> Finding:
    return refused(
        agent,
        f"two tools are named '{tool}': its own and the application's.",
        "Give one of them another name.",
    )


def hosted(agent: str, tool: str) -> Finding:
    return caveat(
        agent,
        f"'{tool}' is run by the model's provider, which no policy holds.",
        "Leave it out where its calls need a person.",
    )


def runs_by_itself(agent: str, tool: str, inner: str, fix: str) -> Finding:
    text = f"'{tool}' runs the agent '{inner}' by itself, where no policy holds its calls."
    return refused(agent, text, fix)


def refuse(findings: Iterable[Finding]) -> None:
    """Raise NotSupportedError where one of them is a refusal; it tells all of them."""
    found = [one for one in findings if one.kind is FindingKind.REFUSED]
    if found:
        raise NotSupportedError(
            " ".join(f"The agent '{one.agent}' cannot be served: {one.text}" for one in found),
            fix=" ".join(dict.fromkeys(one.fix for one in found)),
        )
