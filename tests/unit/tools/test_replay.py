"""What waits together: the questions of all of it come first, then the first error by position."""

from __future__ import annotations

import asyncio

import pytest

from sayso.core.cards import OptionsCard
from sayso.core.interactions import CardRequest
from sayso.tools.replay import all_of
from sayso.tools.suspension import Suspend


def question(key: str) -> CardRequest:
    card = OptionsCard(title=key, question=key)
    return CardRequest(call_key=key, card=card, ui_tool_id="user_input", agent_name="desk")


async def ends(how: BaseException | str) -> object:
    if isinstance(how, BaseException):
        raise how
    return how


async def together(*how: BaseException | str) -> list[object]:
    return await all_of([asyncio.ensure_future(ends(one)) for one in how])


async def test_values_come_in_their_order() -> None:
    assert await together("a", "b") == ["a", "b"]


async def test_the_first_error_by_position_is_raised() -> None:
    with pytest.raises(KeyError, match="first"):
        await together("a", KeyError("first"), OSError("second"))


async def test_beside_an_error_every_question_is_still_asked() -> None:
    one, other = question("one"), question("other")
    with pytest.raises(Suspend) as raised:
        await together(Suspend([one]), OSError("away"), Suspend([other]), "a")
    assert raised.value.requests == (one, other)
