"""What one transaction adds to one chat: events, the items they change, audit lines, the new head.

A verb adds to the log in memory as it decides; `flush` writes all of it at once, so that a
transaction costs the same few statements however much it tells.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import cache
from typing import Literal

import sqlalchemy as sa

from sayso.core.audit import AuditLine
from sayso.core.chat_view import ArtifactItem, Item
from sayso.core.digest import JsonObject
from sayso.core.events import ArtifactChanged, ChatEvent, EventData, RunMoved
from sayso.core.feed import Frame
from sayso.core.reducers import reduce_head, reduce_item, targets_of
from sayso.store import audited_rows, tables
from sayso.store.codec import dump, dump_model, encode, micros
from sayso.store.mapping import (
    ITEM_COLUMNS,
    ChatRow,
    item_from,
    item_record,
)
from sayso.store.search_text import searchable
from sayso.store.transaction import (
    Statement,
    Transaction,
    audit_keys,
    chunks,
    execute,
    ids,
    in_state,
    insert_many,
    literal,
    numbered,
    one,
    one_of,
    param,
    rows,
    update,
    upsert,
)


@dataclass(frozen=True, slots=True)
class _AuditLine:
    action: str
    subject: str
    actor: str | None
    body: JsonObject
    #: The row that this line tells of, for which it vouches.
    row: JsonObject | None


class ChatLog:
    """The end of a chat's log, held by one transaction that has the chat's row locked."""

    def __init__(self, chat: ChatRow, now: datetime) -> None:
        self.chat, self.now = chat, now
        #: Child runs that this transaction has taken out of their workers' hands.
        self.stopped: list[str] = []
        #: Whether a child run has moved or been born, or a card of a run that goes on waiting has
        #: been settled: the chat tells how the whole tree stands.
        self.tree_moved = False
        self._events: list[ChatEvent] = []
        self._lines: list[_AuditLine] = []
        self._known: dict[tuple[str, str], Item | None] = {}

    @property
    def next_seq(self) -> int:
        return self.chat.head.seq + len(self._events) + 1

    def add(self, data: EventData, *, by: str | None = None, new: bool = False) -> None:
        """Append an event. `new` says that it makes an item whose id has just been invented."""
        for target in targets_of(data) if new else ():
            self._known.setdefault(target, None)
        self._events.append(ChatEvent(seq=self.next_seq, at=self.now, data=data, by=by))

    def keep_item(self, item: Item) -> None:
        """Take an item that has been read already, so that it is not read again."""
        self._known[item.kind, item.id] = item

    def read(self, item_ids: Collection[str]) -> Transaction[None]:
        """Read these items, as far as they are there: `item` returns them from here on."""
        for part in chunks(sorted(item_ids)):
            wanted = _items_by_id(len(part))
            found = yield from rows(wanted, app=self.chat.app_id, chat=self.chat.id, **ids(part))
            for row in found:
                self.keep_item(item_from(row))

    def item(self, kind: str, item_id: str) -> Item | None:
        """Return an item that was read, as it is after `flush`."""
        return self._known.get((kind, item_id))

    def audit(
        self,
        action: str,
        subject: str,
        *,
        actor: str | None,
        body: JsonObject,
        row: JsonObject | None = None,
    ) -> None:
        """Add a line. It vouches for `row`, as `audited_rows` gives it, which may hold what people
        must not read: a keyed hash tells nothing of it."""
        self._lines.append(_AuditLine(action, subject, actor, body, row))

    def flush(self) -> Transaction[list[Frame]]:
        """Write everything that was added. Return the frames that tell it, each encoded once."""
        if self.tree_moved:
            yield from self._add_tree_event()
        if not self._events and not self._lines:
            return []
        changed = yield from self._changed_items()
        frames = [
            Frame(self.chat.id, event.seq, event, encode(event.as_json())) for event in self._events
        ]
        yield from self._write_events(frames)
        yield from _write(
            _upsert_items, [item_record(self.chat.app_id, self.chat.id, item) for item in changed]
        )
        yield from self._write_chat()
        self._events, self._lines = [], []
        return frames

    def _add_tree_event(self) -> Transaction[None]:
        """Tell a run that waits for its children alone as running: "waiting" means that people are
        asked."""
        self.tree_moved = False
        root = yield from one(_ROOT, app=self.chat.app_id, chat=self.chat.id)
        if root is None or root["state"] != "waiting":
            return  # its own move is told
        status: Literal["running", "waiting"] = "waiting" if root["pending"] else "running"
        told = [event.data for event in self._events if isinstance(event.data, RunMoved)]
        known = self.chat.head.run
        last = told[-1].status if told else known.status if known is not None else None
        if last != status:
            self.add(RunMoved(run_id=root["id"], task_id=root["task_id"], status=status))

    def _changed_items(self) -> Transaction[list[Item]]:
        wanted = {target for event in self._events for target in targets_of(event.data)}
        yield from self.read({item_id for _, item_id in wanted - self._known.keys()})
        changed: dict[tuple[str, str], Item] = {}
        for place, added in enumerate(self._events):
            for target in targets_of(added.data):
                event = self._events[place] = _numbered(added, self._known.get(target))
                new = reduce_item(self._known.get(target), event)
                if new is not None and new is not self._known.get(target):
                    self._known[target] = changed[target] = new
        return list(changed.values())

    def _write_events(self, frames: Sequence[Frame]) -> Transaction[None]:
        yield from _write(
            _insert_events,
            [
                {
                    "app_id": self.chat.app_id,
                    "chat_id": self.chat.id,
                    "seq": event.seq,
                    "type": event.type,
                    "at": micros(event.at),
                    "by": event.by,
                    "body": frame.json.decode(),
                }
                for event, frame in zip(self._events, frames, strict=True)
            ],
        )

    def _write_chat(self) -> Transaction[None]:
        head = self.chat.head
        for event in self._events:
            head = reduce_head(head, event)
        number, last = yield from self._write_audit()
        yield from execute(
            UPDATE_CHAT,
            app=self.chat.app_id,
            chat=self.chat.id,
            last_seq=head.seq,
            head=dump_model(head),
            search_title=searchable(head.title),
            audit_number=number,
            audit_hash=last,
            updated_at=micros(self.now),
        )
        self.chat = replace(self.chat, head=head, audit_number=number, audit_hash=last)

    def _write_audit(self) -> Transaction[tuple[int, str]]:
        """Lengthen the chain. Return the number and the hash of its last link."""
        number, last = self.chat.audit_number, self.chat.audit_hash
        if not self._lines:
            return number, last
        key = (yield from audit_keys()).current
        records: list[dict[str, object]] = []
        for said in self._lines:
            number += 1
            vouched: JsonObject = {"row": audited_rows.seal(said.row, key)} if said.row else {}
            line = AuditLine(
                app_id=self.chat.app_id,
                chat_id=self.chat.id,
                number=number,
                at=self.now,
                actor=said.actor,
                action=said.action,
                subject=said.subject,
                body=dump(said.body | vouched),
            )
            last = line.link(last, key)
            records.append(asdict(line) | {"at": micros(line.at), "hash": last, "key_id": key.id})
        yield from _write(_insert_audit, records)
        return number, last


_r, _i = tables.run.c, tables.interaction.c
#: The one open run of a chat that is nobody's child.
OPEN_ROOT = sa.and_(
    _r.app_id == param("app"),
    _r.chat_id == param("chat"),
    in_state(_r.state, "ready", "running", "waiting"),
    _r.parent_run_id.is_(None),
)
_ROOT = Statement(
    sa.select(
        _r.id,
        _r.task_id,
        _r.state,
        sa.select(sa.func.count())
        .where(
            _i.app_id == param("app"), _i.chat_id == param("chat"), _i.state == literal("pending")
        )
        .scalar_subquery()
        .label("pending"),
    ).where(OPEN_ROOT)
)
_HEAD_COLUMNS = ("last_seq", "head", "search_title", "audit_number", "audit_hash", "updated_at")
UPDATE_CHAT = Statement(
    update(tables.chat, _HEAD_COLUMNS).where(
        tables.chat.c.app_id == param("app"), tables.chat.c.id == param("chat")
    )
)


@cache
def _items_by_id(count: int) -> Statement:
    c = tables.item.c
    return Statement(
        sa.select(*ITEM_COLUMNS).where(
            c.app_id == param("app"),
            c.chat_id == param("chat"),
            # The kinds are named so that the primary key can be used to its end.
            in_state(c.kind, "message", "tool_call", "artifact"),
            one_of(c.id, count),
        )
    )


@cache
def _insert_events(count: int) -> Statement:
    return Statement(insert_many(tables.event, count))


@cache
def _upsert_items(count: int) -> Statement:
    return Statement(upsert(insert_many(tables.item, count), tables.item))


@cache
def _insert_audit(count: int) -> Statement:
    columns = [c for c in tables.audit.c if c.name != "position"]
    return Statement(
        sa.insert(tables.audit).values(
            [{c.name: sa.bindparam(f"{c.name}_{n}") for c in columns} for n in range(count)]
        )
    )


def _write(
    make: Callable[[int], Statement], records: Sequence[Mapping[str, object]]
) -> Transaction[None]:
    for part in chunks(records):
        yield from execute(make(len(part)), **numbered(part))


def _numbered(event: ChatEvent, known: Item | None) -> ChatEvent:
    """Give an artifact of version 0 the next one: its agent cannot know what people changed."""
    if not isinstance(event.data, ArtifactChanged) or event.data.version != 0:
        return event
    current = known.version if isinstance(known, ArtifactItem) else 0
    data = event.data.model_copy(update={"version": current + 1})
    return ChatEvent(seq=event.seq, at=event.at, data=data, by=event.by)
