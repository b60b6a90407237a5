"""Frames, and the feed that carries them to connected clients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from sayso.core.attention import AttentionMoved
from sayso.core.events import ChatEvent, Draft, OpenText, TextDelta


@dataclass(frozen=True, slots=True)
class Frame:
    """One thing for a chat's clients: what it is, and its JSON, encoded once however many clients
    there are.

    `seq` is None for what is live only.
    """

    chat_id: str
    seq: int | None
    body: ChatEvent | TextDelta | OpenText | Draft | AttentionMoved
    json: bytes


class Subscription(Protocol):
    """One client's subscription to a chat. Frames that arrive unread are kept up to a bound, then
    `lost` is set."""

    @property
    def lost(self) -> bool:
        """True once frames were dropped: read the store from your cursor, or resync."""

    async def get(self) -> Frame:
        """Return the next frame; waits for it."""

    def drain(self) -> list[Frame]:
        """Return all frames that have arrived, without waiting."""

    def close(self) -> None: ...


class Feed(Protocol):
    """Carries new frames to connected clients. Losing one is harmless: every reader has a cursor
    into the store.

    Thread-safe: segments publish from their worker's thread, clients listen in the server's.
    """

    def publish(self, app_id: str, frames: Sequence[Frame]) -> None: ...

    def subscribe(self, app_id: str, chat_id: str | None = None) -> Subscription:
        """Frames of one chat, or of all chats of the tenant."""
