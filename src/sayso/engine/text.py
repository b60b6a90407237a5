"""Text while it is being written: sent at once, then merged; kept for a crash; closed by a durable
message.

A token costs an append to a list. The first delta leaves at once, later ones are merged over
MERGE_SECONDS; all open texts of a process go to the store in one transaction per KEEP_SECONDS.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import orjson
import structlog

from sayso.core.digest import JsonObject
from sayso.core.errors import SaysoError
from sayso.core.events import MessageWritten, TextDelta
from sayso.core.feed import Feed, Frame
from sayso.core.ports import Clock, Store
from sayso.core.transactions import Fence, TextPiece

# One frame of a 60 Hz screen: merging further is invisible, merging less costs a syscall per token.
MERGE_SECONDS = 0.016
# What a crash may cost of a text that can be asked for again; 30 times cheaper than a commit per
# token.
KEEP_SECONDS = 0.1

log = structlog.get_logger("sayso.engine")


class TextWriter:
    """The open text of one segment. All methods but `whole` belong to its loop."""

    def __init__(
        self,
        fence: Fence,
        feed: Feed,
        clock: Clock,
        keeper: TextKeeper,
        *,
        agent: str,
        give_way: Callable[[], None] = lambda: None,
    ) -> None:
        self._fence, self._feed, self._clock, self._keeper = fence, feed, clock, keeper
        self._run_agent = self._agent = agent
        self._give_way = give_way
        #: What each message carries beside its text.
        self.metadata: JsonObject = {}
        self._message_id: str | None = None
        self._pieces: list[str] = []
        self._length = self._sent = self._kept = 0
        self._timer: asyncio.TimerHandle | None = None

    def goes_on_for(self, agent_name: str | None) -> bool:
        """Whether what this agent says may join the open text; None is the run's own agent."""
        return self._message_id is None or self._agent == (agent_name or self._run_agent)

    def say(self, text: str, agent_name: str | None = None) -> None:
        """Append to the open text, opening one of this agent where none is."""
        if not text:
            return
        if self._message_id is None:
            self._message_id = self._clock.new_id()
            self._agent = agent_name or self._run_agent
            self._keeper.opened(self)
        self._pieces.append(text)
        self._length += len(text)
        if self._timer is None:
            self._send()
            if self._length == len(text):
                self._give_way()
            self._timer = asyncio.get_running_loop().call_later(MERGE_SECONDS, self._tick)
        self._keeper.changed(self)

    @contextmanager
    def closing(self) -> Iterator[list[MessageWritten]]:
        """End the open text: gives the message that says it whole, or nothing where none was open.
        Until the block has stored that message the keeper has its text: a person may end the run
        first."""
        text = self.whole()
        if text is None:
            yield []
            return
        if self._timer is not None:
            self._timer.cancel()
        self._keeper.closed(self, text)
        self._message_id, self._pieces, self._timer = None, [], None
        self._length = self._sent = self._kept = 0
        message = MessageWritten(
            message_id=text.message_id,
            role="assistant",
            content=text.text,
            agent_name=text.agent_name,
            run_id=self._fence.run_id,
            metadata=self.metadata,
        )
        try:
            yield [message]
        finally:
            self._keeper.stored(text)

    def close(self) -> list[MessageWritten]:
        """End the open text and keep nothing of it; the message that says it whole."""
        with self.closing() as messages:
            return messages

    @property
    def fence(self) -> Fence:
        return self._fence

    def whole(self) -> TextPiece | None:
        """The text so far, as one piece; may be asked from any thread."""
        message_id = self._message_id
        if message_id is None:
            return None
        return TextPiece(
            fence=self._fence,
            message_id=message_id,
            offset=0,
            text="".join(self._pieces),
            agent_name=self._agent,
        )

    def unkept(self) -> TextPiece | None:
        """What the store does not have yet; asking marks it as kept."""
        if self._message_id is None or self._kept == self._length:
            return None
        offset, self._kept = self._kept, self._length
        return TextPiece(
            fence=self._fence,
            message_id=self._message_id,
            offset=offset,
            text=self._tail(offset),
            agent_name=self._agent,
        )

    def _tick(self) -> None:
        self._timer = None
        if self._sent == self._length:
            return
        self._send()
        self._timer = asyncio.get_running_loop().call_later(MERGE_SECONDS, self._tick)

    def _send(self) -> None:
        assert self._message_id is not None
        delta = TextDelta(self._message_id, self._sent, self._tail(self._sent), self._agent)
        self._sent = self._length
        frame = Frame(self._fence.chat_id, None, delta, orjson.dumps(delta.as_json()))
        self._feed.publish(self._fence.app_id, [frame])

    def _tail(self, offset: int) -> str:
        """The text from `offset` on, without joining what is already out."""
        missing, pieces = self._length - offset, []
        for piece in reversed(self._pieces):
            if missing <= 0:
                break
            pieces.append(piece[-missing:] if len(piece) > missing else piece)
            missing -= len(piece)
        return "".join(reversed(pieces))


class TextKeeper:
    """Keeps all open texts of one worker: in memory for who connects now, in the store for who
    connects after a crash."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._open: set[TextWriter] = set()
        #: Closed, and on their way to the store as messages.
        self._closed: dict[str, TextPiece] = {}
        self._dirty: dict[TextWriter, None] = {}
        self._wake = asyncio.Event()

    @property
    def texts(self) -> Sequence[TextPiece]:
        """All that no message in the store holds yet, each whole; may be asked from any thread."""
        texts = [writer.whole() for writer in list(self._open)]
        # After the open ones: what is closed in this moment may be among both.
        return [*(text for text in texts if text is not None), *list(self._closed.values())]

    def opened(self, writer: TextWriter) -> None:
        self._open.add(writer)

    def changed(self, writer: TextWriter) -> None:
        self._dirty[writer] = None
        self._wake.set()

    def closed(self, writer: TextWriter, text: TextPiece) -> None:
        self._closed[text.message_id] = text
        self._open.discard(writer)
        self._dirty.pop(writer, None)

    def stored(self, text: TextPiece) -> None:
        self._closed.pop(text.message_id, None)

    async def run(self) -> None:
        """Store what has changed, once per KEEP_SECONDS while anything does."""
        while True:
            await self._wake.wait()
            await asyncio.sleep(KEEP_SECONDS)
            self._wake.clear()
            pieces = [piece for writer in self._dirty if (piece := writer.unkept()) is not None]
            self._dirty.clear()
            if not pieces:
                continue
            try:
                await self._store.keep_texts(pieces)
            except SaysoError as exc:
                # The text is still in memory and its message will hold it whole; only a crash now
                # would cost it.
                log.warning("text.not_kept", error=exc.detail, pieces=len(pieces))
