"""A rule that a person wrote, through kills: it never answers a card that waits, lets nothing begin
once it is revoked, and what began by it happens at most once."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from sayso.app import open_store
from tests.chaos.harness import Mortal, Person, mortal_server

#: Before the call begins, once that is committed, once it has acted, and before that is committed.
POINTS = ("start_effect:1", "start_effect:after", "send.after", "end_effect:commit")


async def test_a_rule_holds_through_kills_until_it_is_revoked(tmp_path: Path):
    async with mortal_server(tmp_path) as server:
        await server.live({})
        person = Person(server, answers=False)
        chat = await person.order("asleep-0")
        card = await person.until_waiting(chat)
        every = {"interaction_id": card["interaction_id"], "then": "allow"}
        rule = await person.post("/api/rules", every)
        await server.kill()
        for number, point in enumerate(POINTS, 1):
            await server.live({"at": point})
            ordering = asyncio.create_task(person.order(f"asleep-{number}"))
            await server.until_dead()
            await server.live({})
            made = await ordering
            if (await _ends(person, made))["status"] == "waiting":
                # What may have happened is asked about; whether it may happen is not.
                asked = await person.until_waiting(made, card="uncertain_effect")
                await person.answer(asked, point)
                await person.until(made, lambda view: view["run"]["status"] == "completed")
            assert [it["card"] for it in await _settled(person, made)] in ([], ["uncertain_effect"])
            await server.kill()
        assert set(person.happened().values()) == {1}
        assert "asleep-0/1" not in person.happened()

        await server.live({"at": "start_effect:1"})
        ordering = asyncio.create_task(person.order("asleep-last"))
        await server.until_dead()
        await _revoke(server, rule["id"])
        await server.live({})
        last = await ordering
        assert (await _ends(person, last))["status"] == "waiting"
        assert "asleep-last/1" not in person.happened()
        # The card from which it was written waits still; its own yes is what lets it run.
        assert (await person.until_waiting(chat))["interaction_id"] == card["interaction_id"]
        await person.answer(card, "yes")
        assert (await _ends(person, chat))["status"] == "completed"
        assert person.happened()["asleep-0/1"] == 1
        assert (await server.client.get("/api/audit/verify")).json()["intact"] is True


async def _ends(person: Person, chat: str) -> dict[str, Any]:
    """The run of a chat, once it has ended or asks."""
    over = ("completed", "failed", "waiting")
    view = await person.until(chat, lambda view: (view.get("run") or {}).get("status") in over)
    return dict(view["run"])


async def _settled(person: Person, chat: str) -> list[dict[str, Any]]:
    return list((await person.get(f"/api/interactions?chat={chat}"))["interactions"])


async def _revoke(server: Mortal, rule_id: str) -> None:
    """By somebody who reaches the database while the server is down."""
    store = open_store(server.data / "sayso.db")
    await store.open()
    try:
        await store.revoke_rule("default", rule_id, by="kim")
    finally:
        await store.close()
