"""Server-sent events: the same as over a WebSocket, resumed by Last-Event-ID; and hints."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import httpx
import pytest

from sayso.core.events import ArtifactChanged
from sayso.feed import LocalFeed
from sayso.server import sse
from sayso.settings import Settings
from tests.integration.conversation import a_conversation
from tests.integration.world import GUARD_SECONDS, Wire, World, refund, running


class Events:
    """What an EventSource hears: (id, event, data)."""

    def __init__(self, response: httpx.Response) -> None:
        self._lines = response.aiter_lines()
        self.heard: list[tuple[str | None, str, Wire]] = []

    async def next(self) -> tuple[str | None, str, Wire]:
        parts: dict[str, str] = {}
        async with asyncio.timeout(GUARD_SECONDS):
            async for line in self._lines:
                name, colon, value = line.partition(": ")
                if colon:
                    parts[name] = value
                elif not line and "data" in parts:
                    event = (parts.get("id"), parts["event"], json.loads(parts["data"]))
                    self.heard.append(event)
                    return event
                elif not line:
                    parts = {}
        raise EOFError

    async def until(self, kind: str, **data: object) -> Wire:
        while True:
            _, event, body = await self.next()
            found = body.get("data", body)
            if event == kind and all(found.get(k) == v for k, v in data.items()):
                return body


@asynccontextmanager
async def listening(
    world: World, path: str, headers: dict[str, str] | None = None
) -> AsyncIterator[Events]:
    async with world.http.stream("GET", path, headers=headers) as response:
        assert response.status_code == 200
        yield Events(response)


async def test_without_a_place_comes_a_snapshot(world: World):
    chat_id = await world.chat()
    await world.start(chat_id)
    async with listening(world, f"/api/chats/{chat_id}/stream") as events:
        number, kind, body = await events.next()
        assert kind == "chat.snapshot"
        assert number == str(body["data"]["seq"])


@pytest.mark.parametrize("by_header", [True, False])
async def test_resuming_at_every_cut_gives_exactly_the_rest(world: World, by_header: bool):
    chat_id = await world.chat()
    await a_conversation(world, chat_id)
    view = await world.until_run(chat_id, "completed")
    last = int(view["seq"])
    path = f"/api/chats/{chat_id}/stream"
    async with listening(world, f"{path}?after=0") as events:
        whole = [await events.next() for _ in range(last)]
    assert [number for number, _, _ in whole] == [str(seq) for seq in range(1, last + 1)]
    assert all(kind == body["type"] for _, kind, body in whole)
    for cut in range(last):
        after = path if by_header else f"{path}?after={view['log_id']}:{cut}"
        headers = {"Last-Event-ID": str(cut)} if by_header else None
        async with listening(world, after, headers) as events:
            assert [await events.next() for _ in range(last - cut)] == whole[cut:]


async def test_last_event_id_wins_over_the_address_it_was_opened_with(world: World):
    chat_id = await world.chat()
    await a_conversation(world, chat_id)
    path = f"/api/chats/{chat_id}/stream?after=0"
    async with listening(world, path, {"Last-Event-ID": "3"}) as events:
        assert (await events.next())[0] == "4"


async def test_text_being_written_has_no_id(world: World):
    chat_id = await world.chat()
    hold = await world.start(chat_id)
    await hold.say("Hello")
    async with listening(world, f"/api/chats/{chat_id}/stream") as events:
        await events.until("chat.live")
        await hold.say(" world")
        await events.until("chat.delta", text=" world")
        assert {number for number, kind, _ in events.heard if kind != "chat.snapshot"} == {None}
        await hold.finish()
        await events.until("chat.run", status="completed")


async def test_an_idle_stream_is_kept_open(world: World, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sse, "HEARTBEAT_SECONDS", 0.02)
    chat_id = await world.chat()
    async with world.http.stream("GET", f"/api/chats/{chat_id}/stream") as response:
        lines = response.aiter_lines()
        beats = 0
        async with asyncio.timeout(GUARD_SECONDS):
            while beats < 3:
                beats += (await anext(lines)) == ":"
    async with listening(world, f"/api/chats/{chat_id}/stream?after=0") as events:
        await world.start(chat_id)
        assert (await events.next())[0] == "1"


async def test_hints_tell_which_chats_changed_and_are_merged(
    world: World, monkeypatch: pytest.MonkeyPatch
):
    # So long that a busy machine, too, makes many of the changes within one.
    monkeypatch.setattr(sse, "HINT_SECONDS", 0.5)
    first, second = await world.chat(), await world.chat()
    async with listening(world, "/api/stream") as hints:
        hold = await world.start(first)
        for version in range(1, 21):
            await hold.show(
                ArtifactChanged(id="a", ui_tool_id="p", title="", content=0, version=version)
            )
        await hold.say("not a hint")
        await hold.ask(refund())
        last = (await world.until_run(first, "waiting"))["seq"]
        await hints.until("chat.changed", chat_id=first, seq=last)
        await world.start(second)
        await hints.until("chat.changed", chat_id=second)
        assert len(hints.heard) < 15


async def test_another_tenants_changes_are_not_hinted(world: World):
    mine = await world.chat()
    async with listening(world, "/api/stream") as hints:
        theirs = await world.engine.create_chat("other")
        await world.engine.rename_chat("other", theirs.id, "Secret", by="them")
        await world.start(mine)
        _, _, body = await hints.next()
        assert body["chat_id"] == mine


async def test_a_slow_reader_is_told_to_come_back():
    settings = Settings(port=0, slow_client_seconds=0.3)
    async with running(settings, feed=LocalFeed(max_frames=10)) as world:
        chat_id = await world.chat()
        async with world.http.stream("GET", f"/api/chats/{chat_id}/stream?after=0") as slow:
            hold = await world.start(chat_id)
            for version in range(1, 150):
                await hold.show(
                    ArtifactChanged(
                        id="a", ui_tool_id="p", title="", content="x" * 100_000, version=version
                    )
                )
            await hold.finish()
            await world.until_metric('sayso_connections{kind="sse"} 0.0')
            heard = b""
            try:
                async with asyncio.timeout(GUARD_SECONDS):
                    async for part in slow.aiter_raw():
                        heard += part
            except httpx.HTTPError:
                pass
        # It comes back by a line that takes all that it missed, however busy this machine is.
        patient = Settings(port=0, slow_client_seconds=GUARD_SECONDS)
        world.app.state.service = replace(world.app.state.service, settings=patient)
        async with listening(world, f"/api/chats/{chat_id}/stream?after=0") as events:
            await events.until("chat.run", status="completed")


async def test_streams_end_when_the_server_stops():
    async with running() as world:
        chat_id = await world.chat()
        async with listening(world, f"/api/chats/{chat_id}/stream") as events:
            await events.next()
            world.server.should_exit = True
            with pytest.raises(EOFError):
                await events.next()
