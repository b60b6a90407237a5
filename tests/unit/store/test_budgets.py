"""What a transaction may cost: the promises of DESIGN section 11, counted."""

from datetime import datetime

import pytest

from sayso.core.ports import TextPiece
from sayso.core.sessions import RunState
from sayso.store import log
from sayso.store.store import SqlStore
from tests.contract.store.story import APP, LEASE, Story, approval, question, text, yes
from tests.unit.store.conftest import Counted


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
    claimed = await story.begin()
    counted.look()
    await store.record(
        claimed.fence, [text(f"t{n}", "words", claimed.fence.run_id) for n in range(2)]
    )
    two = counted.look()
    counted.look()
    await store.finish(claimed.fence, RunState.COMPLETED)
    assert two[0] == 1
    assert counted.look()[0] == 1


async def test_each_event_is_encoded_once(
    story: Story, store: SqlStore, monkeypatch: pytest.MonkeyPatch
):
    encoded: list[object] = []
    encode = log.encode

    def counting(value: object) -> bytes:
        encoded.append(value)
        return encode(value)

    monkeypatch.setattr(log, "encode", counting)
    _, waited = await story.waiting(approval("a"))
    encoded.clear()
    settled = await story.answer(waited.interactions[0], yes(waited.interactions[0]))
    assert len(encoded) == len(settled.frames) == 2
    again = await store.events_after(APP, waited.interactions[0].chat_id, 0)
    assert again[-1].json == settled.frames[-1].json
    assert len(encoded) == 2


async def test_what_is_asked_often_is_found_by_an_index(story: Story, store: SqlStore):
    """No statement of the verbs scans a table, however many rows there are."""
    scans: list[str] = []
    plans = _Plans(store, scans)
    fence, waited = await story.waiting(approval("a"), approval("b"))
    await story.say(fence.chat_id, "next")
    await story.answer(waited.interactions[0], yes(waited.interactions[0]))
    await store.dismiss(APP, waited.interactions[1].id, reason=None, by="ada", lease=LEASE)
    await store.claim_due(LEASE, limit=5, not_mine=[], at_once=True)
    await store.expire_one(now=datetime.fromisoformat("2026-01-01T00:00:00+00:00"), lease=None)
    await store.next_expiry()
    await store.cancel_run(APP, reason="stop", by=None, chat_id=fence.chat_id, lease=LEASE)
    await story.view(fence.chat_id)
    await store.list_chats(APP)
    await store.tool_call(APP, "call-a")
    await store.artifact(APP, "plan")
    assert plans.explain() > 30
    assert scans == []


class _Plans:
    """Asks SQLite for the plan of each statement it was given."""

    def __init__(self, store: SqlStore, scans: list[str]) -> None:
        from sayso.store.sqlite import SqliteDriver

        assert isinstance(store.driver, SqliteDriver)
        self._driver, self._scans = store.driver, scans
        self._said: set[str] = set()
        store.driver.on_statement(self._said.add)

    def explain(self) -> int:
        import sqlite3
        from contextlib import closing

        path = self._driver.path
        assert path is not None
        statements = [s for s in self._said if s.split()[0] in {"SELECT", "UPDATE", "DELETE"}]
        with closing(sqlite3.connect(path)) as raw:
            raw.create_function("sayso_now", 0, lambda: 0)
            for sql in statements:
                plan = raw.execute(f"EXPLAIN QUERY PLAN {sql}", [None] * sql.count("?"))
                for *_, step in plan:
                    if (
                        step.startswith("SCAN")
                        and "CONSTANT ROW" not in step
                        and ("USING" not in step)
                    ):
                        self._scans.append(f"{step}: {sql}")
        return len(statements)
