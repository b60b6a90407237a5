"""A tool's own UI: read once, kept with its result, and shown again from what was kept."""

from __future__ import annotations

import json
from pathlib import Path

from sayso.adapters.scripted import CallTool
from sayso.core.events import ToolReturned, ToolUiOpened
from sayso.mcp import Servers
from tests.integration.mcp.world import lines, program, ran
from tests.integration.world import running
from tests.mcp_server import PAGE


async def test_a_tools_own_ui_is_read_after_it_ran_and_kept(desk: Servers, done: Path) -> None:
    before = lines(done).count("pods_list")
    run = await ran(desk, CallTool("pods_list", {}))
    returned, opened = run.recorder.events[-2:]
    assert isinstance(returned, ToolReturned)
    assert isinstance(opened, ToolUiOpened)
    assert opened.tool_call_id == returned.tool_call_id
    ui = opened.ui
    assert (ui.has_ui, ui.server, ui.resource_uri) == (True, "desk", "ui://desk/app.html")
    assert ui.origins.connect == ["https://api.test"]
    assert ui.permissions == ["clipboard-write"]
    assert run.recorder.kept[ui.content].decode() == PAGE
    result = json.loads(run.recorder.kept[ui.result])
    assert result["structuredContent"] == {"pods": ["web-1", "web-2"]}
    assert result["_meta"]["viewUUID"] == "for-the-app-alone"
    # Its model gets neither the page nor what is for the app alone.
    assert run.said == '["web-1, web-2"]'
    assert lines(done).count("pods_list") == before + 1


async def test_a_ui_is_shown_again_from_what_was_kept(desk: Servers, done: Path) -> None:
    async with running(programs={"desk": program(desk, CallTool("pods_list", {}))}) as world:
        chat_id = await world.chat()
        answer = await world.http.post(
            f"/api/chats/{chat_id}/messages",
            params={"ui": "inline"},
            headers={"Prefer": "stream"},
            json={"content": "Show me the pods in my cluster", "client_message_id": "m1"},
        )
        told = [json.loads(line) for line in answer.text.splitlines()]
        [shown] = [line["data"] for line in told if line["event"] == "tool_ui"]
        assert (shown["has_ui"], shown["ui_content"], shown["round"]) == (True, PAGE, 1)
        called = lines(done).count("pods_list")
        [call] = (await world.view(chat_id))["tool_calls"]
        assert (call["ui"]["has_ui"], call["ui"]["url"]) == (True, shown["url"])
        again = (await world.http.get(call["ui"]["url"])).json()
        assert again["ui_content"] == PAGE
        assert again["tool_result"]["structuredContent"] == {"pods": ["web-1", "web-2"]}
        assert lines(done).count("pods_list") == called
