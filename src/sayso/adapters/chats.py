"""What of a chat an agent has still to be told, when a run begins."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.adapters.base import Segment
from sayso.core.tasks import UniversalMessage


def before(segment: Segment) -> list[UniversalMessage]:
    """The chat before this message: some callers give a task's earlier messages as history too."""
    history, earlier = list(segment.history), segment.task.messages[:-1]
    if earlier and history[-len(earlier) :] == earlier:
        return history
    return [*history, *earlier]


def after_turn(messages: Sequence[UniversalMessage], people: int) -> list[UniversalMessage]:
    """The chat from the first message of a person that a memory of so many of them has not seen:
    its run was cancelled, or failed."""
    seen = 0
    for place, message in enumerate(messages):
        seen += message.role == "user"
        if seen > people:
            return list(messages[place:])
    return []


def messages_of_people(messages: Sequence[UniversalMessage]) -> int:
    return sum(message.role == "user" for message in messages)
