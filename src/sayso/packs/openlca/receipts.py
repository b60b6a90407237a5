"""What was sent to an openLCA under which key, in a file of ours: before it is sent, and when it is
known to be there."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import orjson

from sayso.core.digest import JsonObject

_SCHEMA = """
CREATE TABLE IF NOT EXISTS receipt (key TEXT PRIMARY KEY, sent BLOB NOT NULL, result BLOB NOT NULL,
  is_there INTEGER NOT NULL DEFAULT 0, times_away INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID
"""

#: The type and the entity.
Put = tuple[str, JsonObject]


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was sent, if anything was yet, and what its call returns once it is there."""

    puts: list[Put]
    result: JsonObject
    is_there: bool
    times_away: int


class Receipts:
    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        with self._connection() as connection:
            connection.execute(_SCHEMA)

    def get(self, key: str) -> Receipt | None:
        with self._connection() as connection:
            row = connection.execute(
                "SELECT sent, result, is_there, times_away FROM receipt WHERE key = ?", (key,)
            ).fetchone()
        if row is None:
            return None
        puts = [(str(kind), entity) for kind, entity in orjson.loads(row[0])]
        return Receipt(puts, orjson.loads(row[1]), bool(row[2]), int(row[3]))

    def sending(self, key: str, puts: list[Put], result: JsonObject) -> None:
        """Keep what is about to be sent."""
        self._write(
            "INSERT INTO receipt (key, sent, result) VALUES (?, ?, ?)"
            " ON CONFLICT (key) DO UPDATE SET sent = excluded.sent, result = excluded.result",
            (key, orjson.dumps(puts), orjson.dumps(result)),
        )

    def is_there(self, key: str) -> None:
        self._write("UPDATE receipt SET is_there = 1 WHERE key = ?", (key,))

    def was_away(self, key: str) -> None:
        self._write(
            "INSERT INTO receipt (key, sent, result, times_away) VALUES (?, '[]', '{}', 1)"
            " ON CONFLICT (key) DO UPDATE SET times_away = times_away + 1",
            (key,),
        )

    def _write(self, statement: str, values: tuple[str | bytes, ...]) -> None:
        with self._connection() as connection, connection:
            connection.execute(statement, values)

    def _connection(self) -> closing[sqlite3.Connection]:
        return closing(sqlite3.connect(self._path, timeout=30))
