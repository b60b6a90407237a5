"""Text while it is written: the first delta at once, later ones merged, each encoded once."""

import asyncio
from collections.abc import Sequence

import orjson

from sayso.core.events import TextDelta
from sayso.core.feed import Frame
from sayso.core.transactions import Fence, TextPiece
from sayso.engine.text import TextKeeper, TextWriter
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

    def __init__(self) -> None:
        self.batches: list[list[TextPiece]] = []
        self.kept = asyncio.Event()

    async def keep_texts(self, pieces: Sequence[TextPiece]) -> None:
        self.batches.append(list(pieces))
        self.kept.set()


def writer(ear: Ear, shelf: Shelf) -> tuple[TextWriter, TextKeeper]:
    keeper = TextKeeper(shelf)  # type: ignore[arg-type]
    return TextWriter(FENCE, ear, FakeClock(), keeper, agent="agent"), keeper  # type: ignore[arg-type]


async def test_the_first_delta_leaves_at_once_and_the_rest_are_merged():
    ear = Ear()
    text, _ = writer(ear, Shelf())
    for word in ("one ", "two ", "three "):
        text.say(word)
    assert [d.text for d in ear.deltas] == ["one "]
    await ear.until(2)
    assert ear.deltas[1].text == "two three "
    assert ear.deltas[1].offset == 4
    text.close()


async def test_offsets_count_code_points():
    ear = Ear()
    text, _ = writer(ear, Shelf())
    text.say("a😀é")
    text.say("b")
    await ear.until(2)
    assert ear.deltas[1].offset == 3
    assert orjson.loads(ear.json[1])["data"]["offset"] == 3
    text.close()


async def test_a_closed_text_is_one_message_that_says_it_whole():
    text, keeper = writer(Ear(), Shelf())
    text.say("Hello ")
    text.say("world")
    assert [t.text for t in keeper.texts] == ["Hello world"]
    (message,) = text.close()
    assert (message.content, message.role, message.run_id) == ("Hello world", "assistant", "r")
    assert text.close() == []
    assert keeper.texts == []


async def test_another_agent_says_a_message_of_its_own():
    ear = Ear()
    text, _ = writer(ear, Shelf())
    assert text.goes_on_for("clerk")
    text.say("Here. ", "clerk")
    assert text.goes_on_for("clerk")
    assert not text.goes_on_for(None)
    (said,) = text.close()
    text.say("Thanks.")
    (thanks,) = text.close()
    assert (said.agent_name, thanks.agent_name) == ("clerk", "agent")
    assert [delta.agent_name for delta in ear.deltas] == ["clerk", "agent"]


async def test_two_texts_never_share_an_id():
    text, _ = writer(Ear(), Shelf())
    text.say("one")
    (first,) = text.close()
    text.say("two")
    (second,) = text.close()
    assert first.message_id != second.message_id


async def test_a_thousand_tokens_are_few_writes_and_every_character_is_kept():
    shelf = Shelf()
    text, keeper = writer(Ear(), shelf)
    keeping = asyncio.create_task(keeper.run())
    for n in range(1000):
        text.say(f"{n:03d} ")
    await shelf.kept.wait()
    keeping.cancel()
    pieces = [piece for batch in shelf.batches for piece in batch]
    assert len(shelf.batches) == 1
    assert "".join(piece.text for piece in pieces) == "".join(f"{n:03d} " for n in range(1000))
    assert pieces[0].offset == 0
    text.close()
