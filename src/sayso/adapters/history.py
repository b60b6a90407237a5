"""The part of a chat that an agent has not been told yet when a run begins."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.adapters.contract import Segment
from sayso.core.tasks import UniversalMessage


def chat_before(segment: Segment) -> list[UniversalMessage]:
    """Return the chat before this message: some callers give a task's earlier messages as history
    too."""
    history, earlier = list(segment.history), segment.task.messages[:-1]
    if earlier and history[-len(earlier) :] == earlier:
        return history
    return [*history, *earlier]


def unseen_messages(messages: Sequence[UniversalMessage], people: int) -> list[UniversalMessage]:
    """Return the chat from the first message of a person that a memory of so many of them has not
    seen: its run was cancelled, or failed."""
    seen = 0
    for at, message in enumerate(messages):
        seen += message.role == "user"
        if seen > people:
            return list(messages[at:])
    return []


def messages_of_people(messages: Sequence[UniversalMessage]) -> int:
    """Count the messages that people wrote."""
    return sum(message.role == "user" for message in messages)
