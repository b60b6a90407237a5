"""A client's place in one chat: what it missed, the texts being written, then all that happens.

Every transport reads a chat through this. It subscribes before its first read, gives events without
a gap and without a repeat (a gap is read from the store), and drops text that was closed already.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self, assert_never

import orjson

from sayso.core.digest import JsonObject
from sayso.core.errors import InvalidInput, NotFound
from sayso.core.events import ChatEvent, Draft, MessageWritten, OpenText, TextDelta
from sayso.core.feed import Frame
from sayso.engine import lifelog
from sayso.engine.engine import Engine

PAGE = 50
# Enough to outlast any delta that is still on its way when its message closes.
_REMEMBERED_TEXTS = 64


@dataclass(frozen=True, slots=True)
class Place:
    """What a client says it has: all events up to `seq`, of the log `log_id` if it names one."""

    seq: int
    log_id: str | None = None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The whole first page, encoded; it stands for all events up to `seq`."""

    seq: int
    json: bytes


Sent = Frame | Snapshot


def type_of(sent: Sent) -> str:
    """The wire type of a frame: what a server-sent event is named by."""
    if isinstance(sent, Snapshot):
        return "chat.snapshot"
    match sent.body:
        case ChatEvent() as event:
            return event.type
        case TextDelta():
            return "chat.delta"
        case OpenText():
            return "chat.live"
        case Draft():
            return "chat.draft"
        case _:
            assert_never(sent.body)


def read_place(text: str | None) -> Place | None:
    """`LOG:SEQ` or a bare `SEQ`; None where nothing is said. Raises InvalidInput."""
    if text is None or text == "":
        return None
    log_id, colon, number = text.rpartition(":")
    if not (number.isascii() and number.isdigit()) or len(number) > 18 or (colon and not log_id):
        raise InvalidInput(
            f"`after` is {text[:80]!r}, which is no place in a chat.",
            fix="Give the last seq you have, as LOG:SEQ or SEQ, or leave it out for a snapshot.",
            context={"errors": [{"path": "after", "message": "needs to be LOG:SEQ or SEQ"}]},
        )
    return Place(int(number), log_id or None)


class Follower:
    """Use it in a `with`; call `begin` once, then `next` until you leave."""

    def __init__(self, engine: Engine, app_id: str, chat_id: str, person: str) -> None:
        self._engine, self._app_id, self._chat_id, self._person = engine, app_id, chat_id, person
        self._ear = engine.feed.subscribe(app_id, chat_id)
        self.seq = 0
        self._closed_texts: dict[str, None] = {}
        self._own_drafts: dict[str, Draft] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Hear nothing more."""
        self._ear.close()

    @property
    def lost(self) -> bool:
        """True once this client read too slowly: it has to come back with its cursor."""
        return self._ear.lost

    async def begin(self, after: Place | None) -> list[Sent]:
        """What brings a client that has `after` up to now. Raises NotFound."""
        first = await self._snapshot_or_missed(after)
        texts = await self._engine.open_texts(self._app_id, self._chat_id)
        drafts = await self._engine.store.drafts(self._app_id, self._chat_id, self._person)
        live = [text for text in texts if text.message_id not in self._closed_texts]
        return [*first, *map(self._frame, live), *map(self._frame, drafts)]

    async def next(self) -> list[Sent]:
        """The next frames, at least one; waits for them."""
        while True:
            sent = await self._in_order([await self._ear.get(), *self._ear.drain()])
            if sent:
                lifelog.shown(frame for frame in sent if isinstance(frame, Frame))
                return sent

    def typed_here(self, interaction_id: str, content: JsonObject) -> None:
        """This client wrote this draft: it is for the person's other devices, not for this one."""
        self._own_drafts[interaction_id] = Draft(interaction_id, self._person, content)

    async def _snapshot_or_missed(self, after: Place | None) -> list[Sent]:
        store = self._engine.store
        # A client that resumes needs no items, only the log's name and length.
        limit = PAGE if after is None else 1
        view = await store.load_view(self._app_id, self._chat_id, limit=limit)
        if view is None:
            raise NotFound(f"There is no chat '{self._chat_id}'.")
        other_log = after is not None and after.log_id not in (None, view.log_id)
        if after is None or other_log or after.seq > view.seq:
            if after is not None:
                view = await store.load_view(self._app_id, self._chat_id, limit=PAGE) or view
            self.seq = view.seq
            self._close_texts(item.event_id for item in view.messages)
            lifelog.restored(view)
            body = view.model_dump_json(exclude_none=True).encode()
            return [Snapshot(view.seq, b'{"type":"chat.snapshot","data":' + body + b"}")]
        self.seq = after.seq
        missed = await self._missed()
        lifelog.shown(frame for frame in missed if isinstance(frame, Frame))
        return missed

    async def _missed(self) -> list[Sent]:
        """All events after the cursor, from the store."""
        missed: list[Sent] = []
        while frames := await self._engine.store.events_after(
            self._app_id, self._chat_id, self.seq
        ):
            for frame in frames:
                self._pass(frame)
                missed.append(frame)
        return missed

    async def _in_order(self, frames: Sequence[Frame]) -> list[Sent]:
        sent: list[Sent] = []
        for frame in frames:
            if frame.seq is None:
                if self._is_wanted(frame.body):
                    sent.append(frame)
            elif frame.seq == self.seq + 1:
                self._pass(frame)
                sent.append(frame)
            elif frame.seq > self.seq:
                sent += await self._missed()
        return sent

    def _pass(self, frame: Frame) -> None:
        assert frame.seq is not None
        self.seq = frame.seq
        body = frame.body
        if isinstance(body, ChatEvent) and isinstance(body.data, MessageWritten):
            self._close_texts([body.data.message_id])

    def _is_wanted(self, body: ChatEvent | TextDelta | OpenText | Draft) -> bool:
        match body:
            case TextDelta(message_id=message_id) | OpenText(message_id=message_id):
                return message_id not in self._closed_texts
            case Draft():
                own = self._own_drafts.get(body.interaction_id)
                return body.person == self._person and body != own
            case ChatEvent():
                return True
            case _:
                assert_never(body)

    def _close_texts(self, message_ids: Iterable[str]) -> None:
        for message_id in message_ids:
            self._closed_texts[message_id] = None
        while len(self._closed_texts) > _REMEMBERED_TEXTS:
            self._closed_texts.pop(next(iter(self._closed_texts)))

    def _frame(self, body: OpenText | Draft) -> Frame:
        return Frame(self._chat_id, None, body, orjson.dumps(body.as_json()))
