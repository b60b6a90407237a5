"""Which messages at an open card the application's agent answers before the card comes again."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.core.extraction_ops import Operation, Suggest, Unclear
from sayso.core.requirements import RequirementState
from sayso.gate.person_message import PersonMessage
from sayso.reading.normalize import plain
from sayso.reading.sentences import QUESTION_MARKS, sentences_of


def agent_answers_first(
    before: RequirementState,
    after: RequirementState,
    operations: Sequence[Operation],
    message: PersonMessage,
    *,
    opened: Sequence[str] = (),
) -> bool:
    """Return whether a message is the agent's: nothing was taken from it, or it asks something
    beside. One that gave leave is not: what it agreed to runs first."""
    if not message.agent_answers or before.pending is None or before.pending.kind != "card":
        return False
    if any(grant.given_by == message.id for grant in after.grants):
        return False
    taken = [one.quote for one in after.values.values() if one.message_id == message.id]
    says_nothing = not opened and all(isinstance(op, Suggest | Unclear) for op in operations)
    return says_nothing or _asks_beside(message.text, taken)


def _asks_beside(text: str, taken: Sequence[str]) -> bool:
    """Return whether one of its sentences is a question, and none that names a new value."""
    values = [plain(words) for words in taken if words]
    return any(
        sentence.endswith(QUESTION_MARKS) and not any(words in sentence for words in values)
        for sentence in sentences_of(plain(text))
    )
