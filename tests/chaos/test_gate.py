"""kill -9 between any two steps of a gated conversation: it goes on with the same status, and runs
once with what the person agreed to, or not at all."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx

from sayso.app import open_store
from sayso.clock import SystemClock
from sayso.core.requirements import RequirementState, state_in
from sayso.gate.gated_program import GatedProgram
from tests.chaos.gate_desk import make_app
from tests.chaos.harness import POLL_SECONDS, Mortal, Person, mortal_server
from tests.seeds import third_of

APP = "tests.chaos.gate_desk"
ALL_SAID = "I'm flying from NYC to Tokyo for 10 days with my wife"
CONFIRMED = (ALL_SAID, "create the checklist")
ENDED = ("completed", "failed", "cancelled")
BY_THE_CLOCK = ("claim_due", "expire_one", "keep_texts")


class Traveller(Person):
    """Says the same sentences in each life, and answers the card that they open."""

    def done(self) -> list[str]:
        """What has run, as the world outside has it: each line once for each time it ran."""
        kept = self._server.data / "done.txt"
        lines = kept.read_text().splitlines() if kept.exists() else []
        return [line.split(" ", 1)[1] for line in lines]

    async def begin(self) -> str:
        """A new chat's id."""
        return str((await self._do("POST", "/api/chats", {}))["id"])

    async def tell(self, chat_id: str, words: str) -> dict[str, Any]:
        """A message, until its run has ended or waits for a card."""
        await self.say(chat_id, words)
        while True:
            view = await self.look(chat_id)
            if view["run"]["status"] in ENDED or await self.pending(chat_id):
                return view
            await asyncio.sleep(POLL_SECONDS)

    def _decide(self, it: dict[str, Any]) -> dict[str, Any]:
        if it["card"] != "uncertain_effect":
            return super()._decide(it)
        if self.done():
            return {"selected_option": "mark_done", "values": {"result": "It is there."}}
        return {"selected_option": "run_again"}


async def test_a_kill_at_each_boundary_of_a_confirmed_action(tmp_path: Path) -> None:
    await _die_at_each_boundary(tmp_path, CONFIRMED, "checklist Tokyo 10 2")


async def test_a_kill_at_each_boundary_of_a_change_at_the_card(tmp_path: Path) -> None:
    changed = (*CONFIRMED, "make it 12 days")
    await _die_at_each_boundary(tmp_path, changed, "checklist Tokyo 12 2", told_before=2)


async def test_a_kill_at_each_boundary_of_a_phrase(tmp_path: Path) -> None:
    told = (ALL_SAID, "create the brochure")
    await _die_at_each_boundary(tmp_path, told, "brochure Tokyo 10 2", told_before=1)


async def test_a_kill_at_each_boundary_of_an_answer_and_its_card(tmp_path: Path) -> None:
    """The agent's answer stands once in the chat, whole, and then the card."""
    asked = (*CONFIRMED, "Who will carry the bags?")
    await _die_at_each_boundary(
        tmp_path, asked, "checklist Tokyo 10 2", told_before=2, app="tests.chaos.talking_desk"
    )


async def test_a_kill_at_each_boundary_of_a_yes_and_an_answer(tmp_path: Path) -> None:
    """It runs once, whatever becomes of the answer to what was asked beside."""
    agreed = (*CONFIRMED, "Yes. Who will carry the bags?")
    await _die_at_each_boundary(
        tmp_path, agreed, "checklist Tokyo 10 2", told_before=2, app="tests.chaos.talking_desk"
    )


async def _tell_all(person: Traveller, chat: str, story: Sequence[str]) -> dict[str, Any]:
    for words in story:
        await person.tell(chat, words)
    return await person.until_done(chat)


async def _die_at_each_boundary(
    place: Path, story: Sequence[str], wanted: str, *, told_before: int = 0, app: str = APP
) -> None:
    """The story without a death, then once more for each boundary that it passes (outside of
    `make soak`: for another third of them in each run); but those of its first messages, which
    another story has told alike, are left to that story."""
    (place / "whole").mkdir()
    async with mortal_server(place / "whole", app) as server:
        person = Traveller(server)
        notes = place / "points.txt"
        await server.live({"record": str(notes)})
        chat = await person.begin()
        for words in story[:told_before]:
            await person.tell(chat, words)
        alike = len(_points(notes)) if told_before else 0
        whole = await _tell_all(person, chat, story[told_before:])
        assert person.done() == [wanted]
        before = _told(whole)
        await server.kill()
        points = _points(notes)
        assert len(points) > 40
        points = points[alike:]
        assert len(points) > 10
        points = third_of(points)
        server.data, kills = place, 0
        for name, nth in points:
            await server.live({"at": name, "nth": nth})
            person = Traveller(server)
            reborn = asyncio.create_task(_reborn(server))
            chat = await person.begin()
            view = await _tell_all(person, chat, story)
            reborn.cancel()
            await asyncio.gather(reborn, return_exceptions=True)
            where = f"{name} ({nth})"
            assert person.done() == [wanted], where
            assert _status(view) == _status(whole), where
            assert _told(view) == before, where
            await server.kill()
            kills = server.kills.total()
            state = await _state(server, chat)
            assert [g.status for g in state.grants if g.status != "void"] == ["used"], where
            (server.data / "done.txt").unlink()
    assert kills >= len(points) * 9 // 10, server.kills


async def test_a_kill_at_each_boundary_of_starting_over(tmp_path: Path) -> None:
    """The card and what it was made of go together, or both are still there."""
    notes = tmp_path / "points.txt"
    async with mortal_server(tmp_path, APP) as server:
        await server.live({"record": str(notes)})
        chat = await _at_the_card(server)
        before = len(notes.read_text().split())
        await _start_over(server, chat)
        passed = dict.fromkeys(notes.read_text().split()[before:])
        # A sweep may be among them, which passes in each life before anybody has begun.
        points = [point for point in passed if point.startswith("start_over")]
        await server.kill()
        assert len(points) > 5
        for point in points:
            await server.live({"at": point})
            chat = await _at_the_card(server)
            with suppress(httpx.TransportError):
                await _start_over(server, chat)
            await server.until_dead()
            view, known = await server.view(chat), (await _state(server, chat)).values
            assert view.run is not None
            assert (view.run.status, bool(known)) in {("waiting", True), ("cancelled", False)}, (
                point
            )


async def _at_the_card(server: Mortal) -> str:
    person = Traveller(server)
    chat = await person.begin()
    await person.tell(chat, ALL_SAID)
    await person.tell(chat, "create the checklist")
    return chat


async def _start_over(server: Mortal, chat: str) -> None:
    response = await server.client.post(f"/api/chats/{chat}/requirements/reset")
    assert response.status_code == 200


def _points(notes: Path) -> list[tuple[str, int]]:
    """Every statement once, and every commit and every effect each time that it is passed; but what
    the clock brings is brought less often to a life that is quicker."""
    seen: Counter[str] = Counter()
    found = []
    for name in notes.read_text().split():
        seen[name] += 1
        again = name.endswith((":commit", ":after")) and not name.startswith(BY_THE_CLOCK)
        if seen[name] == 1 or again:
            found.append((name, seen[name]))
    return found


# ── grants ──


async def test_an_unused_grant_runs_once_after_a_crash(tmp_path: Path) -> None:
    """It died with the grant given and nothing begun: the next life needs no further word."""
    async with mortal_server(tmp_path, APP) as server:
        person, chat = await _died_at(server, "start_effect:1")
        assert [g.status for g in (await _state(server, chat)).grants] == ["valid"]
        assert person.done() == []
        await server.live({})
        await person.until_done(chat)
        assert person.done() == ["brochure Tokyo 10 2"]
        await person.tell(chat, "go ahead")
        assert person.done() == ["brochure Tokyo 10 2"]


async def test_a_used_grant_runs_nothing_after_a_crash(tmp_path: Path) -> None:
    """It died once its grant was used: a person says what became of it, and it does not run."""
    async with mortal_server(tmp_path, APP) as server:
        for point in ("start_effect:after", "body.after"):
            server.data = tmp_path / point.partition(":")[0]
            server.data.mkdir()
            await _is_asked_what_became_of_it(server, point)
            await server.kill()


async def _is_asked_what_became_of_it(server: Mortal, point: str) -> None:
    person, chat = await _died_at(server, point)
    before = person.done()
    assert [g.status for g in (await _state(server, chat)).grants] == ["used"], point
    await server.live({})
    card = await person.until_waiting(chat, card="uncertain_effect")
    assert person.done() == before, point
    key = card["interaction_id"]
    response = await server.client.post(
        f"/api/interactions/{key}/response",
        json={"selected_option": "mark_done", "values": {"result": "It is there."}},
    )
    assert response.status_code == 200
    await person.until_done(chat)
    assert person.done() == before, point


async def test_a_grant_does_not_survive_a_change(tmp_path: Path) -> None:
    """A value changes while nobody serves: the grant that lay there is void in the next life."""
    async with mortal_server(tmp_path, APP) as server:
        person, chat = await _died_at(server, "start_effect:1")
        await _set(server, chat, "num_travelers", 3)
        assert [g.status for g in (await _state(server, chat)).grants] == ["void"]
        await server.live({})
        while (view := await person.look(chat))["run"]["status"] not in ENDED:
            if await person.pending(chat):
                break
            await asyncio.sleep(POLL_SECONDS)
        assert person.done() == []
        assert _status(view)["brochure"]["ready"] is True


async def _died_at(server: Mortal, point: str) -> tuple[Traveller, str]:
    """A phrase that runs at once, and a death at this point of it."""
    await server.live({"at": point})
    person = Traveller(server)
    chat = await person.begin()
    await person.tell(chat, ALL_SAID)
    # It may die before it has answered, and nobody else would.
    saying = asyncio.create_task(person.say(chat, "create the brochure"))
    await server.until_dead()
    saying.cancel()
    await asyncio.gather(saying, return_exceptions=True)
    assert server.kills[point] == 1
    return person, chat


# ── the server and its rows ──


def _told(view: dict[str, Any]) -> list[str]:
    """What was said and asked up to the card, in order: what came of it a person may have to say.
    Words that were shown before a death stand there twice."""
    kinds = [m["metadata"].get("ui_tool", {}).get("ui_tool_id") for m in view["messages"]]
    cards = [at for at, kind in enumerate(kinds) if kind == "requirements"]
    said = view["messages"][: cards[-1] + 1] if cards else view["messages"][:1]
    return list(dict.fromkeys(str(message["content"]) for message in said))


def _status(view: dict[str, Any]) -> dict[str, Any]:
    status: dict[str, Any] = view["requirements"]["requirements_status"]
    return status


async def _state(server: Mortal, chat_id: str) -> RequirementState:
    """What is known, read while nobody serves it."""
    store = open_store(server.data / "sayso.db")
    await store.open()
    try:
        return state_in(await store.requirements("default", chat_id))
    finally:
        await store.close()


async def _set(server: Mortal, chat_id: str, field: str, value: int) -> None:
    """Change a value as the panel does, while nobody serves."""
    program = next(iter(make_app(server.data).programs().values()))
    assert isinstance(program, GatedProgram)
    store = open_store(server.data / "sayso.db")
    await store.open()
    try:
        kept = await store.requirements("default", chat_id)
        changed = program.edited(kept, field, value, at=SystemClock().now())
        await store.change_requirements("default", chat_id, changed, by="ada")
    finally:
        await store.close()


async def _reborn(server: Mortal) -> None:
    await server.until_dead()
    await server.live({})
