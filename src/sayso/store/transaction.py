"""A transaction is a generator: it yields statements, receives rows, and does not know who runs it.

A driver runs it whole: on SQLite synchronously on the writer's thread, on PostgreSQL awaiting each
statement. If it raises, nothing of it is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert as _insert
from sqlalchemy.dialects.postgresql.dml import Insert
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler

from sayso.core.audit import AuditKeys

T = TypeVar("T")


class Row(Protocol):
    """A row as `sqlite3.Row` and `asyncpg.Record` both give it."""

    def __getitem__(self, column: str, /) -> Any: ...


class Statement:
    """One statement, built once when its module is imported and compiled once per driver.

    A driver keeps what it compiled under this object's identity.
    """

    __slots__ = ("core",)

    def __init__(self, core: sa.ClauseElement) -> None:
        self.core = core


Step = tuple[Statement, Mapping[str, object]]
Rows = Sequence[Row]
Transaction = Generator[Step, Rows, T]


#: Asked of the driver, which never tells the database: the key that audit lines are written with.
AUDIT_KEYS = Statement(sa.null())


def audit_keys() -> Transaction[AuditKeys]:
    found = yield AUDIT_KEYS, {}
    keys = found[0]["keys"]
    assert isinstance(keys, AuditKeys)
    return keys


#: Rows per statement: enough for any transaction of a person, few enough to keep each form
#: compiled.
CHUNK = 20


class Driver(Protocol):
    """Runs transactions on one kind of database."""

    def open(self) -> None: ...
    def close(self) -> None: ...
    async def write(self, transaction: Transaction[T]) -> T: ...
    async def read(self, transaction: Transaction[T]) -> T: ...
    def write_blocking(self, transaction: Transaction[T]) -> T: ...
    async def check(self, touch: Callable[[], Transaction[None]]) -> None: ...
    def look(self) -> None: ...
    def hold_worker_role(self) -> bool: ...
    async def others_wrote(self) -> bool: ...


def rows(statement: Statement, **params: object) -> Transaction[Rows]:
    return (yield statement, params)


def one(statement: Statement, **params: object) -> Transaction[Row | None]:
    found = yield statement, params
    return found[0] if found else None


def execute(statement: Statement, **params: object) -> Transaction[None]:
    yield statement, params


def param(name: str, type_: type[sa.types.TypeEngine[Any]] | None = None) -> sa.BindParameter[Any]:
    """Return a parameter, with its type where no column beside it tells. It must not share a
    column's name in an UPDATE's table."""
    return sa.bindparam(name, type_=type_, required=False)


def chunks(parts: Sequence[T], size: int = CHUNK) -> Iterator[Sequence[T]]:
    for start in range(0, len(parts), size):
        yield parts[start : start + size]


def one_of(column: sa.ColumnElement[Any], count: int) -> sa.ColumnElement[bool]:
    """Return that a column holds one of as many values, whose parameters `ids` gives."""
    return column.in_([param(f"id_{n}") for n in range(count)])


def ids(values: Iterable[str]) -> dict[str, object]:
    """Return the parameters of `one_of` for these values."""
    return {f"id_{n}": value for n, value in enumerate(values)}


def in_state(column: sa.ColumnElement[str], *states: str) -> sa.ColumnElement[bool]:
    """Return that a column holds one of these constants."""
    return column.in_([literal(state) for state in states])


def literal(value: str) -> sa.ColumnElement[str]:
    """Return a constant, written into the statement: a partial index is used only where its
    condition stands there literally."""
    return sa.literal_column(f"'{value}'", sa.Text)


def update(table: sa.Table, columns: Iterable[str]) -> sa.Update:
    """Return an UPDATE that sets each of these columns to the parameter of its name."""
    return sa.update(table).values({name: param(name) for name in columns})


def insert(table: sa.Table) -> Insert:
    """Return an INSERT that may say ON CONFLICT; both databases spell it alike."""
    return _insert(table)


def insert_many(table: sa.Table, count: int) -> Insert:
    """Return an INSERT of `count` rows; the parameters of row n are called `column_n`."""
    return insert(table).values(
        [{c.name: sa.bindparam(f"{c.name}_{n}") for c in table.c} for n in range(count)]
    )


def upsert(statement: Insert, table: sa.Table) -> Insert:
    """Return the same INSERT, replacing the row that has this primary key."""
    return statement.on_conflict_do_update(
        index_elements=list(table.primary_key.columns),
        set_={c.name: statement.excluded[c.name] for c in table.c if not c.primary_key},
    )


def numbered(records: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """Return the parameters of `insert_many` for these rows."""
    return {
        f"{name}_{n}": value for n, record in enumerate(records) for name, value in record.items()
    }


class db_now(sa.sql.functions.FunctionElement[int]):  # reads as the SQL function it is
    """The database's clock, in microseconds: leases are measured by it and by nothing else."""

    type = sa.BigInteger()
    inherit_cache = True


@compiles(db_now, "sqlite")
def _sqlite_now(_element: db_now, _compiler: SQLCompiler, **_kw: Any) -> str:
    # The driver registers the function; as a subquery it is asked once per statement.
    return "(SELECT sayso_now())"


@compiles(db_now, "postgresql")
def _postgresql_now(_element: db_now, _compiler: SQLCompiler, **_kw: Any) -> str:
    return "(extract(epoch from clock_timestamp()) * 1000000)::bigint"
