"""Short replies to a card in everyday words: what runs it, and what is near and does not."""

from __future__ import annotations

from typing import Annotated

import pytest

from sayso import App, ToolContext
from sayso.gate import Ask, Requirements
from tests.unit.gate.test_hostile import Conversation


class Membership(Requirements):
    member: Annotated[str, Ask("What is your member number?")]


async def _after(*said: str) -> int:
    """Return how often the membership is cancelled."""
    done: list[str] = []
    app = App(name="gym")

    @app.action("cancel", requires=Membership, title="Cancel it", verb="cancel the membership")
    async def cancel(req: Membership, ctx: ToolContext) -> str:
        done.append(req.member)
        return "Cancelled."

    chat = Conversation(app.programs()["gym"], "c")
    await chat.say("Cancel the membership of GX881")
    for words in said:
        await chat.say(words)
    return len(done)


@pytest.mark.parametrize(
    "said",
    [
        "please cancel the membership",
        "Yes please, and thanks in advance",
        "Ja bitte, vielen Dank im Voraus",
        "oui, merci d'avance",
        "pode avançar",
        "validez",
        "それでOKです",
        "would you please do it",
        "don't wait, do it now",
    ],
)
async def test_it_runs(said: str) -> None:
    assert await _after(said) == 1


@pytest.mark.parametrize(
    "said",
    [
        "cancel",
        "please cancel",
        "would you do it",
        "ja maar",
        "oké, maar",
        "嗯嗯挺好的，你呢",
        "yes, but wait",
        "yes, no wait",
        "thanks in advance",
        "cancel the membership?",
        "don't cancel the membership",
        "is goed zo, toch?",
        "the button says 'yes, go ahead'",
        "show me before you do it",
        "so now you cancel the membership",
    ],
)
async def test_it_does_not(said: str) -> None:
    assert await _after(said) == 0
