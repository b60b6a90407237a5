"""Text while it is written: the first delta at once, later ones merged, each encoded once."""

import asyncio
import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any

import orjson
import pytest

from sayso.core.errors import StoreBusy
from sayso.core.events import TextDelta
from sayso.core.feed import Frame
from sayso.core.store_results import Fence, TextPiece
from sayso.engine.text_stream import TextBuffer, TextWriter
from sayso.testing.clock import FakeClock

FENCE = Fence(app_id="a", chat_id="c", run_id="r", number=1)


class Ear:
    """A feed that keeps what it hears."""

    def __init__(self) -> None:
        self.deltas: list[TextDelta] = []
        self.json: list[bytes] = []
        self._heard = asyncio.Event()

    async def until(self, count: int) -> None:
        """Wait until this many deltas have been heard."""
        while len(self.deltas) < count:
            self._heard.clear()
            await self._heard.wait()

    def publish(self, app_id: str, frames: Sequence[Frame]) -> None:
        for frame in frames:
            assert isinstance(frame.body, TextDelta)
            self.deltas.append(frame.body)
            self.json.append(frame.json)
        self._heard.set()


class Shelf:
    """A store that keeps texts, and nothing else."""

    def __init__(self, *broken: Exception) -> None:
        self.batches: list[list[TextPiece]] = []
        self.kept = asyncio.Event()
        self._broken = list(broken)

    async def keep_texts(self, pieces: Sequence[TextPiece]) -> None:
        if self._broken:
            raise self._broken.pop(0)
        self.batches.append(list(pieces))
        self.kept.set()


def writer(subscription: Ear, shelf: Shelf) -> tuple[TextWriter, TextBuffer]:
    buffer = TextBuffer(shelf)  # type: ignore[arg-type]
    return TextWriter(FENCE, subscription, FakeClock(), buffer, agent="agent"), buffer  # type: ignore[arg-type]


async def test_the_first_delta_leaves_at_once_and_the_rest_are_merged():
    subscription = Ear()
    text, _ = writer(subscription, Shelf())
    for word in ("one ", "two ", "three "):
        text.say(word)
    assert [d.text for d in subscription.deltas] == ["one "]
    await subscription.until(2)
    assert subscription.deltas[1].text == "two three "
    assert subscription.deltas[1].offset == 4
    text.close()


async def test_offsets_count_code_points():
    subscription = Ear()
    text, _ = writer(subscription, Shelf())
    text.say("a😀é")
    text.say("b")
    await subscription.until(2)
    assert subscription.deltas[1].offset == 3
    assert orjson.loads(subscription.json[1])["data"]["offset"] == 3
    text.close()


async def test_a_closed_text_is_one_message_that_says_it_whole():
    text, buffer = writer(Ear(), Shelf())
    text.say("Hello ")
    text.say("world")
    assert [t.text for t in buffer.snapshot()] == ["Hello world"]
    (message,) = text.close()
    assert (message.content, message.role, message.run_id) == ("Hello world", "assistant", "r")
    assert text.close() == []
    assert buffer.snapshot() == []


async def test_another_agent_says_a_message_of_its_own():
    subscription = Ear()
    text, _ = writer(subscription, Shelf())
    assert text.continues("clerk")
    text.say("Here. ", "clerk")
    assert text.continues("clerk")
    assert not text.continues(None)
    (said,) = text.close()
    text.say("Thanks.")
    (thanks,) = text.close()
    assert (said.agent_name, thanks.agent_name) == ("clerk", "agent")
    assert [delta.agent_name for delta in subscription.deltas] == ["clerk", "agent"]


async def test_two_texts_never_share_an_id():
    text, _ = writer(Ear(), Shelf())
    text.say("one")
    (first,) = text.close()
    text.say("two")
    (second,) = text.close()
    assert first.message_id != second.message_id


async def test_a_thousand_tokens_are_few_writes_and_every_character_is_kept():
    shelf = Shelf()
    text, buffer = writer(Ear(), shelf)
    keeping = asyncio.create_task(buffer.run())
    for n in range(1000):
        text.say(f"{n:03d} ")
    await shelf.kept.wait()
    keeping.cancel()
    pieces = [piece for batch in shelf.batches for piece in batch]
    assert len(shelf.batches) == 1
    assert "".join(piece.text for piece in pieces) == "".join(f"{n:03d} " for n in range(1000))
    assert pieces[0].offset == 0
    text.close()


@pytest.mark.parametrize("broken", [StoreBusy("later"), RuntimeError("what is this")])
async def test_what_the_store_did_not_take_is_kept_with_the_next(broken: Exception):
    shelf = Shelf(broken)
    text, buffer = writer(Ear(), shelf)
    keeping = asyncio.create_task(buffer.run())
    text.say("one ")
    text.say("two")
    async with asyncio.timeout(5):
        await shelf.kept.wait()
    keeping.cancel()
    assert [(piece.offset, piece.text) for piece in shelf.batches[0]] == [(0, "one two")]
    text.close()


@pytest.mark.parametrize("line", [1, 2, 3, 4])
async def test_a_text_that_is_asked_for_while_it_closes_is_never_mixed_with_the_next(line: int):
    """The server's thread asks; the segment's thread may close the text before any line of it."""
    text, _ = writer(Ear(), Shelf())
    text.say("old")
    old = text.whole()
    assert old is not None
    left = line

    def next_text(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        if frame.f_code is not TextWriter.whole.__code__:
            return None
        if event == "line":
            left -= 1
            if left == 0:
                text.close()
                text.say("new")
        return next_text

    before = sys.gettrace()
    sys.settrace(next_text)
    try:
        seen = text.whole()
    finally:
        sys.settrace(before)
    assert seen is not None
    assert (seen.message_id == old.message_id) == (seen.text == "old")
    text.close()


async def test_a_character_that_a_model_cuts_in_two_is_said_whole():
    subscription = Ear()
    text, _ = writer(subscription, Shelf())
    for words in ("a \ud83d", "\ude00 b", "\ude00", "\ud83d"):
        text.say(words)
    (message,) = text.close()
    assert message.content == "a 😀 b\ufffd\ufffd"
    assert subscription.deltas[0].text == "a "
    text.say("\ud83d")
    assert text.close() == []
