"""Which of several ways to say a thing: one that is new, else the one that was said longest ago, so
that no two replies in a row are the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sayso.core.messages import Message


def in_other_words(said_before: Sequence[str], *ways: Message) -> Message:
    """Return the way to say it now. `said_before`: the codes that were said, the last one last."""
    return min(ways, key=lambda way: said_before.index(way.code) if way.code in said_before else -1)


def with_said(said_before: Sequence[str], said: Iterable[str]) -> tuple[str, ...]:
    """Return the codes that were said once these are said too, the last one last."""
    codes = [text.code for text in said if isinstance(text, Message)]
    return (*(code for code in said_before if code not in codes), *dict.fromkeys(codes))
