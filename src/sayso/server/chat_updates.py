"""What one connected client gets of a chat: a snapshot or what it missed, then all that happens.

Every transport reads a chat through this. To the engine's cursor it adds the encoded snapshot, and
the drafts of the person's other devices.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self, assert_never

import orjson

from sayso.core.attention import AttentionMoved
from sayso.core.chat_view import ChatView
from sayso.core.digest import JsonObject
from sayso.core.errors import InvalidInput, NotFound
from sayso.core.events import ChatEvent, Draft, OpenText, TextDelta
from sayso.core.feed import Frame
from sayso.engine import card_log
from sayso.engine.chat_cursor import ChatCursor
from sayso.engine.engine import Engine

PAGE = 50


@dataclass(frozen=True, slots=True)
class ChatPosition:
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
    """Return the wire type of a frame, which names its server-sent event."""
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
        case AttentionMoved():
            return "card.attention"
        case _:
            assert_never(sent.body)


def read_position(text: str | None) -> ChatPosition | None:
    """Read `LOG:SEQ` or a bare `SEQ`; None where nothing is given. Raises InvalidInput."""
    if text is None or text == "":
        return None
    log_id, colon, number = text.rpartition(":")
    if not (number.isascii() and number.isdigit()) or len(number) > 18 or (colon and not log_id):
        raise InvalidInput(
            f"`after` is {text[:80]!r}, which is no place in a chat.",
            fix="Give the last seq you have, as LOG:SEQ or SEQ, or leave it out for a snapshot.",
            context={"errors": [{"path": "after", "message": "needs to be LOG:SEQ or SEQ"}]},
        )
    return ChatPosition(int(number), log_id or None)


class ChatUpdates:
    """Use it in a `with`; call `begin` once, then `next` until you leave."""

    def __init__(self, engine: Engine, app_id: str, chat_id: str, person: str) -> None:
        self._engine, self._app_id, self._chat_id, self._person = engine, app_id, chat_id, person
        self._cursor = ChatCursor(engine, app_id, chat_id)
        self._own_drafts: dict[str, Draft] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop listening."""
        self._cursor.close()

    @property
    def seq(self) -> int:
        """The last event that was given."""
        return self._cursor.seq

    @property
    def lost(self) -> bool:
        """True once this client read too slowly: it has to come back with its cursor."""
        return self._cursor.lost

    async def begin(self, after: ChatPosition | None) -> list[Sent]:
        """Return what brings a client that has `after` up to now. Raises NotFound."""
        first = await self._snapshot_or_missed(after)
        texts = await self._cursor.open_texts()
        drafts = await self._engine.store.drafts(self._app_id, self._chat_id, self._person)
        return [*first, *map(self._frame, texts), *map(self._frame, drafts)]

    async def next(self) -> list[Sent]:
        """Return the next frames, at least one; wait for them."""
        while True:
            frames = [frame for frame in await self._cursor.next() if self._is_wanted(frame)]
            if frames:
                card_log.shown(frames)
                return [*frames]

    def ignore_own_draft(self, interaction_id: str, content: JsonObject) -> None:
        """Send this draft to the person's other devices only: this client wrote it."""
        self._own_drafts[interaction_id] = Draft(interaction_id, self._person, content)

    async def _snapshot_or_missed(self, after: ChatPosition | None) -> list[Sent]:
        # A client that resumes needs no items, only the log's name and length.
        view = await self._view(PAGE if after is None else 1)
        if after is not None and after.log_id in (None, view.log_id) and after.seq <= view.seq:
            self._cursor.move_to(after.seq)
            missed = [frame async for page in self._cursor.missed() for frame in page]
            card_log.shown(missed)
            return [*missed]
        if after is not None:
            view = await self._view(PAGE)
        self._cursor.move_to(view.seq, (item.event_id for item in view.messages))
        card_log.restored(view)
        body = view.model_dump_json(exclude_none=True).encode()
        return [Snapshot(view.seq, b'{"type":"chat.snapshot","data":' + body + b"}")]

    async def _view(self, limit: int) -> ChatView:
        view = await self._engine.store.load_view(self._app_id, self._chat_id, limit=limit)
        if view is None:
            raise NotFound(f"There is no chat '{self._chat_id}'.")
        return view

    def _is_wanted(self, frame: Frame) -> bool:
        draft = frame.body
        if isinstance(draft, AttentionMoved):
            return False
        if not isinstance(draft, Draft):
            return True
        return draft.person == self._person and draft != self._own_drafts.get(draft.interaction_id)

    def _frame(self, body: OpenText | Draft) -> Frame:
        return Frame(self._chat_id, None, body, orjson.dumps(body.as_json()))
