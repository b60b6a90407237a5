"""Cards that were open at the upgrade keep what they showed: files made by the code of 040e3c4."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from sayso import ExecutionEngine, InteractionResponse, InteractiveExecutionEngine
from sayso.core.errors import StaleDigest
from sayso.core.inbox import InteractionFilter
from sayso.core.interactions import Interaction, InteractionRequest, ResponseData, digest_in
from sayso.core.sessions import RunState
from sayso.engine.engine import Engine
from sayso.store.migrations import upgrade
from tests.migration.of_040e3c4 import desk
from tests.migration.of_040e3c4.make import TASK

FILES = Path(__file__).parent / "of_040e3c4"
CHAT = "task:desk"


@pytest.fixture(autouse=True)
def _as_it_was() -> None:
    desk.price[0], desk.amount[0] = 12, 1000
    desk.did.clear()


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "sayso.db"
    with closing(sqlite3.connect(path)) as raw:
        raw.executescript((FILES / "database.sql").read_text())
        raw.execute("PRAGMA journal_mode = WAL")
    return path


def shown_in(path: Path) -> dict[str, str | None]:
    """The digest that each card showed, from the newest event that drew it."""
    with closing(sqlite3.connect(path)) as raw:
        found = raw.execute("SELECT body FROM event WHERE type = 'chat.ui_tool' ORDER BY seq")
        bodies = [json.loads(body)["data"] for (body,) in found]
    return {body["eventId"]: digest_in(body["payload"]) for body in bodies}


@pytest.fixture
async def live(database: Path) -> AsyncIterator[InteractiveExecutionEngine]:
    async with InteractiveExecutionEngine(desk.app(), store=database) as it:
        yield it


async def pending(engine: Engine) -> dict[str, Interaction]:
    wanted = InteractionFilter(chat_id=CHAT)
    found = await engine.store.interactions("default", wanted)
    return {it.title: it for it in found if not it.state.is_final}


async def test_they_show_what_they_showed_and_take_the_answer_that_names_it(
    database: Path, live: InteractiveExecutionEngine
):
    shown, engine = shown_in(database), await live._started()
    cards = await pending(engine)
    assert set(cards) == {"Refund", "Buy", "Pay?", "Which colour?"}
    assert {it.id: it.digest for it in cards.values()} == {
        it.id: shown[it.id] for it in cards.values()
    }
    revisions = {title: it.revision for title, it in cards.items()}
    assert revisions == {"Refund": 1, "Buy": 2, "Pay?": 1, "Which colour?": 1}
    assert [title for title, it in cards.items() if it.digest is None] == ["Which colour?", "Pay?"]
    for it in cards.values():
        assert digest_in(it.payload) == it.digest

    async def says(it: Interaction, **metadata: str) -> None:
        body = {"approved": True, "metadata": metadata}
        await engine.answer("default", it.id, body, key=None, by="ada")

    for stale in ({}, {"digest": "sha256:another"}):
        with pytest.raises(StaleDigest):
            await says(cards["Buy"], **stale)
    await says(cards["Buy"], digest=str(shown[cards["Buy"].id]))
    await says(cards["Refund"], digest=str(shown[cards["Refund"].id]))
    await says(cards["Pay?"])
    body = {"approved": True, "response_data": {"additional_notes": "blue"}}
    await engine.answer("default", cards["Which colour?"].id, body, key=None, by="ada")
    await until_over(engine, cards["Buy"].run_id)
    assert desk.did == ["buy lamp", "refund 7 5.5 4711"]
    lines = [one.body for one in await engine.store.audit("default")]
    digests = {
        str(body["tool_name"]): body["shown_digest"]
        for body in lines
        if body.get("executed_digest") is not None
    }
    assert digests == {"buy": shown[cards["Buy"].id], "refund": shown[cards["Refund"].id]}


async def test_drawn_again_with_other_words_they_are_new_revisions(
    live: InteractiveExecutionEngine,
):
    engine = await live._started()
    before = await pending(engine)
    desk.amount[0] = 2000
    body = {"approved": True, "response_data": {"additional_notes": "blue"}}
    await engine.answer("default", before["Which colour?"].id, body, key=None, by="ada")
    await until_waiting(engine, before["Pay?"].run_id)
    after = await pending(engine)
    assert after["Pay?"].revision == 2
    assert after["Pay?"].digest is not None
    assert (after["Buy"].digest, after["Buy"].revision) == (before["Buy"].digest, 2)
    assert after["Refund"].digest == before["Refund"].digest
    with pytest.raises(StaleDigest):
        await engine.answer("default", after["Pay?"].id, {"approved": True}, key=None, by="ada")


def test_cards_that_were_settled_keep_their_digest_too(database: Path):
    with closing(sqlite3.connect(database)) as raw:
        raw.execute("UPDATE interaction SET state = 'completed' WHERE proposal IS NOT NULL")
        raw.commit()
    shown = shown_in(database)
    upgrade(str(database), busy_seconds=1)
    with closing(sqlite3.connect(database)) as raw:
        kept = dict(raw.execute("SELECT id, digest FROM interaction"))
    assert kept == shown


async def test_the_state_of_a_task_that_waits_is_taken_up():
    state = (FILES / "task.json").read_bytes()
    engine = ExecutionEngine(desk.app())
    nothing = await engine.execute_task(TASK, resume=(state, []))
    shown = {str(it.metadata["interaction_id"]): it for it in nothing.interactions}
    assert len(shown) == 5
    old = {it["id"]: it["proposal"] is not None for it in json.loads(state)["interactions"]}
    assert {id_: digest_of(it) is not None for id_, it in shown.items()} == old
    refund = next(it for it in shown.values() if title_of(it) == "Refund")
    stale = InteractionResponse(
        interaction_id=refund.interaction_id, approved=True, metadata={"digest": "sha256:x"}
    )
    with pytest.raises(StaleDigest):
        await engine.execute_task(TASK, resume=(state, [stale]))
    words = ResponseData(additional_notes="blue")
    yes = [
        InteractionResponse(
            interaction_id=id_,
            approved=True,
            response_data=words if title_of(it).startswith("Which") else ResponseData(),
            metadata={"digest": digest_of(it)},
        )
        for id_, it in shown.items()
    ]
    done = await engine.execute_task(TASK, resume=(state, yes))
    assert done.output == "refunded bought True blue blue"
    assert desk.did == ["refund 7 5.5 4711", "buy lamp"]


def digest_of(asked: InteractionRequest) -> str | None:
    return digest_in(asked.metadata["payload"])


def title_of(asked: InteractionRequest) -> str:
    payload = asked.metadata["payload"]
    assert isinstance(payload, dict)
    return str(payload["title"])


async def until_over(engine: Engine, run_id: str) -> None:
    await _until(engine, run_id, {RunState.COMPLETED, RunState.FAILED})


async def until_waiting(engine: Engine, run_id: str) -> None:
    await _until(engine, run_id, {RunState.WAITING})


async def _until(engine: Engine, run_id: str, states: set[RunState]) -> None:
    ear = engine.feed.subscribe("default", CHAT)
    try:
        while True:
            run = await engine.store.run("default", run_id)
            assert run is not None
            if run.state in states:
                return
            await ear.get()
    finally:
        ear.close()
