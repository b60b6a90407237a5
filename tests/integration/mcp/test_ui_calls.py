"""What a tool's own UI asks of this host: its own server alone, under a model call's policy."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from sayso.adapters.scripted import CallTool
from sayso.core.policy_rules import Rule, Verdict
from sayso.core.ui_calls import MOST_A_MINUTE, MOST_OPEN
from sayso.mcp import Servers
from tests.integration.mcp.world import lines, old_server, program
from tests.integration.world import GUARD_SECONDS, Wire, World, begin, running

DESTROYS = {"destructiveHint": True}
READS = {"readOnlyHint": True}


def offer(name: str, *visibility: str, hints: Wire | None = None, ui: str = "") -> Wire:
    meta: Wire = {"visibility": list(visibility)} if visibility else {}
    if ui:
        meta["resourceUri"] = ui
    schema = {"type": "object", "properties": {"x": {"type": "string"}}}
    tool: Wire = {"name": name, "inputSchema": schema, "_meta": {"ui": meta}}
    return {**tool, "annotations": hints} if hints else tool


OFFERED = [
    offer("look", hints=READS, ui="ui://look/app.html"),
    offer("poll", "app"),
    offer("restart"),
    offer("remove", hints=DESTROYS),
    offer("drop", "app", hints=DESTROYS),
    offer("forbidden", hints=READS),
    offer("secret_of_models", "model", hints=READS),
    offer("nobodys", "internal"),
]
DENIED = Rule(tool="forbidden", then=Verdict.DENY, reason="Not on Fridays.")


class UiWorld:
    """A server with a chat in which `look` has run, and its UI is open."""

    def __init__(self, world: World, folder: Path, chat_id: str, call_id: str) -> None:
        self.world, self.folder, self.chat_id, self.call_id = world, folder, chat_id, call_id
        self.path = f"/api/mcp/apps/{call_id}"

    async def ask(self, method: str, params: Wire, status: int = 200) -> Wire:
        body = {"method": method, "params": params}
        answer = await self.world.http.post(f"{self.path}/rpc", json=body)
        assert answer.status_code == status, answer.text
        return dict(answer.json())

    async def call(self, name: str, status: int = 200, **arguments: str) -> Wire:
        return await self.ask("tools/call", {"name": name, "arguments": arguments}, status)

    async def ended(self, call: Wire) -> Wire:
        return await self.until(call, "ended")

    async def until(self, call: Wire, state: str) -> Wire:
        """The call once it stands so, as a page follows it."""
        address = f"{self.path}/calls/{call['id']}"
        async with asyncio.timeout(GUARD_SECONDS):
            while call["state"] != state:
                query = {"wait": 25, "seen": call["state"]}
                call = (await self.world.http.get(address, params=query)).json()
        return call

    async def card(self, call: Wire) -> Wire:
        """The one card that a call waits for."""
        [card] = (await self.until(call, "waiting"))["cards"]
        return dict((await self.world.http.get(f"/api/interactions/{card}")).json())

    async def answer(self, card: Wire, decision: str, **body: Any) -> None:
        address = f"/api/interactions/{card['interaction_id']}/response"
        answer = await self.world.http.post(address, json={"decision": decision, **body})
        assert answer.status_code == 200, answer.text

    async def open_calls(self) -> list[Wire]:
        return list((await self.world.http.get(f"{self.path}/calls")).json()["calls"])

    def done(self, name: str) -> list[str]:
        return [line for line in lines(self.folder / "done") if line.startswith(f"{name} ")]


@asynccontextmanager
async def ui_world(folder: Path) -> AsyncIterator[UiWorld]:
    (folder / "offer.json").write_text(json.dumps(OFFERED))
    (folder / "look.html").write_text("<p>look</p>")
    entries = {"one": old_server(folder), "two": old_server(folder, prefix="two_")}
    servers = Servers(entries)
    looks = program(servers, CallTool("look", {"x": "1"}), policy=[DENIED])
    try:
        async with running(programs={"desk": looks}) as world:
            chat_id = await world.chat()
            await begin(world, chat_id, "look")
            view = await world.until_run(chat_id, "completed")
            [call] = [c for c in view["tool_calls"] if c["ui"]]
            yield UiWorld(world, folder, chat_id, call["tool_call_id"])
    finally:
        servers.close()


@pytest.fixture(scope="module")
async def ui(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[UiWorld]:
    async with ui_world(tmp_path_factory.mktemp("ui")) as made:
        yield made


async def test_what_only_reads_runs_at_once_and_leaves_no_row(ui: UiWorld) -> None:
    before = (await ui.world.view(ui.chat_id))["seq"]
    for name in ("look", "poll"):
        found = await ui.call(name, x="2")
        assert found["result"]["content"][0]["text"] == f"nobody: {name} 2"
    assert (await ui.world.view(ui.chat_id))["seq"] == before


async def test_what_changes_something_is_a_call_of_the_chat(ui: UiWorld) -> None:
    call = (await ui.call("restart", 202, x="web"))["call"]
    found = await ui.ended(call)
    assert found["result"] == {
        "content": [{"type": "text", "text": "nobody: restart web"}],
        "isError": False,
    }
    row = (await ui.world.view(ui.chat_id))["tool_calls"][-1]
    assert (row["name"], row["agent_name"], row["status"]) == ("restart", "look UI", "done")
    assert await ui.open_calls() == []


@pytest.mark.parametrize("name", ["remove", "drop"])
async def test_what_has_to_be_allowed_waits_for_a_person_and_runs_once(
    ui: UiWorld, name: str
) -> None:
    call = (await ui.call(name, 202, x="pod"))["call"]
    card = await ui.card(call)
    assert (card["payload"]["tool_name"], card["agent_name"]) == (name, "look UI")
    # The same question again, as a UI that was opened anew asks it, is the same call.
    again = (await ui.call(name, 202, x="pod"))["call"]
    assert (again["id"], again["state"]) == (call["id"], "waiting")
    assert call["id"] in [one["id"] for one in await ui.open_calls()]
    await ui.answer(card, "approve")
    found = await ui.ended(call)
    assert found["result"]["content"][0]["text"] == f"nobody: {name} pod"
    assert ui.done(name) == [f"{name} pod"]


async def test_a_no_ends_the_call_in_words(ui: UiWorld) -> None:
    call = (await ui.call("remove", 202, x="no"))["call"]
    await ui.answer(await ui.card(call), "reject", reason="We need it.")
    result = (await ui.ended(call))["result"]
    assert result["isError"] is True
    assert "We need it." in result["content"][0]["text"]
    assert "remove no" not in ui.done("remove")


async def test_a_card_that_expires_ends_the_call_in_words(ui: UiWorld) -> None:
    call = (await ui.call("remove", 202, x="late"))["call"]
    card, engine = await ui.card(call), ui.world.engine
    expired = await engine.store.expire_now("default", card["interaction_id"], lease=None)
    engine.runtime.apply_outcome("default", expired)
    result = (await ui.ended(call))["result"]
    assert result["isError"] is True
    assert "waits for no answer" in result["content"][0]["text"]
    assert "remove late" not in ui.done("remove")


async def test_the_chat_goes_on_beside_a_call_that_waits(ui: UiWorld) -> None:
    call = (await ui.call("remove", 202, x="later"))["call"]
    card = await ui.card(call)
    await begin(ui.world, ui.chat_id, "look again", key="m2")
    view = await ui.world.until_run(ui.chat_id, "completed")
    assert view["messages"][-1]["content"] == '["nobody: look 1"]'
    dismissed = f"/api/interactions/{card['interaction_id']}/dismiss"
    await ui.world.http.post(dismissed, json={})
    assert (await ui.ended(call))["result"]["isError"] is True
    assert "remove later" not in ui.done("remove")


async def test_a_rule_that_denies_denies_a_ui_too(ui: UiWorld) -> None:
    found = await ui.call("forbidden")
    assert found["result"]["isError"] is True
    assert found["result"]["content"][0]["text"] == "Not on Fridays."
    assert ui.done("forbidden") == []


@pytest.mark.parametrize(
    ("name", "status"),
    [("secret_of_models", 403), ("nobodys", 403), ("two_look", 403), ("none", 403)],
)
async def test_a_ui_calls_nothing_but_what_its_server_offers_to_uis(
    ui: UiWorld, name: str, status: int
) -> None:
    await ui.call(name, status)
    assert ui.done(name) == []


@pytest.mark.parametrize(
    ("uri", "status"),
    [
        ("ui://look/app.html", 200),
        ("file:///etc/passwd", 403),
        ("FILE:///etc/passwd", 403),
        ("https://outside.test/", 403),
        ("data:text/html,x", 403),
        ("no address", 422),
    ],
)
async def test_a_ui_reads_what_its_own_server_names(ui: UiWorld, uri: str, status: int) -> None:
    found = await ui.ask("resources/read", {"uri": uri}, status)
    if status == 200:
        assert found["result"]["contents"][0]["text"] == "<p>look</p>"


@pytest.mark.parametrize(
    ("method", "params", "status"),
    [
        ("tools/list", {}, 422),
        ("interaction/answer", {"approved": True}, 422),
        ("sampling/createMessage", {}, 422),
        ("tools/call", {"name": 1}, 422),
        ("tools/call", {"name": "restart", "arguments": {"x": 1}}, 422),
    ],
)
async def test_nothing_else_is_done_for_a_ui(
    ui: UiWorld, method: str, params: Wire, status: int
) -> None:
    await ui.ask(method, params, status)


async def test_only_a_call_with_a_ui_may_ask(ui: UiWorld) -> None:
    answer = await ui.world.http.post(
        "/api/mcp/apps/another/rpc", json={"method": "tools/call", "params": {"name": "look"}}
    )
    assert answer.status_code == 404


async def test_a_flood_of_cards_ends_at_a_few(ui: UiWorld) -> None:
    calls = [(await ui.call("remove", 202, x=f"flood {n}"))["call"] for n in range(MOST_OPEN)]
    await ui.call("remove", 429, x="one more")
    for call in calls:
        card = await ui.card(call)
        await ui.world.http.post(f"/api/interactions/{card['interaction_id']}/dismiss", json={})
        await ui.ended(call)


def test_it_is_bounded() -> None:
    assert MOST_OPEN < MOST_A_MINUTE < 60
