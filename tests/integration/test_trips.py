"""The trips pack over the real server: its three actions, their artifacts and their files."""

from __future__ import annotations

import csv
import io
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.browser.server_process import running
from tests.integration.test_gate import Talk, metadata, spoken
from tests.loopback import client_of

ALL_SAID = "I'm flying from NYC to Tokyo for 10 days with my wife"


@pytest.fixture
async def talk(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Talk]:
    async with running(
        tmp_path / "data",
        *("serve", "sayso.packs.trips:app"),
        environment={"SAYSO_TRIPS_TRIGGER": request.param},
    ) as server:
        chat = await server.post("/api/chats", {})
        yield Talk(server, chat["id"], tmp_path / "no-ledger")


def in_mode(mode: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("talk", [mode], indirect=True)


async def give(talk: Talk, **values: object) -> None:
    """Fill in fields in the panel."""
    async with client_of(talk.server.url) as client:
        for field, value in values.items():
            answer = await client.patch(
                f"/api/chats/{talk.chat_id}/requirements", json={"field": field, "value": value}
            )
            assert answer.status_code == 200, answer.text


async def artifacts(talk: Talk) -> dict[str, Any]:
    return {one["ui_tool_id"]: one for one in (await talk.view())["artifacts"]}


async def file_of(talk: Talk, artifact: dict[str, Any], format_: str) -> httpx.Response:
    async with client_of(talk.server.url) as client:
        place = f"/api/artifacts/{artifact['artifact_id']}"
        return await client.get(place, params={"format": format_})


@in_mode("explicit")
async def test_a_checklist_is_made_opened_changed_and_exported(talk: Talk) -> None:
    await talk.say(ALL_SAID)
    turn = await talk.say("create the checklist")
    assert metadata(turn)["branches_executed"] == ["CHECKLIST"]
    assert "Here's your Tokyo travel checklist for 2 people and 10 days!" in spoken(turn)
    assert "general rules" in spoken(turn)
    made = (await artifacts(talk))["trip_checklist"]
    made["content"]["categories"][0]["items"][0] = {"text": "=1+1", "done": True}
    async with client_of(talk.server.url) as client:
        saved = await client.put(
            f"/api/artifacts/{made['artifact_id']}",
            json={"content": made["content"]},
            headers={"If-Match": '"1"'},
        )
        assert saved.status_code == 200, saved.text
    text = await file_of(talk, made, "markdown")
    assert text.headers["content-type"] == "text/markdown; charset=utf-8"
    assert 'filename="Checklist for Tokyo.md"' in text.headers["content-disposition"]
    assert text.headers["cache-control"] == "no-store"
    assert "- [x] =1+1" in text.text
    rows = list(
        csv.reader(io.StringIO((await file_of(talk, made, "csv")).content.decode("utf-8-sig")))
    )
    assert rows[1][1:] == ["'=1+1", "yes"]
    assert (await file_of(talk, made, "ics")).status_code == 406


@in_mode("confirm")
async def test_both_are_created_after_one_card(talk: Talk) -> None:
    first = await talk.say("I need a checklist and itinerary for Rome")
    status = metadata(first)["requirements_status"]
    assert status["checklist"]["has"] == ["destination"]
    assert status["itinerary"]["has"] == ["destinations"]
    assert await artifacts(talk) == {}
    await give(
        talk,
        current_location="London",
        trip_duration="P5D",
        num_travelers=1,
        interests=["food", "history"],
    )
    await talk.say("create both")
    assert await artifacts(talk) == {}
    await talk.approve()
    made = await artifacts(talk)
    assert set(made) == {"trip_checklist", "trip_itinerary"}
    assert len(made["trip_itinerary"]["content"]["days"]) == 5
    undated = await file_of(talk, made["trip_itinerary"], "ics")
    assert undated.status_code == 406
    assert "date" in undated.json()["detail"]


@in_mode("explicit")
async def test_itinerary_and_budget_are_tracked_separately(talk: Talk) -> None:
    turn = await talk.say("Create an itinerary and budget for my Rome trip")
    assert metadata(turn)["branches_executed"] == ["TEXT"]
    status = metadata(turn)["requirements_status"]
    assert status["itinerary"]["missing"] == ["interests", "trip_duration"]
    assert status["budget"]["missing"] == ["total_budget", "current_location"]
    assert "How long" in spoken(turn)
    assert "at least two" in spoken(turn)
    assert await artifacts(talk) == {}
    await give(talk, total_budget=1500, current_location="London")
    turn = await talk.say("create the budget")
    assert metadata(turn)["branches_executed"] == ["BUDGET"]
    made = await artifacts(talk)
    assert set(made) == {"trip_budget"}
    assert sum(line["amount"] for line in made["trip_budget"]["content"]["lines"]) == 1500
    rows = list(csv.reader(io.StringIO((await file_of(talk, made["trip_budget"], "csv")).text)))
    assert rows[-1][:2] == ["Total", "1500.0"]


@in_mode("explicit")
async def test_a_dated_itinerary_is_a_calendar(talk: Talk) -> None:
    await give(
        talk,
        destinations=["Rome"],
        trip_duration="P3D",
        interests=["food", "art"],
        start_date="2027-05-01",
    )
    await talk.say("create the itinerary")
    made = (await artifacts(talk))["trip_itinerary"]
    file = await file_of(talk, made, "ics")
    assert file.headers["content-type"] == "text/calendar; charset=utf-8"
    assert file.text.count("BEGIN:VEVENT") == 3
    assert "DTSTART;VALUE=DATE:20270503" in file.text
