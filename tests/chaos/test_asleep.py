"""A worker that is stopped past its lease and woken again: nothing is done twice."""

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.chaos.harness import Mortal, Person, check_world, mortal_server

SHORT_LEASE = {"lease_seconds": 1.0, "lease_margin_seconds": 0.2, "sweep_seconds": 0.2}


async def test_asleep_before_its_effect(tmp_path: Path):
    """It slept between "started" and the effect: its true result settles the uncertain card."""
    async with mortal_server(tmp_path) as first, mortal_server(tmp_path) as second:
        person, chat = await _fall_asleep(first, "send.before", "asleep-1")
        await second.live({}, **SHORT_LEASE)
        other = Person(second)
        card = await other.until_waiting(chat, card="uncertain_effect")
        os.kill(first.pid, signal.SIGCONT)
        # Nobody answers the card: who looks before the effect is out would say "again".
        view = await Person(first, answers=False).until_done(chat)
        assert view["run"]["status"] == "completed"
        ended = [m["metadata"]["ui_tool"] for m in view["messages"] if "ui_tool" in m["metadata"]]
        assert {tool["ui_tool_status"] for tool in ended} == {"completed"}
        assert card["interaction_id"] in {tool["event_id"] for tool in ended}
        await second.kill()
        await check_world(first, person, [("asleep-1", chat)])


async def test_asleep_after_its_claim_to_act(tmp_path: Path):
    """It slept right after "started": it may not act on a lease that is over."""
    async with mortal_server(tmp_path) as first, mortal_server(tmp_path) as second:
        person, chat = await _fall_asleep(first, "start_effect:after", "asleep-2")
        await second.live({}, **SHORT_LEASE)
        other = Person(second)
        done = await other.until_done(chat)
        assert done["run"]["status"] == "completed"
        os.kill(first.pid, signal.SIGCONT)
        await second.kill()
        await check_world(first, person, [("asleep-2", chat)])


@pytest.mark.parametrize("option", ["skip", "run_again"])
async def test_asleep_until_a_person_has_judged(tmp_path: Path, option: str):
    """It acted, slept, and comes back after the person has answered: what it did stands beside what
    the person said."""
    async with mortal_server(tmp_path) as first, mortal_server(tmp_path) as second:
        person, chat = await _fall_asleep(first, "send.after", f"asleep-{option}")
        await second.live({}, **SHORT_LEASE)
        other = Person(second, answers=False)
        card = await other.until_waiting(chat, card="uncertain_effect")
        answer = {"selected_option": option}
        path = f"/api/interactions/{card['interaction_id']}/response"
        said = await second.client.post(path, json=answer, headers={"Idempotency-Key": "judged"})
        assert said.status_code == 200, said.text
        view = await other.until_done(chat)
        assert view["run"]["status"] == "completed"
        os.kill(first.pid, signal.SIGCONT)
        view = await other.until(chat, _told_after_all)
        (call,) = view["tool_calls"]
        assert call["status"] == "done"
        lines = (await second.client.get(f"/api/audit?chat={chat}")).json()["entries"]
        told = [line for line in lines if line["action"] == "effect.contradicted"]
        assert [line["body"]["said"] for line in told] == [option]
        cards = [m["metadata"]["ui_tool"] for m in view["messages"] if "ui_tool" in m["metadata"]]
        (judged,) = [one for one in cards if one["event_id"] == card["interaction_id"]]
        assert judged["ui_tool_status"] == "completed", "the person's word stays on the card"
        happened = person.happened()
        assert sum(happened.values()) == (2 if option == "run_again" else 1), happened


def _told_after_all(view: dict[str, Any]) -> bool:
    tools = [m["metadata"].get("ui_tool", {}) for m in view["messages"]]
    return any("ran after all" in str(tool.get("payload", {}).get("title")) for tool in tools)


async def _fall_asleep(server: Mortal, point: str, name: str) -> tuple[Person, str]:
    """An order whose server stops at a point; the person has answered all three cards."""
    await server.live({"at": point, "stop": True}, **SHORT_LEASE)
    person = Person(server)
    chat = await person.order(name)
    await person.until_waiting(chat)
    cards = await person.pending(chat)
    answering = [asyncio.create_task(person.answer(it, it["interaction_id"])) for it in cards]
    await server.until_stopped()
    for task in answering:
        task.cancel()
    await asyncio.gather(*answering, return_exceptions=True)
    return person, chat
