"""Every response of an application with actions says where its requirements stand, by whatever door
it goes out."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from sayso import ExecutionContext, TaskRequest, UniversalMessage
from sayso.engine.storeless import run_task
from tests.browser.server_process import ServerProcess
from tests.gate_app import confirm
from tests.integration.test_gate import Gate, Talk, gate_of, metadata
from tests.loopback import client_of

_ALL = "I'm flying from NYC to Tokyo for 10 days with my wife"
_TOLD = {"model", "phase", "branches_executed", "requirements_status"}


@pytest.fixture(scope="module")
async def gate(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Gate]:
    async with gate_of("tests.gate_app:confirm", tmp_path_factory.mktemp("gate")) as gate:
        yield gate


@pytest.fixture
async def talk(gate: Gate) -> Talk:
    return await gate.talk()


def is_ready(told: dict[str, Any]) -> bool:
    assert told.keys() >= _TOLD
    ready: bool = told["requirements_status"]["checklist"]["ready"]
    return ready


async def test_a_message_a_card_and_their_replies_say_it(talk: Talk) -> None:
    first = await talk.say(_ALL)
    assert is_ready(metadata(first))
    assert is_ready(first["run"]["metadata"])
    second = await talk.say("create the checklist")
    assert is_ready(second["run"]["metadata"])
    card = next(m for m in (await talk.view())["messages"] if "ui_tool" in m["metadata"])
    assert is_ready(card["metadata"])
    assert card["metadata"]["branches_executed"] == ["CHECKLIST"]
    # One who reads only the text hears every value before they can say yes.
    assert "Destination: Tokyo" in card["content"]
    assert card["content"].endswith("Create the checklist?")


async def test_a_stream_says_it_at_its_end(talk: Talk) -> None:
    first = await _streamed(talk.server, talk.chat_id, _ALL)
    lines = await _streamed(talk.server, talk.chat_id, "create the checklist")
    for end in (first[-1], lines[-1]):
        assert end["event"] == "end"
        assert is_ready(end["data"]["metadata"])
    assert _phases(lines) == ["intent_classification", "requirement_checking", "branch_execution"]
    lines = await _streamed(talk.server, talk.chat_id, "yes")
    assert _phases(lines)[-2:] == ["branch_execution", "result_aggregation"]
    events = [line["event"] for line in lines]
    assert events.index("token") > events.index("phase")


def _phases(lines: list[dict[str, Any]]) -> list[str]:
    return [line["data"]["phase"] for line in lines if line["event"] == "phase"]


async def _streamed(server: ServerProcess, chat_id: str, words: str) -> list[dict[str, Any]]:
    async with client_of(server.url) as client:
        answer = await client.post(
            f"/api/chats/{chat_id}/messages",
            json={"content": words, "client_message_id": words},
            headers={"Prefer": "stream"},
        )
    return [json.loads(line) for line in answer.text.splitlines()]


async def test_text_alone_has_every_value_before_it_can_say_yes(talk: Talk) -> None:
    await _as_text(talk, _ALL)
    assert await _as_text(talk, "create the checklist") == (
        "Destination: Tokyo; Current location: NYC; Trip duration: 10 days; Num travelers: 2. "
        "Create the checklist?\nWaiting for a person: Create the checklist?\n"
    )
    # What was said before it stands apart.
    said = await _as_text(talk, "make it 3 travelers")
    assert "\n\nDestination: Tokyo; Current location: NYC; " in said
    assert said.startswith("Noted: ")


async def test_text_alone_says_what_a_form_asks_for(talk: Talk) -> None:
    await _as_text(talk, "create the checklist for Rome")
    await _as_text(talk, "what's the weather")
    said = await _as_text(talk, "no idea what that is")
    assert said.startswith("Still needed: Current location, Trip duration, Num travelers.")
    assert said.endswith("\nWaiting for a person: What is still needed\n")


async def test_text_alone_is_in_the_persons_language(talk: Talk) -> None:
    await _as_text(talk, "Ich möchte nach Rom fahren, von Berlin, für 10 Tage, zu zweit")
    said = await _as_text(talk, "create the checklist")
    assert "Trip duration: 10 Tage" in said
    assert said.endswith("\nWartet auf eine Antwort: Create the checklist?\n")


async def _as_text(talk: Talk, words: str) -> str:
    async with client_of(talk.server.url) as client:
        answer = await client.post(
            f"/api/chats/{talk.chat_id}/messages",
            json={"content": words, "client_message_id": words},
            headers={"Accept": "text/plain", "Prefer": "stream"},
        )
    assert answer.status_code == 200, answer.text
    return answer.text


@pytest.mark.parametrize("task_type", ["chat", "tool_approval_chat", "generation"])
async def test_the_result_of_a_task_in_process_says_it(task_type: str) -> None:
    """Whatever the caller calls the task, a person's words are read."""
    task = TaskRequest(
        task_id="t1",
        task_type=task_type,
        messages=[UniversalMessage(role="user", content=_ALL)],
    )
    [program, *_] = confirm.programs().values()
    result = await run_task(program, task, ExecutionContext())
    assert is_ready(dict(result.metadata))
    assert "create the checklist" in result.output
