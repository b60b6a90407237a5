"""A choice that was pressed, or typed word for word, is its answer whatever reads the rest."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from sayso.core.extraction_ops import Operation, Reading
from sayso.core.requirements import RequirementState
from sayso.gate.person_message import PersonMessage
from sayso.gate.turn import take_turn
from tests.browser.choices_app import app


class Deaf:
    """An extractor that reads nothing, as one that failed."""

    async def extract(self, reading: Reading) -> Sequence[Operation]:
        return []


async def after(text: str, *asked: str) -> dict[str, object]:
    state = RequirementState(asked=asked)
    message = PersonMessage(id="m1", text=text, at=datetime(2026, 11, 21, tzinfo=UTC))
    read = await take_turn(message, state, app.actions, Deaf())
    return {name: given.value for name, given in read.values.items()}


async def test_a_choice_of_what_was_asked_is_its_answer() -> None:
    assert await after("Steady ", "pace", "company") == {"pace": "steady"}
    assert await after("friends", "pace", "company") == {"company": "friends"}


async def test_a_choice_of_what_was_not_asked_or_more_words_are_left_to_be_read() -> None:
    assert await after("steady", "company") == {}
    assert await after("not steady", "pace") == {}
    assert await after("steady") == {}
