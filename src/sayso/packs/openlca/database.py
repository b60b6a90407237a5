"""One openLCA database in one SQLite file: the entities as they are in schema 2, an index to find
them by words, and who provides which flow."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import orjson

from sayso.core.digest import JsonObject
from sayso.packs.openlca.backend import Backend, Changes, Provider, View, fold
from sayso.packs.openlca.model import (
    PRODUCT,
    EntityT,
    Flow,
    Process,
    Stored,
)
from sayso.packs.openlca.writer import Writer, first_json, get_entity, hash_of

#: The database that is filled with invented processes, and what every name of it says.
DEMO, SYNTHETIC = "demo", "synthetic demo data"


class Database(Backend):
    """Each call is a transaction of its own."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def label(self) -> str:
        return f"{self.name} ({SYNTHETIC})" if self.name == DEMO else self.name

    @classmethod
    def create(cls, path: Path, fill: Callable[[Writer], None] | None = None) -> Database:
        """Make a new one, whole or not at all. Where it exists, return it as it is."""
        made = cls(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with made._connection() as connection:
            connection.execute("PRAGMA journal_mode = WAL")
        with made.writing() as writer:
            if writer.is_new:
                writer.make_tables()
                if fill is not None:
                    fill(writer)
        return made

    # ── reading ──

    def get(self, kind: str, id_: str) -> JsonObject | None:
        with self._connection() as connection:
            return get_entity(connection, kind, id_)

    @contextmanager
    def reading(self) -> Iterator[Reader]:
        with self._connection() as connection:
            connection.execute("BEGIN")
            yield Reader(connection)

    def named(self, model: type[EntityT], name: str) -> list[EntityT]:
        with self._connection() as connection:
            rows = connection.execute(
                "SELECT json FROM entity WHERE type = ? AND folded = ? ORDER BY number",
                (model.__name__, fold(name)),
            ).fetchall()
        return [model.model_validate(orjson.loads(row[0])) for row in rows]

    def everything(self, kind: str | None = None) -> Iterator[tuple[str, JsonObject]]:
        """Yield (type, entity), in the order in which they were first put."""
        where, values = ("WHERE type = ?", (kind,)) if kind is not None else ("", ())
        with self._connection() as connection:
            rows = connection.execute(
                f"SELECT type, json FROM entity {where} ORDER BY number", values
            )
            for found, body in rows:
                yield found, orjson.loads(body)

    def first_named(self, kind: str, name: str) -> JsonObject | None:
        """Return the first that was put of exactly this name."""
        with self._connection() as connection:
            return first_json(
                connection,
                "SELECT json FROM entity WHERE type = ? AND folded = ? AND name = ?"
                " ORDER BY number LIMIT 1",
                kind,
                fold(name),
                name,
            )

    def provided(self, flow_id: str | None = None) -> list[tuple[str, Provider]]:
        """Return (flow id, provider) for this flow, or for all."""
        with self.reading() as reader:
            flows = [flow_id] if flow_id is not None else reader.provided()
            return [(one, provider) for one in flows for provider in reader.providers(one)]

    def counts(self) -> dict[str, int]:
        with self._connection() as connection:
            rows = connection.execute("SELECT type, count(*) FROM entity GROUP BY type ORDER BY 1")
            return {str(kind): int(number) for kind, number in rows}

    def search_flows(
        self, query: str, *, category: str = "", limit: int, offset: int
    ) -> tuple[int, list[Flow]]:
        terms = re.findall(r"\w+", query)
        match = " AND ".join(f'"{term}"*' for term in terms)
        wanted = ["e.type = 'Flow'", "e.flow_type = ?"]
        values: list[str | int] = [PRODUCT]
        if category:
            wanted.append("instr(lower(e.category), lower(?)) > 0")
            values.append(category)
        source, order = "entity e", "e.folded"
        if match:
            # CROSS JOIN: the words come first, then what they lead to.
            source = "words w CROSS JOIN entity e ON e.number = w.rowid"
            wanted.append("words MATCH ?")
            values.append(match)
            order = "e.folded <> ?, instr(e.folded, ?) <> 1, bm25(words, 4.0, 1.0), e.folded"
        where = " AND ".join(wanted)
        ranked = [fold(query)] * 2 if match else []
        with self._connection() as connection:
            [total] = connection.execute(
                f"SELECT count(*) FROM {source} WHERE {where}", values
            ).fetchone()
            rows = connection.execute(
                f"SELECT e.json FROM {source} WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?",
                [*values, *ranked, limit, offset],
            ).fetchall()
            return int(total), [Flow.model_validate(orjson.loads(row[0])) for row in rows]

    def written(self, key: str) -> JsonObject | None:
        with self._connection() as connection:
            return _written(connection, key)

    # ── writing ──

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """One transaction: all of it, or nothing."""
        with self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield Writer(connection)
            except BaseException:
                connection.rollback()
                raise
            connection.commit()

    def write_once(self, key: str, write: Callable[[Changes], JsonObject]) -> JsonObject:
        with self.writing() as writer:
            before = _written(writer.connection, key)
            if before is not None:
                return before
            result = write(writer)
            writer.connection.execute(
                "INSERT INTO written VALUES (?, ?)", (key, orjson.dumps(result))
            )
            return result

    def _connection(self) -> closing[sqlite3.Connection]:
        return closing(sqlite3.connect(self.path, timeout=30, isolation_level=None))


class Reader(View):
    """The database as one transaction sees it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._found: dict[tuple[str, str], Stored | None] = {}
        self._providers: dict[str, list[Provider]] = {}

    def read(self, model: type[EntityT], id_: str) -> EntityT | None:
        key = (model.__name__, id_)
        if key not in self._found:
            body = get_entity(self._connection, *key)
            self._found[key] = model.model_validate(body) if body is not None else None
        found = self._found[key]
        return found if isinstance(found, model) else None

    def all(self, model: type[EntityT]) -> list[EntityT]:
        rows = self._connection.execute(
            "SELECT json FROM entity WHERE type = ? ORDER BY number", (model.__name__,)
        )
        return [model.model_validate(orjson.loads(row[0])) for row in rows]

    def providers(self, flow_id: str) -> list[Provider]:
        if flow_id not in self._providers:
            rows = self._connection.execute(
                "SELECT e.id FROM provides p JOIN entity e ON e.type = 'Process'"
                " AND e.id = p.process_id WHERE p.flow_id = ? ORDER BY e.number",
                (flow_id,),
            ).fetchall()
            found = (self.read(Process, id_) for [id_] in rows)
            self._providers[flow_id] = [Provider.of(one) for one in found if one]
        return self._providers[flow_id]

    def provided(self) -> list[str]:
        """Return the ids of all flows that somebody provides."""
        rows = self._connection.execute("SELECT DISTINCT flow_id FROM provides")
        return [id_ for [id_] in rows]

    def version_of(self, kind: str, id_: str) -> str:
        row = self._connection.execute(
            "SELECT json FROM entity WHERE type = ? AND id = ?", (kind, id_)
        ).fetchone()
        return hash_of(row[0]) if row else ""


def _written(connection: sqlite3.Connection, key: str) -> JsonObject | None:
    return first_json(connection, "SELECT result FROM written WHERE key = ?", key)
