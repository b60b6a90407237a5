"""The order book of the demo shop: a small real SQLite file, made at its first use.

The shop sells boxes by the month. When a box has been paid back in full, the customer's next one is
what the order is about: so the shop never runs dry, and still pays nothing back twice.
"""

from __future__ import annotations

import datetime
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

_VERSION = 1
_SCHEMA = """
CREATE TABLE customers (customer_id TEXT PRIMARY KEY, name TEXT NOT NULL, card TEXT NOT NULL);
CREATE TABLE orders (
  order_id TEXT PRIMARY KEY, customer_id TEXT NOT NULL REFERENCES customers, box TEXT NOT NULL,
  status TEXT NOT NULL, street TEXT NOT NULL, city TEXT NOT NULL, postcode TEXT NOT NULL,
  delivery_date TEXT, instructions TEXT NOT NULL DEFAULT '');
CREATE TABLE items (
  order_id TEXT NOT NULL REFERENCES orders, name TEXT NOT NULL, quantity INTEGER NOT NULL,
  cents INTEGER NOT NULL, PRIMARY KEY (order_id, name));
CREATE TABLE refunds (
  refund_key TEXT PRIMARY KEY, order_id TEXT NOT NULL REFERENCES orders,
  box_number INTEGER NOT NULL,
  cents INTEGER NOT NULL, reason TEXT NOT NULL);
CREATE TABLE labels (
  label_key TEXT PRIMARY KEY, order_id TEXT NOT NULL REFERENCES orders, carrier TEXT NOT NULL);
"""

#: The day on which the dates of orders.json are right; the book that is made has them as far from
#: its own.
_WRITTEN = datetime.date(2026, 3, 16)

#: Whose orders are "my orders": the person at the desk.
ME = "Mara Lindqvist"


class NoSuchOrder(Exception):
    """There is no order with this number."""


class BookMoved(Exception):
    """Since it was looked up, someone else has paid something back for this box."""


@dataclass(frozen=True, slots=True)
class Item:
    name: str
    quantity: int
    cents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    order_id: str
    customer: str
    card: str
    box: str
    #: Which of the monthly boxes this is about: the first that is not paid back in full.
    box_number: int
    status: str
    street: str
    city: str
    postcode: str
    delivery_date: str | None
    instructions: str
    items: tuple[Item, ...]
    #: Paid back for this box already.
    refunded_cents: int

    @property
    def paid_cents(self) -> int:
        return sum(item.quantity * item.cents for item in self.items)

    @property
    def left_cents(self) -> int:
        return self.paid_cents - self.refunded_cents


@dataclass(frozen=True, slots=True)
class OrderBook:
    """All that the support desk's tools do with the file. Each method is one transaction."""

    path: Path

    def order(self, order_id: str) -> Order:
        """Raises NoSuchOrder."""
        with self._open() as db:
            return _order(db, order_id)

    def orders(self, customer: str | None = None) -> list[Order]:
        with self._open() as db:
            rows = db.execute("SELECT order_id FROM orders ORDER BY order_id").fetchall()
            found = [_order(db, order_id) for (order_id,) in rows]
        return [order for order in found if customer in (None, order.customer)]

    def refund(self, key: str, order_id: str, box_number: int, cents: int, reason: str) -> Order:
        """Pay back, once for each key. The same key again changes nothing.

        Raises BookMoved when this box has less left than that, NoSuchOrder.
        """
        with self._open() as db:
            order = _order(db, order_id)
            if db.execute("SELECT 1 FROM refunds WHERE refund_key = ?", (key,)).fetchone():
                return order
            if order.box_number != box_number or cents > order.left_cents:
                raise BookMoved(f"{order_id} has other refunds by now")
            row = (key, order_id, box_number, cents, reason)
            db.execute("INSERT INTO refunds VALUES (?, ?, ?, ?, ?)", row)
            return _order(db, order_id)

    def refunds(self) -> list[tuple[str, int]]:
        """Return every refund ever made, as (order_id, cents), oldest first."""
        with self._open() as db:
            return db.execute("SELECT order_id, cents FROM refunds ORDER BY rowid").fetchall()

    def deliver_to(
        self,
        order_id: str,
        *,
        street: str,
        city: str,
        postcode: str,
        delivery_date: str,
        instructions: str,
    ) -> Order:
        """Raises NoSuchOrder."""
        with self._open() as db:
            db.execute(
                "UPDATE orders SET street = ?, city = ?, postcode = ?, delivery_date = ?,"
                " instructions = ? WHERE order_id = ?",
                (street, city, postcode, delivery_date, instructions, order_id),
            )
            return _order(db, order_id)

    def add_label(self, key: str, order_id: str, carrier: str) -> None:
        """A label for sending the box back, once for each key. Raises NoSuchOrder."""
        with self._open() as db:
            _order(db, order_id)
            row = (key, order_id, carrier)
            db.execute("INSERT INTO labels VALUES (?, ?, ?) ON CONFLICT DO NOTHING", row)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(self.path, timeout=10, isolation_level=None)) as db:
            # From the start a writer, so that nothing can change between a look and what follows.
            db.execute("BEGIN IMMEDIATE")
            _make(db)
            try:
                yield db
            except BaseException:
                db.execute("ROLLBACK")
                raise
            db.execute("COMMIT")


def euros(cents: int) -> str:
    return f"€{cents / 100:.2f}"


def _make(db: sqlite3.Connection) -> None:
    if db.execute("PRAGMA user_version").fetchone()[0] == _VERSION:
        return
    for statement in _SCHEMA.split(";"):
        db.execute(statement)
    known = json.loads(files(__package__).joinpath("orders.json").read_bytes())
    db.executemany("INSERT INTO customers VALUES (:customer_id, :name, :card)", known["customers"])
    later = datetime.datetime.now(datetime.UTC).date() - _WRITTEN
    for order in known["orders"]:
        if order["delivery_date"] is not None:
            date = datetime.date.fromisoformat(order["delivery_date"])
            order["delivery_date"] = (date + later).isoformat()
        db.execute(
            "INSERT INTO orders VALUES (:order_id, :customer_id, :box, :status, :street, :city,"
            " :postcode, :delivery_date, '')",
            order,
        )
        items = [{"order_id": order["order_id"], **item} for item in order["items"]]
        db.executemany("INSERT INTO items VALUES (:order_id, :name, :quantity, :cents)", items)
    db.execute(f"PRAGMA user_version = {_VERSION}")


def _order(db: sqlite3.Connection, order_id: str) -> Order:
    cursor = db.cursor()
    cursor.row_factory = sqlite3.Row
    row = cursor.execute(
        "SELECT order_id, name AS customer, card, box, status, street, city, postcode,"
        " delivery_date, instructions"
        " FROM orders JOIN customers USING (customer_id) WHERE order_id = ?",
        (order_id,),
    ).fetchone()
    if row is None:
        raise NoSuchOrder(f"There is no order {order_id}.")
    lines = db.execute("SELECT name, quantity, cents FROM items WHERE order_id = ?", (order_id,))
    items = tuple(Item(*line) for line in lines)
    paid = sum(item.quantity * item.cents for item in items)
    total = "SELECT coalesce(sum(cents), 0) FROM refunds WHERE order_id = ?"
    (refunded,) = db.execute(total, (order_id,)).fetchone()
    return Order(
        **row, box_number=refunded // paid + 1, items=items, refunded_cents=refunded % paid
    )
