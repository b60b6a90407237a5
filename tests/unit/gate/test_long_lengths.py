"""A length of a year or more is one value however it is said: given, said again, run."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

import pytest

from sayso import App, ToolContext
from sayso.gate import Ask, Requirements
from tests.unit.gate.test_hostile import Conversation


class Contract(Requirements):
    term: Annotated[timedelta, Ask("How long shall the contract be?")]


def _desk(signed: list[timedelta]) -> App:
    app = App(name="desk")

    @app.action("contract", requires=Contract, verb="sign the contract")
    async def contract(req: Contract, ctx: ToolContext) -> str:
        signed.append(req.term)
        return "Signed."

    return app


@pytest.mark.parametrize(
    ("said", "again", "days"),
    [
        ("two years", "Yes, two years", 730),
        ("just one year for now", "yes, one year, sign it", 365),
        ("18 months", "yes, sign the contract", 540),
        ("dos años", "sí, dos años, adelante", 730),
        ("3年", "はい、3年でお願いします", 1095),
        ("ten days", "yes, ten days", 10),
    ],
)
async def test_it_is_given_and_said_again_at_the_card(said: str, again: str, days: int) -> None:
    signed: list[timedelta] = []
    chat = Conversation(_desk(signed).programs()["desk"], "c")
    await chat.say("please sign the contract")
    await chat.say(said)
    assert signed == []
    await chat.say(again)
    assert signed == [timedelta(days=days)]


async def test_another_length_changes_it_and_runs_nothing() -> None:
    signed: list[timedelta] = []
    chat = Conversation(_desk(signed).programs()["desk"], "c")
    await chat.say("please sign the contract")
    await chat.say("two years")
    await chat.say("yes, three years")
    assert signed == []
    await chat.say("yes")
    assert signed == [timedelta(days=3 * 365)]
