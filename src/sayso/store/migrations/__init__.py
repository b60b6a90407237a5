"""The schema's history: `upgrade` brings a SQLite file to the newest revision, with alembic; a new
file is made at it."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing

from sayso.core.errors import DatabaseTooNew, InvalidInput
from sayso.store.sqlite_connection import create_all

#: The newest revision. Said here so that an up-to-date database opens without importing alembic.
HEAD = "0018"

# While alembic runs, its `context` is one for the whole process.
_one_at_a_time = threading.Lock()


def upgrade(path: str, *, busy_seconds: float, to: str = HEAD) -> None:
    """Bring the schema up to a revision, in one transaction. Raises DatabaseTooNew, and
    InvalidInput for a database that is not ours."""
    with closing(sqlite3.connect(path, isolation_level=None, timeout=busy_seconds)) as raw:
        if to == HEAD and _is_empty(raw):
            _make(raw)
        revision = _revision(raw)
        if revision is None and not _is_empty(raw):
            raise InvalidInput(
                f"The file {path} is a database of another program.",
                fix="Give Sayso a file, or a folder, of its own.",
            )
        if revision != to:
            with _one_at_a_time:
                _run(raw, to)


def _is_empty(raw: sqlite3.Connection) -> bool:
    return raw.execute("SELECT 1 FROM sqlite_master").fetchone() is None


def _make(raw: sqlite3.Connection) -> None:
    """Make what all revisions come to, unless another process has begun: ten of them, and alembic
    itself, take longer than the rest of a first start."""
    raw.execute("BEGIN IMMEDIATE")
    if _is_empty(raw):
        create_all(raw)
        raw.execute(
            "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL, "
            "CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
        )
        raw.execute("INSERT INTO alembic_version VALUES (?)", (HEAD,))
    raw.execute("COMMIT")


def _revision(raw: sqlite3.Connection) -> str | None:
    has_table = raw.execute(
        "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'alembic_version'"
    ).fetchone()
    if has_table is None:
        return None
    row = raw.execute("SELECT version_num FROM alembic_version").fetchone()
    return str(row[0]) if row is not None else None


def _run(raw: sqlite3.Connection, to: str) -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory
    from sqlalchemy import create_engine
    from sqlalchemy.pool import StaticPool

    config = Config()
    config.set_main_option("script_location", "sayso.store:migrations")
    config.set_main_option("path_separator", "os")
    engine = create_engine(
        "sqlite://", creator=lambda: raw, poolclass=StaticPool, pool_reset_on_return=None
    )
    with engine.connect() as connection:
        # Holds other processes off; SQLite would begin no transaction for DDL by itself.
        raw.execute("BEGIN IMMEDIATE")
        revision = _revision(raw)  # another process may have been first
        known = {s.revision for s in ScriptDirectory.from_config(config).walk_revisions()}
        if revision is not None and revision not in known:
            raise DatabaseTooNew(
                f"The database is at revision {revision}, which this version does not know."
            )
        config.attributes["connection"] = connection
        command.upgrade(config, to)
