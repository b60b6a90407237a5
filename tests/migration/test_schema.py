"""The migrations make exactly the schema that the code speaks to."""

import sqlite3
from contextlib import closing
from pathlib import Path
from threading import Thread

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine
from sqlalchemy.exc import OperationalError

from sayso.store.migrations import HEAD, upgrade
from sayso.store.sqlite import SqliteDriver
from sayso.store.store import SqlStore
from sayso.store.tables import metadata
from sayso.testing.clock import FakeClock
from tests.contract.store.story import Story, approval, form, no


def _scripts() -> ScriptDirectory:
    config = Config()
    config.set_main_option("script_location", "sayso.store:migrations")
    config.set_main_option("path_separator", "os")
    return ScriptDirectory.from_config(config)


def test_the_revision_that_opens_without_alembic_is_the_newest():
    assert _scripts().get_heads() == [HEAD]


def test_migrated_and_made_at_once_are_the_same_schema(tmp_path: Path):
    _step_by_step(tmp_path / "migrated.db")
    upgrade(str(tmp_path / "made.db"), busy_seconds=1)
    migrated, at_once = (_schema(tmp_path / name) for name in ("migrated.db", "made.db"))
    assert migrated == at_once


def test_alembic_sees_nothing_to_migrate(tmp_path: Path):
    _step_by_step(tmp_path / "sayso.db")
    engine = create_engine(f"sqlite:///{tmp_path / 'sayso.db'}")
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    engine.dispose()


def test_an_upgrade_that_fails_leaves_the_file_as_it_was(tmp_path: Path):
    path = tmp_path / "sayso.db"
    upgrade(str(path), busy_seconds=1, to="0012")
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("CREATE TABLE snooze (mine TEXT)")  # as a later revision would
        raw.commit()
    before = _schema(path)
    with pytest.raises(OperationalError, match="snooze"):
        upgrade(str(path), busy_seconds=1)
    assert _schema(path) == before


def test_two_programs_may_open_a_new_file_at_once(tmp_path: Path):
    failures: list[BaseException] = []

    def open_it() -> None:
        # Three of them wait until the first has made it, on a slow disk for seconds.
        driver = SqliteDriver(tmp_path / "sayso.db", time=lambda: 0, busy_seconds=60)
        try:
            driver.open()
            driver.close()
        except BaseException as exc:
            failures.append(exc)

    threads = [Thread(target=open_it) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def _step_by_step(path: Path) -> None:
    """A new file would be made at the newest revision."""
    upgrade(str(path), busy_seconds=1, to="0001")
    upgrade(str(path), busy_seconds=1)


def _schema(path: Path) -> dict[str, list[object]]:
    """Tables with their columns and keys, and indexes as they were written."""
    with closing(sqlite3.connect(path)) as raw:
        names = [
            name for (name,) in raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        schema: dict[str, list[object]] = {
            name: list(raw.execute(f"PRAGMA table_xinfo({name})")) for name in names
        }
        for name in names:
            (sql,) = raw.execute(
                "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", [name]
            ).fetchone()
            schema[name].append("WITHOUT ROWID" in sql)
        indexes = raw.execute("SELECT name, sql FROM sqlite_master WHERE type = 'index'")
        schema |= {name: [" ".join(sql.split()) if sql else None] for name, sql in indexes}
    return schema


async def test_rows_of_the_first_schema_are_found_like_new_ones(tmp_path: Path):
    path, clock = tmp_path / "sayso.db", FakeClock()
    store = SqlStore.sqlite(path, clock=clock)
    await store.open()
    story = Story(store, clock)
    _, waited = await story.waiting(approval("a"), approval("b"), form("f"))
    await story.answer(waited.interactions[0], no(waited.interactions[0], "wrong list"), by="ben")
    await store.close()
    columns = ("tool_name", "decision", "search_text")
    upgrade(str(tmp_path / "first.db"), busy_seconds=1, to="0001")
    with closing(sqlite3.connect(path)) as raw:
        wanted = _found_by(raw, columns)
        raw.execute("ATTACH ? AS first", (str(tmp_path / "first.db"),))
        for (name,) in _beyond_the_first(raw, "table"):
            raw.execute(f"DROP TABLE {name}")
        for (name,) in _beyond_the_first(raw, "index"):
            raw.execute(f"DROP INDEX {name}")
        for table, column in raw.execute(_COLUMNS_BEYOND_THE_FIRST).fetchall():
            raw.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        raw.execute("UPDATE alembic_version SET version_num = '0001'")
        raw.commit()
    upgrade(str(path), busy_seconds=1)
    with closing(sqlite3.connect(path)) as raw:
        assert _found_by(raw, columns) == wanted
    assert any(row[1] == "reject" and "wrong list" in (row[2] or "") for row in wanted)


_COLUMNS_BEYOND_THE_FIRST = """
SELECT t.name, c.name FROM main.sqlite_master t, pragma_table_info(t.name) c
WHERE t.type = 'table' AND c.name NOT IN (SELECT name FROM pragma_table_info(t.name, 'first'))
"""


def _beyond_the_first(raw: sqlite3.Connection, kind: str) -> list[tuple[str]]:
    """What later revisions have made."""
    query = "SELECT name FROM {}.sqlite_master WHERE type = ? AND sql IS NOT NULL"
    both = f"{query.format('main')} EXCEPT {query.format('first')}"
    return raw.execute(both, (kind, kind)).fetchall()


def _found_by(raw: sqlite3.Connection, columns: tuple[str, ...]) -> list[tuple[str | None, ...]]:
    return raw.execute(f"SELECT {', '.join(columns)} FROM interaction ORDER BY id").fetchall()
