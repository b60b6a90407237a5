"""An app of actions alone has a name that people know; chats of the time when it was called "gate"
open, wait and go on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import httpx

from sayso import App
from sayso.core.inbox import InteractionFilter
from sayso.core.interactions import Interaction, InteractionState
from sayso.engine.engine import Engine
from sayso.gate import Ask, Requirements
from sayso.server.app import create_app
from sayso.settings import Settings
from tests.browser.waiting import until


class Trip(Requirements):
    place: Annotated[str, Ask("Where are you going?", slot="destination")]


def travel(place: Path, ran: list[str], name: str = "") -> App:
    app = App(store=place, name=name, starters=["We go to Rome"])

    @app.action("trip", requires=Trip, title="Plan the trip")
    async def plan_trip(req: Trip, ctx: object) -> str:
        ran.append(req.place)
        return f"To {req.place}"

    return app


async def pending(engine: Engine, chat_id: str) -> Interaction:
    wanted = InteractionFilter(status=InteractionState.PENDING, chat_id=chat_id)

    async def waits() -> bool:
        return bool(await engine.store.interactions("default", wanted))

    await until(waits)
    [found] = await engine.store.interactions("default", wanted)
    return found


async def completed(engine: Engine, chat_id: str) -> None:
    async def is_completed() -> bool:
        view = await engine.store.load_view("default", chat_id, limit=1)
        return view is not None and view.run is not None and view.run.status == "completed"

    await until(is_completed)


async def say(engine: Engine, chat_id: str, words: str) -> None:
    await engine.post_message("default", chat_id, content=words, client_message_id=words)


async def test_a_chat_of_the_former_name_opens_and_goes_on(tmp_path: Path) -> None:
    ran: list[str] = []
    place = tmp_path / "chats.db"
    before = travel(place, ran, "gate").engine()
    await before.start()
    chat = await before.create_chat("default")
    assert chat.agent == "gate"
    await say(before, chat.id, "We go to Rome. Create the trip.")
    card = await pending(before, chat.id)
    await before.stop()

    app = travel(place, ran)
    engine = app.engine()
    server = create_app(engine, Settings(data_dir=tmp_path), starters=app.starters)
    transport = httpx.ASGITransport(app=server)
    await engine.start()
    try:
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
            told = (await http.get("/api/agents")).json()
            assert [agent["name"] for agent in told["agents"]] == ["test_former_name"]
            assert told["default"] == "test_former_name"
            assert told["agents"][0]["starters"] == ["We go to Rome"]
            assert (await http.get(f"/api/chats/{chat.id}")).json()["agent"] == "gate"
        await engine.answer("default", card.id, {"decision": "approve"}, key=None, by=None)
        await completed(engine, chat.id)
        assert ran == ["Rome"]

        await engine.change_requirement("default", chat.id, "place", "Oslo", by=None)
        await say(engine, chat.id, "Create the trip.")
        card = await pending(engine, chat.id)
        assert card.agent_name == "test_former_name"
        await engine.answer("default", card.id, {"decision": "approve"}, key=None, by=None)
        await completed(engine, chat.id)
        assert ran == ["Rome", "Oslo"]
    finally:
        await engine.stop()
