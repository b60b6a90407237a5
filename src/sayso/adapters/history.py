"""The part of a chat that an agent has not been told yet when a run begins."""

from __future__ import annotations

from sayso.adapters.contract import Segment
from sayso.core.tasks import UniversalMessage


def chat_before(segment: Segment) -> list[UniversalMessage]:
    """Return the chat before this message: some callers give a task's earlier messages as history
    too."""
    history, earlier = list(segment.history), segment.task.messages[:-1]
    if earlier and history[-len(earlier) :] == earlier:
        return history
    return [*history, *earlier]


def unseen(segment: Segment, people: int | None) -> tuple[list[UniversalMessage], int]:
    """Return what an agent has not been told whose memory has seen so many messages of people (None
    where it has no memory), and how many it has seen with this one.

    That is the chat from the first message of a person that is not among them: the run of that one
    was cancelled, or failed."""
    chat = chat_before(segment)
    of_people = [at for at, message in enumerate(chat) if message.role == "user"]
    now = len(of_people) + 1
    if people is None:
        return chat, now
    return (chat[of_people[people] :] if people < len(of_people) else []), now
