"""Conversations with the gate over the real server, in both modes, and changes made beside them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.browser.server_process import ServerProcess, running
from tests.browser.waiting import until
from tests.loopback import client_of

MODES = ("confirm", "explicit")


class Talk:
    """One chat with a gated application, over REST."""

    def __init__(self, server: ServerProcess, chat_id: str, ledger: Path) -> None:
        self.server, self.chat_id, self._ledger = server, chat_id, ledger
        self._said = 0
        self._before = len(self._lines())

    async def say(self, words: str) -> dict[str, Any]:
        """What came of a message: the run's turn."""
        self._said += 1
        async with client_of(self.server.url) as client:
            answer = await client.post(
                f"/api/chats/{self.chat_id}/messages",
                json={"content": words, "client_message_id": f"m{self._said}"},
                headers={"Prefer": "wait=30"},
            )
        assert answer.status_code == 200, answer.text
        turn: dict[str, Any] = answer.json()
        return turn

    async def view(self) -> dict[str, Any]:
        view: dict[str, Any] = await self.server.get(f"/api/chats/{self.chat_id}")
        return view

    async def card(self) -> dict[str, Any]:
        found = await self.server.get(
            f"/api/interactions?status=pending&chat={self.chat_id}&kind=requirements"
        )
        [card] = found["interactions"]
        interaction: dict[str, Any] = card
        return interaction

    async def approve(self, **edits: object) -> None:
        card = await self.card()
        body = {
            "approved": True,
            "response_data": {"edits": edits},
            "metadata": {"digest": card["payload"]["sayso"]["digest"]},
        }
        await self.server.post(f"/api/interactions/{card['interaction_id']}/response", body)
        await until(self.rests)

    async def rests(self) -> bool:
        """Nothing is going on: the run has ended, or waits."""
        return (await self.view())["run"]["status"] not in ("ready", "running")

    async def status(self) -> dict[str, Any]:
        known: dict[str, Any] = (await self.view())["requirements"]["requirements_status"]
        return known

    @property
    def done(self) -> list[str]:
        return self._lines()[self._before :]

    def _lines(self) -> list[str]:
        return self._ledger.read_text().splitlines() if self._ledger.exists() else []


def spoken(turn: dict[str, Any]) -> str:
    return "\n".join(m["content"] for m in turn["messages"] if m["role"] == "assistant")


def metadata(turn: dict[str, Any]) -> dict[str, Any]:
    [*_, last] = [m for m in turn["messages"] if m["role"] == "assistant"]
    found: dict[str, Any] = last["metadata"]
    return found


class Gate(NamedTuple):
    """A server of a gated application, whose tests each have a chat of their own."""

    server: ServerProcess
    ledger: Path

    async def talk(self) -> Talk:
        chat = await self.server.post("/api/chats", {})
        return Talk(self.server, chat["id"], self.ledger)


@asynccontextmanager
async def gate_of(app: str, place: Path) -> AsyncIterator[Gate]:
    ledger = place / "ledger"
    environment = {"GATE_LEDGER": str(ledger)}
    async with running(place / "data", "serve", app, environment=environment) as server:
        yield Gate(server, ledger)


@pytest.fixture(scope="module")
async def gate(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Gate]:
    async with gate_of(f"tests.gate_app:{request.param}", tmp_path_factory.mktemp("gate")) as gate:
        yield gate


@pytest.fixture
async def talk(gate: Gate) -> Talk:
    return await gate.talk()


def in_modes(*modes: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("gate", modes, indirect=True, scope="module")


@in_modes(*MODES)
async def test_gathering_bit_by_bit_runs_nothing(talk: Talk) -> None:
    first = await talk.say("I want to visit Japan")
    told = metadata(first)
    assert told["branches_executed"] == ["TEXT"]
    assert told["phase"] == "complete"
    assert told["model"] == "rules"
    assert told["requirements_status"]["checklist"] == {
        "ready": False,
        "missing": ["current_location", "trip_duration", "num_travelers"],
        "has": ["destination"],
    }
    assert "How long" in spoken(first)
    second = await talk.say("2 weeks with my partner")
    assert metadata(second)["requirements_status"]["checklist"]["missing"] == ["current_location"]
    assert "from" in spoken(second)
    third = await talk.say("From New York")
    assert metadata(third)["requirements_status"]["checklist"]["ready"] is True
    assert "create the checklist" in spoken(third)
    assert talk.done == []


@in_modes("explicit")
async def test_what_a_yes_would_run_is_said_before_it(talk: Talk) -> None:
    turn = await talk.say("I'm flying from NYC to Tokyo for 10 days, and I like food and wine")
    made = "Destination: Tokyo; Current location: NYC; Trip duration: 10 days; "
    assert f"It would use {made}Num travelers: 1 (assumed)" in spoken(turn)
    turn = await talk.say("I need an itinerary too, and the checklist")
    assert "'both'" in spoken(turn)
    await talk.say("create both")
    assert sorted(talk.done) == ["checklist Tokyo 10 1", "itinerary Tokyo 10"]


@in_modes("explicit")
async def test_a_phrase_runs_it_at_once(talk: Talk) -> None:
    await talk.say("I'm flying from NYC to Tokyo for 10 days with my wife")
    turn = await talk.say("create the checklist")
    assert metadata(turn)["branches_executed"] == ["CHECKLIST"]
    assert spoken(turn) == "Here's your Tokyo travel checklist!"
    assert talk.done == ["checklist Tokyo 10 2"]


@in_modes("confirm")
async def test_a_phrase_opens_a_card_and_a_click_runs_it(talk: Talk) -> None:
    await talk.say("I'm flying from NYC to Tokyo for 10 days with my wife")
    await talk.say("create the checklist")
    card = await talk.card()
    known = {row["field"]: row for row in card["payload"]["known"]}
    assert known["trip_duration"]["text"] == "10 days"
    assert known["trip_duration"]["quote"] == "10 days"
    assert talk.done == []
    await talk.approve()
    assert talk.done == ["checklist Tokyo 10 2"]
    again = await talk.say("yes")
    assert talk.done == ["checklist Tokyo 10 2"]
    assert metadata(again)["branches_executed"] == ["TEXT"]


@in_modes("confirm")
async def test_a_spoken_yes_answers_the_card(talk: Talk) -> None:
    await talk.say("I'm flying from NYC to Tokyo for 10 days with my wife")
    await talk.say("create the checklist")
    turn = await talk.say("yes")
    assert metadata(turn)["branches_executed"] == ["CHECKLIST"]
    assert talk.done == ["checklist Tokyo 10 2"]


@in_modes("confirm")
async def test_a_spoken_yes_is_recorded_as_the_approval_it_was(talk: Talk) -> None:
    await talk.say("I'm flying from NYC to Tokyo for 10 days with my wife")
    await talk.say("create the checklist")
    card = await talk.card()
    turn = await talk.say("yes")
    assert talk.done == ["checklist Tokyo 10 2"]
    [entry] = (await talk.server.get(f"/api/history?chat={talk.chat_id}"))["entries"]
    assert entry["interaction_id"] == card["interaction_id"]
    told = {name: entry[name] for name in ("status", "decision", "outcome", "reason", "settled_by")}
    assert told == {
        "status": "completed",
        "decision": "approve",
        "outcome": "ran",
        "reason": "yes",
        "settled_by": "you",
    }
    assert entry["message_id"] == turn["message_id"]
    [tool] = [
        m["metadata"]["ui_tool"]
        for m in (await talk.view())["messages"]
        if "ui_tool" in m["metadata"]
    ]
    assert (tool["ui_tool_status"], tool["outcome"]["state"]) == ("completed", "ran")
    assert tool["response_summary"].endswith("approved in words: yes")
    lines = (await talk.server.get(f"/api/audit?chat={talk.chat_id}"))["entries"]
    [allowed] = [line for line in lines if line["action"] == "interaction.completed"]
    assert (allowed["actor"], allowed["subject"]) == ("you", card["interaction_id"])
    [ran] = [line for line in lines if line["action"] == "effect.done"]
    assert (ran["actor"], ran["body"]["interaction_id"]) == ("you", card["interaction_id"])
    assert ran["body"]["shown_digest"] == card["payload"]["sayso"]["digest"]
    assert (await talk.server.get("/api/audit/verify"))["broken"] == []


@in_modes("confirm")
async def test_a_card_that_words_replaced_was_not_approved(talk: Talk) -> None:
    await talk.say("I'm flying from NYC to Tokyo for 10 days with my wife")
    await talk.say("create the checklist")
    await talk.say("make it 12 days")
    [entry] = (await talk.server.get(f"/api/history?chat={talk.chat_id}"))["entries"]
    assert (entry["status"], entry["decision"], entry["outcome"]) == ("superseded", None, None)
    await talk.say("yes")
    assert talk.done == ["checklist Tokyo 12 2"]
    entries = (await talk.server.get(f"/api/history?chat={talk.chat_id}"))["entries"]
    assert [e["status"] for e in entries] == ["completed", "superseded"]


@in_modes("explicit")
async def test_what_ran_by_words_without_a_card_names_who_said_them(talk: Talk) -> None:
    await talk.say("I'm flying from NYC to Tokyo for 10 days with my wife")
    turn = await talk.say("create the checklist")
    assert talk.done == ["checklist Tokyo 10 2"]
    lines = (await talk.server.get(f"/api/audit?chat={talk.chat_id}"))["entries"]
    [ran] = [line for line in lines if line["action"] == "effect.done"]
    assert (ran["actor"], ran["body"]["message_id"]) == ("you", turn["message_id"])


@in_modes("confirm")
async def test_a_correction_opens_the_card_anew(talk: Talk) -> None:
    await talk.say("I'm flying from NYC to Tokyo for 10 days with my wife")
    await talk.say("create the checklist")
    before = await talk.card()
    await talk.say("yes, but make it 12 days")
    after = await talk.card()
    assert before["interaction_id"] != after["interaction_id"]
    assert after["payload"]["tool_params"]["trip_duration"] == "P12D"
    assert talk.done == []
    await talk.approve(trip_duration="P14D")
    third = await talk.card()
    assert third["payload"]["tool_params"]["trip_duration"] == "P14D"
    assert talk.done == []
    await talk.approve()
    assert talk.done == ["checklist Tokyo 14 2"]


@in_modes(*MODES)
async def test_a_phrase_without_what_it_needs_asks(talk: Talk) -> None:
    turn = await talk.say("create the checklist")
    assert metadata(turn)["branches_executed"] == ["TEXT"]
    assert "I need a few more details" in spoken(turn)
    assert talk.done == []


@in_modes("confirm")
async def test_what_was_asked_for_one_action_is_heard_beside_the_card_of_another(
    talk: Talk,
) -> None:
    await talk.say("Create an itinerary and budget for my Rome trip")
    await talk.say("4 days")
    await talk.say("from Berlin")
    await talk.say("3000 euros")
    # What is ready waits for what the other lacks, unless it is ordered by name.
    first = await talk.say("create the budget")
    assert "Create the budget?" in spoken(first)
    rows = {row["field"]: row["text"] for row in (await talk.card())["payload"]["known"]}
    assert rows["total_budget"] == "3000"
    second = await talk.say("hiking and wine")
    assert "Create the itinerary and create the budget?" in spoken(second)
    await talk.say("yes, both")
    assert sorted(talk.done) == ["budget 3000", "itinerary Rome 4"]


@in_modes("confirm")
async def test_one_card_waits_for_all_that_was_asked_for(talk: Talk) -> None:
    first = await talk.say("I need a checklist and itinerary for Rome")
    assert "How long" in spoken(first)
    second = await talk.say("5 days, from Oslo, two of us")
    assert "Name at least two things" in spoken(second)
    third = await talk.say("food and museums")
    assert "Create the checklist and create the itinerary?" in spoken(third)
    assert "Destination: Rome" in spoken(third)
    await talk.say("yes")
    assert sorted(talk.done) == ["checklist Rome 5 2", "itinerary Rome 5"]


@in_modes("confirm")
async def test_a_yes_runs_what_its_card_lists_and_what_remains_is_said(talk: Talk) -> None:
    await talk.say("I need a checklist and itinerary for Rome")
    await talk.say("5 days, from Oslo, two of us")
    await talk.say("create the checklist")
    turn = await talk.say("yes")
    assert talk.done == ["checklist Rome 5 2"]
    assert "Still to do: create the itinerary." in spoken(turn)
    assert "Name at least two things" in spoken(turn)
    card = await talk.say("food and museums")
    assert "Create the itinerary?" in spoken(card)
    await talk.say("yes")
    assert sorted(talk.done) == ["checklist Rome 5 2", "itinerary Rome 5"]


@in_modes("confirm")
async def test_what_was_asked_for_in_vain_is_asked_for_by_a_form(talk: Talk) -> None:
    await talk.say("create the checklist for Rome")
    said = [
        spoken(await talk.say(words)) for words in ("what's the weather", "no idea what that is")
    ]
    assert len(set(said)) == 2
    [form] = (await talk.server.get(f"/api/interactions?status=pending&chat={talk.chat_id}"))[
        "interactions"
    ]
    schema = form["payload"]["response_schema"]["properties"]
    assert list(schema) == ["current_location", "trip_duration", "num_travelers"]
    values = {"current_location": "Oslo", "trip_duration": "P5D", "num_travelers": 2}
    body = {
        "approved": True,
        "response_data": {"values": values},
        "metadata": {"digest": form["payload"]["sayso"]["digest"]},
    }
    await talk.server.post(f"/api/interactions/{form['interaction_id']}/response", body)
    await until(talk.rests)
    rows = {row["field"]: row["text"] for row in (await talk.card())["payload"]["known"]}
    assert rows["current_location"] == "Oslo"
    await talk.approve()
    assert talk.done == ["checklist Rome 5 2"]


@in_modes("confirm")
async def test_what_the_gate_is_asked_it_answers(talk: Talk) -> None:
    await talk.say("create the checklist for Rome")
    assert "create the checklist" in spoken(await talk.say("why do you need that?"))
    assert "So far: Destination: Rome" in spoken(await talk.say("what have you got?"))
    # What was said a moment ago is said in other words.
    assert "I would still like to know: How long" in spoken(await talk.say("what do you need?"))
    assert "Still needed: Current location" in spoken(await talk.say("what do you need?"))
    assert "we start over" in spoken(await talk.say("start over"))
    assert (await talk.status())["checklist"]["has"] == []


@in_modes("confirm")
async def test_the_gate_speaks_the_persons_language(talk: Talk) -> None:
    first = await talk.say("Ich möchte nach Rom fahren, von Berlin, für 10 Tage")
    assert "Notiert: " in spoken(first)
    await talk.say("create the checklist")
    card = await talk.card()
    assert card["payload"]["message"] == "Bitte prüfen. Jeder Wert lässt sich noch ändern."
    assert "sayso.code" not in card["payload"]


@in_modes("confirm")
async def test_the_panel_sets_and_clears_and_starts_over(talk: Talk) -> None:
    await talk.say("I want to visit Japan")
    async with client_of(talk.server.url) as client:
        place = f"/api/chats/{talk.chat_id}/requirements"
        body = {"field": "current_location", "value": "Oslo"}
        set_ = await client.patch(place, json=body)
        assert set_.status_code == 200
        known = set_.json()["requirements"]["requirements_detail"]["checklist"]["fields"]
        row = next(one for one in known if one["field"] == "current_location")
        assert (row["text"], row["source"]) == ("Oslo", "entered by you")
        wrong = await client.patch(place, json={"field": "num_travelers", "value": 0})
        assert wrong.status_code == 422
        await client.patch(place, json={"field": "current_location", "value": None})
        assert "current_location" in (await talk.status())["checklist"]["missing"]
        await client.post(f"{place}/reset")
    assert (await talk.status())["checklist"]["has"] == []


@in_modes("confirm")
async def test_a_value_changed_in_the_panel_opens_the_card_anew(talk: Talk) -> None:
    await talk.say("I'm flying from NYC to Tokyo for 10 days with my wife")
    await talk.say("create the checklist")
    async with client_of(talk.server.url) as client:
        body = {"field": "num_travelers", "value": 3}
        await client.patch(f"/api/chats/{talk.chat_id}/requirements", json=body)
    await until(talk.rests)
    card = await talk.card()
    assert card["payload"]["tool_params"]["num_travelers"] == 3
    await talk.approve()
    assert talk.done == ["checklist Tokyo 10 3"]
