"""The audit of a database that version 040e3c4 wrote, with lines that have no key: before the first
seal nobody can vouch for them, from then on they are whole, and what comes after is keyed."""

import gzip
import sqlite3
from contextlib import closing
from pathlib import Path

from sayso.core.audit import AuditReport, AuditResult
from sayso.store.store import SqlStore
from tests.unit.store.test_tampering import KEYS

OLD = Path(__file__).with_name("old") / "040e3c4.sqlite.gz"
APP = "default"


async def test_lines_of_an_old_database_stay_checkable_as_what_they_are(tmp_path: Path):
    path = tmp_path / "sayso.db"
    path.write_bytes(gzip.decompress(OLD.read_bytes()))
    before = await _verified(path)
    assert (before.result, list(before.broken)) == (AuditResult.NOT_CHECKABLE, [])
    assert before.older_unsealed == before.lines > 0
    await _sealed(path)
    after = await _verified(path)
    assert (after.result, after.older_than_key) == (AuditResult.WHOLE, before.lines)
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("UPDATE interaction SET settled_by = 'mallory' WHERE settled_by IS NOT NULL")
        raw.commit()
    assert (await _verified(path)).result is AuditResult.BROKEN


async def _verified(path: Path) -> AuditReport:
    store = SqlStore.sqlite(path, keys=KEYS)
    await store.open()
    try:
        return await store.verify_audit(APP)
    finally:
        await store.close()


async def _sealed(path: Path) -> None:
    store = SqlStore.sqlite(path, keys=KEYS)
    await store.open()
    await store.seal_audit()
    await store.close()
