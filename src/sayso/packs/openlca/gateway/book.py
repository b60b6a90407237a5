"""Which of the same calls is meant: one that is tried again is the one before, until its outcome
has reached whoever made it. Then the same words mean a new call."""

from __future__ import annotations

import sqlite3
import uuid
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import orjson

_SCHEMA = """
CREATE TABLE IF NOT EXISTS book (id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS call (digest TEXT PRIMARY KEY, times INTEGER NOT NULL, before BLOB)
  WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class Entry:
    digest: str
    #: Another book knows nothing of what was asked by this one.
    book: str
    #: How often it was made, and its outcome was told.
    times: int
    #: What was there before it was sent; None where it was not sent yet.
    before: list[str] | None

    @property
    def key(self) -> str:
        return f"openlca:{self.book}:{self.digest}:{self.times}"


class Book:
    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        with self._connection() as connection:
            connection.executescript(_SCHEMA)
            with connection:
                connection.execute(
                    "INSERT INTO book SELECT ? WHERE NOT EXISTS (SELECT 1 FROM book)",
                    (uuid.uuid4().hex,),
                )
            [self._id] = connection.execute("SELECT id FROM book").fetchone()

    def entry(self, digest: str) -> Entry:
        with self._connection() as connection:
            row = connection.execute(
                "SELECT times, before FROM call WHERE digest = ?", (digest,)
            ).fetchone()
        if row is None:
            return Entry(digest, self._id, 0, None)
        before = orjson.loads(row[1]) if row[1] is not None else None
        return Entry(digest, self._id, int(row[0]), before)

    def sending(self, entry: Entry, before: list[str]) -> None:
        with self._connection() as connection, connection:
            connection.execute(
                "INSERT INTO call VALUES (?, ?, ?) ON CONFLICT (digest)"
                " DO UPDATE SET before = excluded.before WHERE before IS NULL",
                (entry.digest, entry.times, orjson.dumps(before)),
            )

    def told(self, entry: Entry) -> None:
        """The outcome has reached its caller."""
        with self._connection() as connection, connection:
            connection.execute(
                "INSERT INTO call VALUES (?, ? + 1, NULL) ON CONFLICT (digest)"
                " DO UPDATE SET times = times + 1, before = NULL WHERE times = ?",
                (entry.digest, entry.times, entry.times),
            )

    def _connection(self) -> closing[sqlite3.Connection]:
        return closing(sqlite3.connect(self._path, timeout=30))
