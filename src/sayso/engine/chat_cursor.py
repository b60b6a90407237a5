"""A reader's place in one chat: what it missed, the texts being written, then all that happens.

Everybody who follows a chat reads it through this. It subscribes before its first read, gives
events without a gap and without a repeat (a gap is read from the store), and drops text of a
message that was closed already.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from typing import Self

from sayso.core.events import ChatEvent, MessageWritten, OpenText, TextDelta
from sayso.core.feed import Frame
from sayso.engine.engine import Engine

# Enough to outlast any delta that is still on its way when its message closes.
_REMEMBERED_TEXTS = 64


class ChatCursor:
    """Use it in a `with`: read `missed` and `open_texts`, then `next` until you leave.

    `seq` is the last event it gave. Events up to `replayed_to` came from the store, and may have
    been followed by others at once; the rest are given as they happen.
    """

    def __init__(self, engine: Engine, app_id: str, chat_id: str, *, seq: int = 0) -> None:
        self._engine, self._app_id, self._chat_id = engine, app_id, chat_id
        self._subscription = engine.feed.subscribe(app_id, chat_id)
        self.seq = self.replayed_to = seq
        self._closed_texts: dict[str, None] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop listening; whoever waits in `next` is cancelled."""
        self._subscription.close()

    @property
    def lost(self) -> bool:
        """True once this reader was too slow: it has to begin again after `seq`."""
        return self._subscription.lost

    def move_to(self, seq: int, written: Iterable[str] = ()) -> None:
        """Begin after `seq`, for a reader that has the view there; `written` are its messages."""
        self.seq = self.replayed_to = seq
        self._close_texts(written)

    async def missed(self) -> AsyncIterator[list[Frame]]:
        """Read all events after the cursor from the store, a page at a time."""
        while frames := await self._engine.store.events_after(
            self._app_id, self._chat_id, self.seq
        ):
            for frame in frames:
                self._advance(frame)
            self.replayed_to = self.seq
            yield list(frames)

    async def open_texts(self) -> list[OpenText]:
        """Return the texts being written now."""
        texts = await self._engine.open_texts(self._app_id, self._chat_id)
        return [text for text in texts if text.message_id not in self._closed_texts]

    async def next(self) -> list[Frame]:
        """Return the next frames, at least one; wait for them."""
        while True:
            arrived = [await self._subscription.get(), *self._subscription.drain()]
            frames = [frame for each in arrived for frame in await self._in_order(each)]
            if frames:
                return frames

    async def _in_order(self, frame: Frame) -> list[Frame]:
        if frame.seq is None:
            return [] if self._is_closed(frame) else [frame]
        if frame.seq == self.seq + 1:
            self._advance(frame)
            return [frame]
        if frame.seq > self.seq:
            return [each async for page in self.missed() for each in page]
        return []

    def _advance(self, frame: Frame) -> None:
        assert frame.seq is not None
        self.seq = frame.seq
        body = frame.body
        if isinstance(body, ChatEvent) and isinstance(body.data, MessageWritten):
            self._close_texts([body.data.message_id])

    def _is_closed(self, frame: Frame) -> bool:
        body = frame.body
        return isinstance(body, TextDelta | OpenText) and body.message_id in self._closed_texts

    def _close_texts(self, message_ids: Iterable[str]) -> None:
        for message_id in message_ids:
            self._closed_texts[message_id] = None
        while len(self._closed_texts) > _REMEMBERED_TEXTS:
            self._closed_texts.pop(next(iter(self._closed_texts)))
