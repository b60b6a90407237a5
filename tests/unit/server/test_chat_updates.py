"""A client's place in a chat: whatever the feed drops or doubles, nothing is missed."""

import asyncio
from typing import Any, cast

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.errors import InvalidInput, NotFound
from sayso.core.events import (
    Draft,
    OpenText,
    TextDelta,
)
from sayso.core.feed import Frame
from sayso.engine.engine import Engine
from sayso.feed import LocalFeed
from sayso.server.chat_updates import (
    ChatPosition,
    ChatUpdates,
    Sent,
    Snapshot,
    read_position,
    type_of,
)
from tests.unit.engine.chat_rows import Rows, delta, message, step


def following(rows: Rows, chat_id: str = "c") -> ChatUpdates:
    return ChatUpdates(cast(Engine, rows), "app", chat_id, "you")


def seqs(sent: list[Sent]) -> list[int]:
    return [one.seq for one in sent if one.seq is not None]


@given(
    count=st.integers(1, 12),
    after=st.integers(0, 12),
    order=st.randoms(use_true_random=False),
    lost=st.sets(st.integers(1, 12)),
    doubled=st.sets(st.integers(1, 12)),
)
def test_events_come_once_and_in_order_however_the_feed_tells_them(
    count: int, after: int, order: Any, lost: set[int], doubled: set[int]
):
    async def story() -> None:
        rows = Rows(*map(step, range(count)))
        place = min(after, count)
        rows.visible = order.randint(place, count)
        with following(rows) as updates:
            got = seqs(await updates.begin(ChatPosition(place)))
            told = [f for f in rows.frames if f.seq not in lost or f.seq == count]
            told += [f for f in rows.frames if f.seq in doubled]
            order.shuffle(told)
            rows.visible = count
            for frame in told:
                rows.tell(frame)
            while not got or got[-1] < count:
                if place == count:
                    break
                got += seqs(await updates.next())
            assert got == list(range(place + 1, count + 1))

    asyncio.run(story())


async def test_what_happens_between_subscribing_and_reading_is_not_told_twice():
    rows = Rows(step(1), step(2))
    with following(rows) as updates:
        rows.tell(rows.commit(step(3)))
        assert seqs(await updates.begin(ChatPosition(1))) == [2, 3]
        rows.tell(rows.commit(step(4)))
        assert seqs(await updates.next()) == [4]


async def test_a_gap_costs_one_read_and_a_stream_without_one_none():
    rows = Rows(step(1))
    with following(rows) as updates:
        await updates.begin(ChatPosition(1))
        rows.reads = 0
        for number in range(2, 6):
            rows.tell(rows.commit(step(number)))
        assert seqs(await updates.next()) == [2, 3, 4, 5]
        assert rows.reads == 0
        rows.commit(step(6))
        rows.tell(rows.commit(step(7)))
        assert seqs(await updates.next()) == [6, 7]
        assert rows.reads == 2, "a page, and the empty one after it"


async def test_deltas_of_a_text_that_is_closed_already_are_dropped():
    rows = Rows(step(1))
    with following(rows) as updates:
        rows.tell(delta("m", 0, "Hel"))
        rows.commit(message("m", "Hello"))  # committed, and not told yet
        sent = await updates.begin(ChatPosition(1))
        assert [type_of(one) for one in sent] == ["chat.message"]
        rows.tell(delta("m", 3, "lo"), rows.frames[-1], delta("next", 0, "More"))
        (only,) = await updates.next()
        assert isinstance(only, Frame)
        assert only.body == TextDelta("next", 0, "More")


async def test_an_open_text_whose_message_was_just_written_is_not_told():
    rows = Rows(step(1), message("m", "Hello"))
    rows.texts = [OpenText("m", "Hell"), OpenText("n", "Next")]
    with following(rows) as updates:
        sent = await updates.begin(ChatPosition(1))
        assert [type_of(one) for one in sent] == ["chat.message", "chat.live"]
    with following(rows) as updates:
        first, live = await updates.begin(None)
        assert isinstance(first, Snapshot)
        assert type_of(live) == "chat.live"


async def test_anothers_draft_is_not_told():
    rows = Rows(step(1))
    with following(rows) as updates:
        await updates.begin(None)
        for person in ("mara", "you"):
            body = Draft("i", person, {"reason": person})
            rows.tell(Frame("c", None, body, orjson.dumps(body.as_json())))
        (only,) = await updates.next()
        assert isinstance(only, Frame)
        assert only.body == Draft("i", "you", {"reason": "you"})


async def test_a_reader_that_was_too_slow_knows():
    rows = Rows()
    rows.feed = LocalFeed(max_frames=2)
    with following(rows) as updates:
        await updates.begin(None)
        for number in range(5):
            rows.tell(rows.commit(step(number)))
        assert updates.lost
        assert seqs(await updates.next()) == [1, 2]


async def test_an_unknown_chat():
    rows = Rows()
    with following(rows, "other") as updates, pytest.raises(NotFound):
        await updates.begin(None)
    assert rows.feed.listening == 0


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (None, None),
        ("", None),
        ("7", ChatPosition(7)),
        ("log:7", ChatPosition(7, "log")),
        ("a:b:7", ChatPosition(7, "a:b")),
    ],
)
def test_places(text: str | None, place: ChatPosition | None):
    assert read_position(text) == place


@pytest.mark.parametrize("text", ["x", "-1", ":1", "log:", "1.0", "٣", " 1", "9" * 19])
def test_what_is_no_place(text: str):
    with pytest.raises(InvalidInput):
        read_position(text)
