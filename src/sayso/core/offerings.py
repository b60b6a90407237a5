"""What an application offers people beside its agents: sentences to begin a chat with, and its
artifacts as files."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence

from sayso.core.chat_view import ArtifactItem
from sayso.core.errors import InvalidInput

#: One list for the first agent, or a list for each agent by its name.
Starters = Sequence[str] | Mapping[str, Sequence[str]]

MOST = 6
MOST_CHARS = 80

#: A table: the server writes it as CSV, with cells that no spreadsheet runs.
Rows = list[list[str | int | float]]

#: The artifact as a text, or as a table. Raises ValueError, with the reason in plain words, where
#: its content has no such form.
Exporter = Callable[[ArtifactItem], str | Rows]

#: By the artifact's `ui_tool_id`, then by format ("markdown", "csv", "ics").
Exports = Mapping[str, Mapping[str, Exporter]]


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
