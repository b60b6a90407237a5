"""What was approved and is held: it survives a kill, and of taking back and beginning one wins."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from tests.chaos.harness import Person, mortal_server

#: When it is tried to take the yes back, in parts of the time for which it is held.
TRIES = (0.0, 0.4, 0.8, 0.9, 1.0, 1.1)
HOLD_SECONDS = 0.5


async def test_what_is_held_outlives_a_kill_and_of_undo_and_begin_one_wins(tmp_path: Path):
    async with mortal_server(tmp_path) as server:
        await server.live({})
        person = Person(server, answers=False)
        killed = await _approved(person, "late-killed")
        await person.until(killed, _is_or_was_held)
        await server.kill()
        await server.live({})
        view = await person.until_done(killed)
        assert view["run"]["status"] == "completed"
        assert person.happened() == {item_of(view): 1}

        ended = [_take_back(person, f"late-{n}", part) for n, part in enumerate(TRIES)]
        for item, was_taken_back in await asyncio.gather(*ended):
            assert person.happened().get(item, 0) == (0 if was_taken_back else 1), item


async def _take_back(person: Person, order: str, part: float) -> tuple[str, bool]:
    chat = await _approved(person, order)
    view = await person.until(chat, _is_or_was_held)
    (hold,) = _cards(view, "hold")
    await asyncio.sleep(part * HOLD_SECONDS)
    no = {"approved": False, "digest": hold["payload"]["sayso"]["digest"]}
    path = f"/api/interactions/{hold['event_id']}/response"
    said = await person.post(path, no)
    if said.get("status") == "rejected":
        again = await person.until_waiting(chat)
        assert again["payload"]["sayso"]["revision"] == 2
        await person.post(
            f"/api/interactions/{again['interaction_id']}/response",
            {"decision": "reject", "reason": "no", "digest": again["payload"]["sayso"]["digest"]},
        )
    view = await person.until_done(chat)
    assert view["run"]["status"] == "completed"
    return item_of(view), said.get("status") == "rejected"


async def _approved(person: Person, order: str) -> str:
    chat = await person.order(order)
    await person.answer(await person.until_waiting(chat), order)
    return chat


def _is_or_was_held(view: dict[str, Any]) -> bool:
    return bool(_cards(view, "hold"))


def _cards(view: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    shown = [m["metadata"]["ui_tool"] for m in view["messages"] if "ui_tool" in m["metadata"]]
    return [tool for tool in shown if tool["payload"]["sayso"]["card"] == kind]


def item_of(view: dict[str, Any]) -> str:
    (call,) = view["tool_calls"]
    return str(call["arguments"]["item"])
