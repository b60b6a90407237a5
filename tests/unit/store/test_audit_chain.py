"""The audit's chain: whatever is changed in the rows behind our back is found."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sayso.core.digest import chain
from sayso.store.store import SqlStore
from sayso.testing.clock import FakeClock
from tests.contract.store.story import APP, Story, approval, in_time, yes


async def three_lines(story: Story) -> str:
    fence, waited = await story.waiting(approval("a"), approval("b"), approval("c"))
    for it in waited.interactions:
        await story.answer(it, yes(it), by="ada")
    return fence.chat_id


@pytest.mark.parametrize(
    ("tampering", "broken_at"),
    [
        ("UPDATE audit SET actor = 'mallory' WHERE number = 2", 2),
        ("UPDATE audit SET body = replace(body, 'refund', 'remove') WHERE number = 3", 3),
        ("UPDATE audit SET at = at + 1 WHERE number = 1", 1),
        ("UPDATE audit SET action = 'interaction.rejected' WHERE number = 2", 2),
        ("DELETE FROM audit WHERE number = 1", 1),
        ("DELETE FROM audit WHERE number = 2", 2),
        ("DELETE FROM audit WHERE number = 3", 3),
        ("DELETE FROM audit", 1),
        (
            "INSERT INTO audit (app_id, chat_id, number, at, actor, action, subject, body, hash) "
            "SELECT app_id, chat_id, 4, at, actor, action, subject, body, hash FROM audit "
            "WHERE number = 3",
            4,
        ),
        ("UPDATE audit SET number = number + 1 WHERE number = 3", 3),
    ],
)
async def test_tampering_is_found_where_it_begins(
    tmp_path: Path, clock: FakeClock, tampering: str, broken_at: int
):
    store = SqlStore.sqlite(tmp_path / "sayso.db", clock=clock)
    await store.open()
    chat_id = await three_lines(Story(store, clock))
    untouched = await three_lines(Story(store, clock))
    assert (await store.verify_audit(APP)).broken == []
    with closing(sqlite3.connect(tmp_path / "sayso.db")) as raw:
        for statement in (f"{tampering} AND chat_id = ?", f"{tampering} WHERE chat_id = ?"):
            if ("WHERE" in tampering) == ("AND chat_id" in statement):
                raw.execute(statement, [chat_id])
        raw.commit()
    (broken,) = (await store.verify_audit(APP)).broken
    assert (broken.chat_id, broken.number) == (chat_id, broken_at)
    assert untouched != chat_id
    await store.close()


async def test_the_sealer_takes_no_lock_where_nothing_moved(
    story: Story, store: SqlStore, monkeypatch: pytest.MonkeyPatch
):
    for moved in (False, True):
        if moved:
            await three_lines(story)
            await store.seal_audit()
        with monkeypatch.context() as patched:
            patched.delattr(type(store.driver), "write")
            await store.seal_audit()


async def test_a_card_that_was_given_more_time_is_as_open_as_before(story: Story, store: SqlStore):
    _, waited = await story.waiting(approval("a", **in_time(60)))
    await store.extend(APP, waited.interactions[0].id, seconds=60, seen=None, by="ada")
    assert (await store.verify_audit(APP)).broken == []


async def test_a_line_is_bound_to_all_before_it(story: Story, store: SqlStore):
    chat_id = await three_lines(story)
    hashes = [line.hash for line in await store.audit(APP, chat_id=chat_id)]
    assert len(set(hashes)) == 3
    assert all(value.startswith("hmac-sha256:") for value in hashes)
    assert chain("", {"a": 1}) != chain(hashes[0], {"a": 1})
