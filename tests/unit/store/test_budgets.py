"""What a transaction may cost: its statements and commits, counted."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sayso.core.store_results import TextPiece
from sayso.store import chat_log, codec
from sayso.store.sqlite import SqliteDriver
from sayso.store.store import SqlStore
from sayso.testing.clock import FakeClock
from tests.contract.store.story import APP, Story, approval, called, question, text, yes
from tests.unit.store.conftest import Counted
from tests.unit.store.tour import tour


async def test_one_commit_and_at_most_ten_statements_from_an_answer_to_its_work(
    story: Story, counted: Counted
):
    _, waited = await story.waiting(approval("a"))
    counted.look()
    settled = await story.answer(waited.interactions[0], yes(waited.interactions[0]))
    assert settled.claimed is not None
    assert settled.claimed.start.run.saved is not None
    assert settled.claimed.start.answers
    commits, statements = counted.look()
    assert commits == 1
    assert statements <= 10


async def test_the_last_answer_of_a_batch_costs_no_more(story: Story, counted: Counted):
    _, waited = await story.waiting(*(approval(f"k{n}") for n in range(5)))
    *others, last = waited.interactions
    for it in others:
        counted.look()
        await story.answer(it, yes(it))
        commits, statements = counted.look()
        assert (commits, statements <= 10) == (1, True)
    settled = await story.answer(last, yes(last))
    assert settled.claimed is not None
    commits, statements = counted.look()
    assert commits == 1
    assert statements <= 10


async def test_an_answer_costs_the_same_however_long_the_chat(
    story: Story, store: SqlStore, counted: Counted
):
    claimed = await story.begin()
    await store.record(
        claimed.fence, [text(f"t{n}", "words", claimed.fence.run_id) for n in range(100)]
    )
    waited = await story.ask(claimed.fence, question())
    counted.look()
    await story.answer(waited.interactions[0])
    assert counted.look()[1] <= 10


async def test_a_message_is_one_commit_from_words_to_work(story: Story, counted: Counted):
    chat_id = await story.chat()
    counted.look()
    posted = await story.say(chat_id)
    assert posted.claimed is not None
    commits, statements = counted.look()
    assert commits == 1
    assert statements <= 12


async def test_texts_of_many_runs_are_kept_in_one_commit(
    story: Story, store: SqlStore, counted: Counted
):
    fences = [(await story.begin()).fence for _ in range(5)]
    counted.look()
    await store.keep_texts(
        [TextPiece(fence=fence, message_id="t", offset=0, text="words") for fence in fences]
    )
    assert counted.look() == (1, 5)


async def test_many_events_are_one_statement(story: Story, store: SqlStore, counted: Counted):
    """Of a kind: all events with one INSERT, all items with another, and so on."""
    claimed = await story.begin()
    for count in (2, 20):
        events = [called(f"{count}-{n}", claimed.fence) for n in range(count)]
        counted.look()
        await store.record(claimed.fence, events)
        assert counted.look() == (1, 5)


async def test_each_event_is_encoded_once(
    story: Story, store: SqlStore, monkeypatch: pytest.MonkeyPatch
):
    encoded: list[object] = []

    def counting(value: object) -> bytes:
        encoded.append(value)
        return codec.encode(value)

    monkeypatch.setattr(chat_log, "encode", counting)
    _, waited = await story.waiting(approval("a"))
    encoded.clear()
    settled = await story.answer(waited.interactions[0], yes(waited.interactions[0]))
    assert len(encoded) == len(settled.frames) == 2
    again = await store.events_after(APP, waited.interactions[0].chat_id, 0)
    assert again[-1].json == settled.frames[-1].json
    assert len(encoded) == 2


async def test_what_is_asked_often_is_found_by_an_index(
    story: Story, store: SqlStore, clock: FakeClock
):
    """No statement reads a whole table or a whole tenant, but for the lists that show one."""
    driver = store.driver
    assert isinstance(driver, SqliteDriver)
    said: set[str] = set()
    driver.on_statement(said.add)
    await tour(story, store, clock)
    assert driver.path is not None
    plans = _plans(driver.path, said)
    assert len(plans) > 30
    assert [plan for plan in plans if _reads_too_much(plan)] == []


#: Indexes that are walked on purpose: of few rows (what is due), or in the order of a list.
_WALKED = (
    "run_due",
    "webhook_due",
    "interaction_due",
    "interaction_pending",
    "interaction_settled",
    "chat_conversations",
    "interaction_by_creation",
    "audit_by_position",
)


def _reads_too_much(plan: str) -> bool:
    if any(f"USING INDEX {index}" in plan for index in _WALKED) or "CONSTANT ROW" in plan:
        return False
    return plan.startswith("SCAN") or "(app_id=?)" in plan


def _plans(path: Path, statements: set[str]) -> list[str]:
    """Each step by which SQLite finds the rows of these statements."""
    found: list[str] = []
    with closing(sqlite3.connect(path)) as raw:
        raw.create_function("sayso_now", 0, lambda: 0)
        for sql in statements:
            if sql.split()[0] in {"SELECT", "UPDATE", "DELETE"}:
                plan = raw.execute(f"EXPLAIN QUERY PLAN {sql}", [None] * sql.count("?"))
                found += [f"{step} <- {sql}" for *_, step in plan]
    return found
