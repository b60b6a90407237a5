"""A task goes on without its connection, and hears when nobody waits for it any more."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, ElicitResult, InputResponses, TextContent
from pydantic import TypeAdapter

from sayso.core.errors import ToolMistake, ToolUnavailable
from sayso.mcp import tasks
from sayso.mcp.replies import Asked, Broke, Silent
from sayso.mcp.tasks import follow

WORKING: dict[str, Any] = {"status": "working", "pollIntervalMs": 1, "statusMessage": "half of it"}
RESULT = CallToolResult(content=[TextContent(text="rendered")])
DONE: dict[str, Any] = {
    "status": "completed",
    "result": RESULT.model_dump(mode="json", by_alias=True, exclude_none=True),
}
AWAY = (Broke("gone"), ToolUnavailable("nobody there"), Silent("not a word"))


class Line:
    """A connection that gives, or raises, one of these for each look; the last one for ever."""

    name = "desk"

    def __init__(self, *looks: Exception | dict[str, Any]) -> None:
        self.looks = list(looks)
        self.sent: list[str] = []
        self.looked = asyncio.Event()

    async def ask(self, request: Any, kind: Any) -> Any:
        self.sent.append(request.method)
        if request.method != "tasks/get":
            return kind()
        self.looked.set()
        await asyncio.sleep(0)
        look = self.looks.pop(0) if len(self.looks) > 1 else self.looks[0]
        if isinstance(look, Exception):
            raise look
        return TypeAdapter(kind).validate_python({"ttlMs": None, **look})


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "_PAUSE", 0)


async def test_a_connection_that_is_lost_and_comes_back_ends_no_task() -> None:
    told: list[str | None] = []
    line = Line(*AWAY, WORKING, *AWAY, DONE)
    found = await follow(line, "t", {}, lambda *said: told.append(said[2]), seconds=60)
    assert found == RESULT
    assert told == ["half of it"]
    assert "tasks/cancel" not in line.sent


async def test_an_answer_is_sent_until_it_has_arrived() -> None:
    line = Line(DONE)
    answers: InputResponses = {"frames": ElicitResult(action="accept", content={"frames": 24})}
    assert await follow(line, "t", answers, lambda *_: None, seconds=60) == RESULT
    assert line.sent == ["tasks/update", "tasks/get"]


async def test_one_that_stays_away_leaves_it_unclear() -> None:
    with pytest.raises(Silent):
        await follow(Line(AWAY[0]), "t", {}, lambda *_: None, seconds=0)
    for refusal in (ToolMistake("no such task"), MCPError(code=-1, message="no")):
        with pytest.raises(Broke):
            await follow(Line(refusal), "t", {}, lambda *_: None, seconds=60)


async def test_what_it_asks_comes_back_with_its_id() -> None:
    form = {"message": "How many?", "requestedSchema": {"type": "object", "properties": {}}}
    request = {"method": "elicitation/create", "params": {"mode": "form", **form}}
    asking: dict[str, Any] = {"status": "input_required", "inputRequests": {"frames": request}}
    found = await follow(Line(asking), "t", {}, lambda *_: None, seconds=60)
    assert isinstance(found, Asked)
    assert (found.task_id, [*(found.input_requests or {})]) == ("t", ["frames"])


async def test_the_server_hears_that_nobody_waits_any_more() -> None:
    line = Line(WORKING)
    following = asyncio.create_task(follow(line, "t", {}, lambda *_: None, seconds=60))
    await line.looked.wait()
    following.cancel()
    with pytest.raises(asyncio.CancelledError):
        await following
    assert line.sent[-1] == "tasks/cancel"
