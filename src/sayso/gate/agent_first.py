"""Which messages at an open card the application's agent answers before the card comes again."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sayso.core.extraction_ops import Operation, Suggest, Unclear
from sayso.core.requirements import RequirementState
from sayso.gate.person_message import PersonMessage
from sayso.reading.declined import is_later
from sayso.reading.lexicon import lexicon_for
from sayso.reading.normalize import plain
from sayso.reading.sentences import QUESTION_MARKS, sentences_of

_PARTS = re.compile(r"[,.;:!，、。；！\n]|\s[-–—]+\s")


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


def holds_for_a_question(before: RequirementState, message: PersonMessage) -> bool:
    """Return whether a "not yet" at the open card only holds it for what is asked next: "wait, who
    is the driver?"."""
    if not message.agent_answers or before.pending is None or before.pending.kind != "card":
        return False
    words = plain(message.text)
    asked = _PARTS.split(words)[-1]
    lex = lexicon_for(words, message.language)
    return asked.endswith(QUESTION_MARKS) and not is_later(asked, lex)


def _asks_beside(text: str, taken: Sequence[str]) -> bool:
    """Return whether one of its sentences is a question, and none that names a new value."""
    values = [plain(words) for words in taken if words]
    return any(
        sentence.endswith(QUESTION_MARKS) and not any(words in sentence for words in values)
        for sentence in sentences_of(plain(text))
    )
