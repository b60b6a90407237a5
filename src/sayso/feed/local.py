"""The feed of one process: new frames go from any thread to the clients that listen in a loop.

A subscription holds what its reader has not taken yet, up to a bound. Beyond it frames are dropped
and `lost` is set, so a slow reader costs bounded memory and never slows whoever publishes.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Sequence

from sayso.core.feed import Frame

# Half a minute of one text at 60 deltas a second; who is further behind had better reconnect.
MAX_FRAMES = 2000
# What one reader may hold in memory; a larger frame still passes when nothing waits before it.
MAX_BYTES = 8 * 1024 * 1024


class LocalSubscription:
    """Frames for one reader. They come from any thread; the rest belongs to the loop that
    subscribed."""

    def __init__(self, feed: LocalFeed, topic: Topic, *, max_frames: int, max_bytes: int) -> None:
        self._feed, self._topic = feed, topic
        self._max_frames, self._max_bytes = max_frames, max_bytes
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._frames: deque[Frame] = deque()
        self._bytes = 0
        self._lost = self._dropping = self._woken = self._closed = False
        self._waiter: asyncio.Future[None] | None = None

    @property
    def lost(self) -> bool:
        """True once frames were dropped. What is held is whole up to the first dropped frame; once
        it has been taken, new frames are kept again."""
        return self._lost

    async def get(self) -> Frame:
        """Return the next frame; wait for it. One reader at a time, cancelled when this is
        closed."""
        while True:
            with self._lock:
                if self._frames:
                    frame = self._frames.popleft()
                    self._bytes -= len(frame.json)
                    return frame
                if self._closed:
                    raise asyncio.CancelledError
                self._woken = False
            self._waiter = self._loop.create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None

    def drain(self) -> list[Frame]:
        """Return all frames that have arrived, without waiting."""
        with self._lock:
            frames = list(self._frames)
            self._frames.clear()
            self._bytes = 0
        return frames

    def close(self) -> None:
        """Stop listening; a reader that waits is cancelled."""
        with self._lock:
            self._closed = True
            self._frames.clear()
        self._feed.forget(self._topic, self)
        if self._waiter is not None:
            self._waiter.cancel()

    def offer(self, frames: Sequence[Frame]) -> None:
        """Hold these frames for the reader; wake it once for however many come before it looks."""
        with self._lock:
            if self._closed:
                return
            for frame in frames:
                self._dropping = bool(self._frames) and (self._dropping or self._is_full(frame))
                if self._dropping:
                    self._lost = True
                    break
                self._frames.append(frame)
                self._bytes += len(frame.json)
            if self._woken:
                return
            self._woken = True
        try:
            self._loop.call_soon_threadsafe(self._wake)
        except RuntimeError:  # the reader's loop has closed, and the reader with it
            self._feed.forget(self._topic, self)

    def _is_full(self, frame: Frame) -> bool:
        too_many = len(self._frames) >= self._max_frames
        return too_many or self._bytes + len(frame.json) > self._max_bytes

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


Topic = tuple[str, str | None]


class LocalFeed:
    """Carries frames by (tenant, chat). A subscription to a whole tenant gets durable frames
    only."""

    def __init__(self, *, max_frames: int = MAX_FRAMES, max_bytes: int = MAX_BYTES) -> None:
        self._max_frames, self._max_bytes = max_frames, max_bytes
        self._lock = threading.Lock()
        #: Replaced on every change, so that publishing reads it without the lock.
        self._listeners: dict[Topic, tuple[LocalSubscription, ...]] = {}

    def publish(self, app_id: str, frames: Sequence[Frame]) -> None:
        if not frames or not self._listeners:
            return
        for chat_id, of_chat in _by_chat(frames):
            for subscription in self._listeners.get((app_id, chat_id), ()):
                subscription.offer(of_chat)
        everywhere = self._listeners.get((app_id, None), ())
        durable = [frame for frame in frames if frame.seq is not None] if everywhere else []
        for subscription in everywhere:
            if durable:
                subscription.offer(durable)

    def subscribe(self, app_id: str, chat_id: str | None = None) -> LocalSubscription:
        """Listen from this moment on. Call it in the loop that will read."""
        topic = (app_id, chat_id)
        subscription = LocalSubscription(
            self, topic, max_frames=self._max_frames, max_bytes=self._max_bytes
        )
        with self._lock:
            listeners = dict(self._listeners)
            listeners[topic] = (*listeners.get(topic, ()), subscription)
            self._listeners = listeners
        return subscription

    def forget(self, topic: Topic, subscription: LocalSubscription) -> None:
        """Drop a subscription that was closed."""
        with self._lock:
            listeners = dict(self._listeners)
            rest = tuple(one for one in listeners.get(topic, ()) if one is not subscription)
            if rest:
                listeners[topic] = rest
            else:
                listeners.pop(topic, None)
            self._listeners = listeners

    @property
    def listening(self) -> int:
        """How many subscriptions are open."""
        return sum(len(group) for group in self._listeners.values())


def _by_chat(frames: Sequence[Frame]) -> list[tuple[str, Sequence[Frame]]]:
    """Return the frames of each chat, in order; a batch is nearly always of one."""
    first = frames[0].chat_id
    if all(frame.chat_id == first for frame in frames):
        return [(first, frames)]
    groups: dict[str, list[Frame]] = {}
    for frame in frames:
        groups.setdefault(frame.chat_id, []).append(frame)
    return list(groups.items())
