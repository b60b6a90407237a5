"""What people may begin with: a few short sentences, offered where a chat begins."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence

from sayso.core.errors import InvalidInput

#: One list for the first agent, or a list for each agent by its name.
Starters = Sequence[str] | Mapping[str, Sequence[str]]

MOST = 6
MOST_CHARS = 80


def starters_by_agent(given: Starters, agents: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return each agent's starters. Raises InvalidInput where one is no short plain sentence."""
    lists = given if isinstance(given, Mapping) else {agents[0]: given}
    for name in lists:
        if name not in agents:
            known = ", ".join(agents)
            raise InvalidInput(f"There is no agent '{name}'.", fix=f"The agents here are: {known}.")
    return {name: _checked(sentences) for name, sentences in lists.items() if sentences}


def _checked(sentences: Sequence[str]) -> tuple[str, ...]:
    if isinstance(sentences, str):
        raise InvalidInput(
            "`starters` is one sentence where it should be a list.",
            fix=f"Write starters=[{sentences!r}].",
        )
    found = tuple(dict.fromkeys(_sentence(each) for each in sentences))
    if len(found) > MOST:
        raise InvalidInput(
            f"There are {len(found)} starters.", fix=f"Keep the {MOST} that people need most."
        )
    return found


def _sentence(given: object) -> str:
    words = given.strip() if isinstance(given, str) else ""
    if not words or len(words) > MOST_CHARS or not _is_plain(words):
        raise InvalidInput(
            f"{given!r} is no starter.",
            fix=f"A starter is what a person would write: one line of 1 to {MOST_CHARS} letters.",
        )
    return words


def _is_plain(words: str) -> bool:
    """Neither another line nor a control character."""
    return not any(unicodedata.category(letter) in ("Cc", "Zl", "Zp") for letter in words)
