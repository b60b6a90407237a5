"""The open transaction of a database: the entities as JSON, an index of words, and who provides
what."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator

import orjson
from pydantic import JsonValue

from sayso.core.digest import JsonObject
from sayso.packs.guided import objects
from sayso.packs.openlca.backend import fold
from sayso.packs.openlca.model import PRODUCT, WASTE

_SCHEMA = """
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE entity (
  number INTEGER PRIMARY KEY, type TEXT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL,
  folded TEXT NOT NULL, category TEXT NOT NULL, flow_type TEXT, json BLOB NOT NULL,
  UNIQUE (type, id));
CREATE INDEX entity_by_name ON entity (type, folded);
CREATE VIRTUAL TABLE words USING fts5 (name, category, tokenize = "unicode61 remove_diacritics 2",
  prefix = '2 3');
CREATE TABLE provides (flow_id TEXT NOT NULL, process_id TEXT NOT NULL,
  PRIMARY KEY (flow_id, process_id)) WITHOUT ROWID;
CREATE INDEX provides_by_process ON provides (process_id);
CREATE TABLE written (key TEXT PRIMARY KEY, result BLOB NOT NULL) WITHOUT ROWID;
"""


class Writer:
    """The open transaction of a database."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    @property
    def is_new(self) -> bool:
        return not self.connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()

    @property
    def is_empty(self) -> bool:
        return not self.connection.execute("SELECT 1 FROM entity LIMIT 1").fetchone()

    def make_tables(self) -> None:
        for statement in _SCHEMA.split(";\n"):
            if statement.strip():
                self.connection.execute(statement)

    def get(self, kind: str, id_: str) -> JsonObject | None:
        return get_entity(self.connection, kind, id_)

    def version_of(self, kind: str, id_: str) -> str:
        body = self.get(kind, id_)
        return hash_of(orjson.dumps(body)) if body is not None else ""

    def put_all(self, kind: str, entities: Iterable[JsonObject]) -> None:
        for entity in entities:
            self.put(kind, entity)

    def put(self, kind: str, entity: JsonObject) -> None:
        """Insert, or replace what has this id."""
        id_, name = str(entity["@id"]), str(entity.get("name") or "")
        category = str(entity.get("category") or "")
        flow_type = entity.get("flowType")
        row = self.connection.execute(
            "INSERT INTO entity (type, id, name, folded, category, flow_type, json)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (type, id) DO UPDATE SET name = excluded.name, folded = excluded.folded,"
            " category = excluded.category, flow_type = excluded.flow_type, json = excluded.json"
            " RETURNING number",
            (kind, id_, name, fold(name), category, flow_type, orjson.dumps(entity)),
        ).fetchone()
        if kind == "Flow":
            self.connection.execute("DELETE FROM words WHERE rowid = ?", row)
            self.connection.execute(
                "INSERT INTO words (rowid, name, category) VALUES (?, ?, ?)",
                (row[0], name, category),
            )
        if kind == "Process":
            self.connection.execute("DELETE FROM provides WHERE process_id = ?", (id_,))
            self.connection.executemany(
                "INSERT OR IGNORE INTO provides VALUES (?, ?)",
                [(flow_id, id_) for flow_id in self._provided(entity)],
            )

    def delete(self, kind: str, id_: str) -> bool:
        row = self.connection.execute(
            "DELETE FROM entity WHERE type = ? AND id = ? RETURNING number", (kind, id_)
        ).fetchone()
        if row is None:
            return False
        self.connection.execute("DELETE FROM words WHERE rowid = ?", row)
        if kind == "Process":
            self.connection.execute("DELETE FROM provides WHERE process_id = ?", (id_,))
        return True

    def _provided(self, process: JsonObject) -> Iterator[str]:
        """Yield the flows that a process provides: products that leave it, wastes it takes in."""
        for exchange in objects(process.get("exchanges")):
            flow = exchange.get("flow")
            if not isinstance(flow, dict):
                continue
            if exchange.get("isAvoidedProduct"):
                continue
            kind = flow.get("flowType") or self._flow_type(str(flow.get("@id")))
            if kind == (WASTE if exchange.get("isInput") else PRODUCT):
                yield str(flow.get("@id"))

    def _flow_type(self, flow_id: str) -> JsonValue:
        row = self.connection.execute(
            "SELECT flow_type FROM entity WHERE type = 'Flow' AND id = ?", (flow_id,)
        ).fetchone()
        return row[0] if row else None


def get_entity(connection: sqlite3.Connection, kind: str, id_: str) -> JsonObject | None:
    return first_json(connection, "SELECT json FROM entity WHERE type = ? AND id = ?", kind, id_)


def first_json(connection: sqlite3.Connection, query: str, *values: str) -> JsonObject | None:
    row = connection.execute(query, values).fetchone()
    found: JsonObject | None = orjson.loads(row[0]) if row else None
    return found


def hash_of(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()[:16]
