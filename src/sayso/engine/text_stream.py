"""Text while it is being written: sent at once, then merged; saved for a crash; closed by a durable
message.

A token costs an append to a list. The first delta leaves at once, later ones are merged over
MERGE_SECONDS; all open texts of a process go to the store in one transaction per KEEP_SECONDS.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import orjson

from sayso.core.digest import JsonObject
from sayso.core.events import MessageWritten, TextDelta
from sayso.core.feed import Feed, Frame
from sayso.core.ports import Clock, Store
from sayso.core.store_results import Fence, TextPiece
from sayso.logs import logger

# One frame of a 60 Hz screen: merging further is invisible, merging less costs a syscall per token.
MERGE_SECONDS = 0.016
# What a crash may cost of a text that can be asked for again; 30 times cheaper than a commit per
# token.
KEEP_SECONDS = 0.1

# Unicode's sign for a character that is unknown.
_NO_CHARACTER = "\ufffd"

log = logger("sayso.engine")


class _Text:
    """An open text: changed by its loop alone, read whole from any thread through one reference."""

    def __init__(self, message_id: str, agent: str) -> None:
        self.message_id, self.agent = message_id, agent
        self.pieces: list[str] = []
        self.length = self.sent = self.saved = 0

    def tail(self, offset: int) -> str:
        """Return the text from `offset` on, without joining what was sent before."""
        missing, pieces = self.length - offset, []
        for piece in reversed(self.pieces):
            if missing <= 0:
                break
            pieces.append(piece[-missing:] if len(piece) > missing else piece)
            missing -= len(piece)
        return "".join(reversed(pieces))


class TextWriter:
    """The open text of one segment. All methods but `whole` belong to its loop."""

    def __init__(
        self,
        fence: Fence,
        feed: Feed,
        clock: Clock,
        buffer: TextBuffer,
        *,
        agent: str,
        yield_cpu: Callable[[], None] = lambda: None,
    ) -> None:
        self._fence, self._feed, self._clock, self._buffer = fence, feed, clock, buffer
        self._run_agent, self._give_way = agent, yield_cpu
        #: What each message carries beside its text.
        self.metadata: JsonObject = {}
        self._text: _Text | None = None
        #: The first half of a character whose second half may still come.
        self._half = ""
        self._timer: asyncio.TimerHandle | None = None

    def continues(self, agent_name: str | None) -> bool:
        """Return whether this agent's words may join the open text; None is the run's own agent."""
        return self._text is None or self._text.agent == (agent_name or self._run_agent)

    def say(self, words: str, agent_name: str | None = None) -> None:
        """Append to the open text, opening one of this agent where none is."""
        words, self._half = whole_characters(self._half + words)
        if not words:
            return
        text = self._text
        if text is None:
            text = self._text = _Text(self._clock.new_id(), agent_name or self._run_agent)
            self._buffer.opened(self)
        text.pieces.append(words)
        text.length += len(words)
        if self._timer is None:
            self._send(text)
            if text.length == len(words):
                self._give_way()
            self._timer = asyncio.get_running_loop().call_later(MERGE_SECONDS, self._tick, text)
        self._buffer.changed(self)

    @contextmanager
    def closing(self) -> Iterator[list[MessageWritten]]:
        """End the open text: yield the message that holds it whole, or nothing where none was open.
        The buffer holds the text until the block has stored that message: a person may end the run
        first."""
        if self._text is not None and self._half:
            self._text.pieces.append(_NO_CHARACTER)
        self._half = ""
        text = self.whole()
        if text is None:
            yield []
            return
        if self._timer is not None:
            self._timer.cancel()
        self._buffer.closed(self, text)
        self._text = self._timer = None
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
            self._buffer.stored(text)

    def close(self) -> list[MessageWritten]:
        """End the open text, keep nothing of it, and return the message that holds it whole."""
        with self.closing() as messages:
            return messages

    def whole(self) -> TextPiece | None:
        """Return the text so far, as one piece. Safe from any thread."""
        text = self._text
        return self._piece(text, 0, "".join(text.pieces)) if text is not None else None

    def take_unsaved(self) -> TextPiece | None:
        """Return what the store does not have yet, and count it as saved."""
        text = self._text
        if text is None or text.saved == text.length:
            return None
        offset, text.saved = text.saved, text.length
        return self._piece(text, offset, text.tail(offset))

    def not_saved(self, piece: TextPiece) -> None:
        """The store did not take this after all: send it with the next, so that no gap stays."""
        text = self._text
        if text is not None and text.message_id == piece.message_id:
            text.saved = min(text.saved, piece.offset)
            self._buffer.changed(self)

    def _piece(self, text: _Text, offset: int, words: str) -> TextPiece:
        return TextPiece(
            fence=self._fence,
            message_id=text.message_id,
            offset=offset,
            text=words,
            agent_name=text.agent,
        )

    def _tick(self, text: _Text) -> None:
        self._timer = None
        if text.sent == text.length:
            return
        self._send(text)
        self._timer = asyncio.get_running_loop().call_later(MERGE_SECONDS, self._tick, text)

    def _send(self, text: _Text) -> None:
        delta = TextDelta(text.message_id, text.sent, text.tail(text.sent), text.agent)
        text.sent = text.length
        frame = Frame(self._fence.chat_id, None, delta, orjson.dumps(delta.as_json()))
        self._feed.publish(self._fence.app_id, [frame])


class TextBuffer:
    """Holds all open texts of one worker: in memory for who connects now, in the store for who
    connects after a crash."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._open: set[TextWriter] = set()
        #: Closed, and on their way to the store as messages.
        self._closed: dict[str, TextPiece] = {}
        self._dirty: dict[TextWriter, None] = {}
        self._wake = asyncio.Event()

    def snapshot(self) -> Sequence[TextPiece]:
        """Return all texts that no message in the store holds yet, each whole. Safe from any
        thread."""
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
            pieces = {w: piece for w in self._dirty if (piece := w.take_unsaved()) is not None}
            self._dirty.clear()
            if not pieces:
                continue
            try:
                await self._store.keep_texts(list(pieces.values()))
            except Exception as exc:  # whatever it is, the texts to come have to be saved
                # This one is still in memory and its message will hold it whole; only a crash
                # before the next try would cost it.
                log.warning("text.not_kept", error=repr(exc), pieces=len(pieces))
                for writer, piece in pieces.items():
                    writer.not_saved(piece)


def whole_characters(words: str) -> tuple[str, str]:
    """Return these words and, apart, the first half of a character that they end in. Some models
    cut an emoji in two; a half that nothing completes cannot be stored."""
    if not words or words.isascii():
        return words, ""
    half = words[-1] if "\ud800" <= words[-1] <= "\udbff" else ""
    whole = words.removesuffix(half)
    try:
        whole.encode()
    except UnicodeEncodeError:
        whole = whole.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return whole, half
