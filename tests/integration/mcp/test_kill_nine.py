"""What a server asked, and a UI's call that waited, before kill -9 of both sides is answered after
it, and done once."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.server_process import ServerProcess
from tests.integration.mcp.world import PATIENT, lines, listening, new_server
from tests.loopback import GUARD_SECONDS
from tests.ports import free_port

Json = dict[str, Any]
#: What is called by which chat, and the values that its question is answered with.
ASKED: dict[str, Json] = {
    "book near": {"cores": 4},  # over stdio
    "far_book away": {"cores": 8},  # over HTTP
    "render film": {"frames": 24},  # as a task, over stdio
}
FIRST, SECOND = ["book away 8"], ["book near 4", "delete web", "pods_list", "render film 24"]


class Desk:
    """Our server, and the people that use it."""

    def __init__(self, server: ServerProcess) -> None:
        self.server, self.get, self.post = server, server.get, server.post
        self.chats: dict[str, str] = {}

    async def begin(self, words: str) -> None:
        self.chats[words] = chat_id = (await self.post("/api/chats", {}))["id"]
        said = {"content": words, "client_message_id": words}
        await self.post(f"/api/chats/{chat_id}/messages", said)

    async def card(self, words: str, kind: str) -> Json:
        """The open card of this kind in the chat that began so, as soon as there is one."""
        path = f"/api/interactions?status=pending&chat={self.chats[words]}"
        async with asyncio.timeout(2 * GUARD_SECONDS):
            while True:
                for card in (await self.get(path))["interactions"]:
                    if card["card"] == kind:
                        return dict(card)
                await asyncio.sleep(0.05)

    async def answer(self, card: Json, body: Json, key: str = "once") -> Json:
        path = f"/api/interactions/{card['interaction_id']}/response"
        return dict(await self.post(path, body, **{"Idempotency-Key": key}))

    async def ui(self, words: str) -> str:
        """The address of the UI of the call that a chat has made."""
        await self.until_said(words)
        [call] = (await self.get(f"/api/chats/{self.chats[words]}"))["tool_calls"]
        return f"/api/mcp/apps/{call['tool_call_id']}"

    async def until_said(self, words: str) -> str:
        async with asyncio.timeout(2 * GUARD_SECONDS):
            while True:
                view = await self.get(f"/api/chats/{self.chats[words]}")
                if view["run"]["status"] == "completed":
                    return str(view["messages"][-1]["content"])
                await asyncio.sleep(0.05)


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[tuple[Desk, Path, Path, int]]:
    near, far, port = tmp_path / "near", tmp_path / "far", free_port()
    entries = {
        "near": new_server(near),
        "far": {"url": f"http://127.0.0.1:{port}/mcp", "sayso": {**PATIENT, "prefix": "far_"}},
    }
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": entries}))
    agent = "tests.integration.mcp.asking_agent:app"
    server = ServerProcess(tmp_path / "data", "serve", agent, "--mcp", str(file))
    try:
        yield Desk(server), near, far, port
    finally:
        await server.stop()


async def kill_nine(desk: Desk, near: Path) -> None:
    """Our server, and the one that it runs: which is gone, however it went."""
    child = int(near.with_suffix(".pid").read_text())
    await desk.server.kill()
    try:
        os.kill(child, signal.SIGKILL)
    except ProcessLookupError:
        return  # it has seen the end of its input
    async with asyncio.timeout(GUARD_SECONDS):
        while not _is_gone(child):  # noqa: ASYNC110  # it is nobody's child here
            await asyncio.sleep(0.02)


def _is_gone(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z"


async def test_what_was_asked_before_kill_9_of_both_sides_is_answered_after_it_and_done_once(
    desk: tuple[Desk, Path, Path, int],
) -> None:
    it, near, far, port = desk
    with listening(far, port):
        await it.server.start()
        for words in (*ASKED, "demolish tower", "pods_list"):
            await it.begin(words)
        ui = await it.ui("pods_list")
        delete = {"name": "delete_pod", "arguments": {"name": "web"}}
        of_ui = (await it.post(f"{ui}/rpc", {"method": "tools/call", "params": delete}))["call"]
        approval = await it.card("demolish tower", "approval")
        await it.answer(approval, {"decision": "approve"})
        cards = {words: await it.card(words, "form") for words in (*ASKED, "demolish tower")}
        await kill_nine(it, near)
    # Nobody runs now. What was asked lies in the database, and what was given with it.
    assert (lines(near), lines(far)) == (["pods_list"], [])

    with listening(far, port):
        await it.server.start()
        for words, values in ASKED.items():
            told = [await it.answer(cards[words], {"values": values}) for _ in range(2)]
            # The same once more, as from another tab that knows nothing of the first.
            told.append(await it.answer(cards[words], {"values": values}, "from another tab"))
            assert [one["status"] for one in told] == ["completed"] * 3
        # The UI finds its call again, and is told how it ended.
        [open_call] = (await it.get(f"{ui}/calls"))["calls"]
        assert (open_call["id"], open_call["state"]) == (of_ui["id"], "waiting")
        again = (await it.post(f"{ui}/rpc", {"method": "tools/call", "params": delete}))["call"]
        assert again["id"] == of_ui["id"]
        await it.answer(await it.card("pods_list", "approval"), {"decision": "approve"})
        while open_call["state"] != "ended":
            query = f"wait=60&seen={open_call['state']}"
            open_call = await it.get(f"{ui}/calls/{of_ui['id']}?{query}")
        assert open_call["result"]["content"][0]["text"] == "deleted web"
        said = {words: await it.until_said(words) for words in ASKED}
        assert said == {
            "book near": "booked near with 4 cores",
            "far_book away": "booked away with 8 cores",
            "render film": "rendered film with 24 frames",
        }
        assert lines(far) == FIRST
        assert sorted(lines(near)) == SECOND

        # Another dies after its answer was sent: whether it acted, nobody here can know.
        await it.answer(cards["demolish tower"], {"values": {"cores": 1}})
        async with asyncio.timeout(GUARD_SECONDS):
            while len(lines(near)) == len(SECOND):  # noqa: ASYNC110  # another process
                await asyncio.sleep(0.02)
        await kill_nine(it, near)
        await it.server.start()
        unclear = await it.card("demolish tower", "uncertain_effect")
        assert unclear["payload"]["tool_name"] == "demolish"
        done = {"selected_option": "mark_done", "values": {"result": "It has fallen."}}
        await it.answer(unclear, done)
        assert await it.until_said("demolish tower") == "It has fallen."
    assert sorted(lines(near)) == sorted([*SECOND, "demolish tower 1"])
    assert lines(far) == FIRST
