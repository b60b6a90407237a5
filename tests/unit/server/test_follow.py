"""A client's place in a chat: whatever the feed drops or doubles, nothing is missed."""

import asyncio
from datetime import UTC, datetime
from typing import Any, cast

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.errors import InvalidInput, NotFound
from sayso.core.events import (
    ChatEvent,
    Draft,
    EventData,
    MessageWritten,
    OpenText,
    ProgressMade,
    TextDelta,
)
from sayso.core.feed import Frame
from sayso.core.fold import fold
from sayso.core.view import ChatView
from sayso.engine.engine import Engine
from sayso.feed import LocalFeed
from sayso.server.follow import Follower, Place, Sent, Snapshot, read_place, type_of


class Rows:
    """What a follower asks of an engine and its store: a log, open texts, drafts."""

    def __init__(self, *events: EventData) -> None:
        self.feed, self.store = LocalFeed(), self
        self.frames = [self.event(seq, data) for seq, data in enumerate(events, 1)]
        self.visible = len(self.frames)
        self.texts: list[OpenText] = []
        self.reads = 0

    @staticmethod
    def event(seq: int, data: EventData) -> Frame:
        event = ChatEvent(seq, datetime.now(UTC), data)
        return Frame("c", seq, event, orjson.dumps(event.as_json()))

    def commit(self, data: EventData) -> Frame:
        frame = self.event(len(self.frames) + 1, data)
        self.frames.append(frame)
        self.visible = len(self.frames)
        return frame

    def tell(self, *frames: Frame) -> None:
        self.feed.publish("app", frames)

    async def load_view(self, app_id: str, chat_id: str, **_: Any) -> ChatView | None:
        if chat_id != "c":
            return None
        events = [f.body for f in self.frames[: self.visible] if isinstance(f.body, ChatEvent)]
        return fold(ChatView(id="c", app_id="app", log_id="log"), events)

    async def events_after(self, app_id: str, chat_id: str, seq: int, **_: Any) -> list[Frame]:
        self.reads += 1
        return self.frames[seq : self.visible][:3]  # pages of three, so that there are several

    async def open_texts(self, app_id: str, chat_id: str) -> list[OpenText]:
        return self.texts

    async def drafts(self, app_id: str, chat_id: str, person: str) -> list[Draft]:
        return []


def following(rows: Rows, chat_id: str = "c") -> Follower:
    return Follower(cast(Engine, rows), "app", chat_id, "you")


def seqs(sent: list[Sent]) -> list[int]:
    return [one.seq for one in sent if one.seq is not None]


def step(number: int) -> ProgressMade:
    return ProgressMade(note=str(number))


def delta(message_id: str, offset: int, text: str) -> Frame:
    body = TextDelta(message_id, offset, text)
    return Frame("c", None, body, orjson.dumps(body.as_json()))


def message(message_id: str, content: str) -> MessageWritten:
    return MessageWritten(message_id=message_id, role="assistant", content=content)


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
        with following(rows) as follower:
            got = seqs(await follower.begin(Place(place)))
            told = [f for f in rows.frames if f.seq not in lost or f.seq == count]
            told += [f for f in rows.frames if f.seq in doubled]
            order.shuffle(told)
            rows.visible = count
            for frame in told:
                rows.tell(frame)
            while not got or got[-1] < count:
                if place == count:
                    break
                got += seqs(await follower.next())
            assert got == list(range(place + 1, count + 1))

    asyncio.run(story())


async def test_what_happens_between_subscribing_and_reading_is_not_told_twice():
    rows = Rows(step(1), step(2))
    with following(rows) as follower:
        rows.tell(rows.commit(step(3)))
        assert seqs(await follower.begin(Place(1))) == [2, 3]
        rows.tell(rows.commit(step(4)))
        assert seqs(await follower.next()) == [4]


async def test_a_gap_costs_one_read_and_a_stream_without_one_none():
    rows = Rows(step(1))
    with following(rows) as follower:
        await follower.begin(Place(1))
        rows.reads = 0
        for number in range(2, 6):
            rows.tell(rows.commit(step(number)))
        assert seqs(await follower.next()) == [2, 3, 4, 5]
        assert rows.reads == 0
        rows.commit(step(6))
        rows.tell(rows.commit(step(7)))
        assert seqs(await follower.next()) == [6, 7]
        assert rows.reads == 2, "a page, and the empty one after it"


async def test_deltas_of_a_text_that_is_closed_already_are_dropped():
    rows = Rows(step(1))
    with following(rows) as follower:
        rows.tell(delta("m", 0, "Hel"))
        rows.commit(message("m", "Hello"))  # committed, and not told yet
        sent = await follower.begin(Place(1))
        assert [type_of(one) for one in sent] == ["chat.message"]
        rows.tell(delta("m", 3, "lo"), rows.frames[-1], delta("next", 0, "More"))
        (only,) = await follower.next()
        assert isinstance(only, Frame)
        assert only.body == TextDelta("next", 0, "More")


async def test_an_open_text_whose_message_was_just_written_is_not_told():
    rows = Rows(step(1), message("m", "Hello"))
    rows.texts = [OpenText("m", "Hell"), OpenText("n", "Next")]
    with following(rows) as follower:
        sent = await follower.begin(Place(1))
        assert [type_of(one) for one in sent] == ["chat.message", "chat.live"]
    with following(rows) as follower:
        first, live = await follower.begin(None)
        assert isinstance(first, Snapshot)
        assert type_of(live) == "chat.live"


async def test_anothers_draft_is_not_told():
    rows = Rows(step(1))
    with following(rows) as follower:
        await follower.begin(None)
        for person in ("mara", "you"):
            body = Draft("i", person, {"reason": person})
            rows.tell(Frame("c", None, body, orjson.dumps(body.as_json())))
        (only,) = await follower.next()
        assert isinstance(only, Frame)
        assert only.body == Draft("i", "you", {"reason": "you"})


async def test_a_reader_that_was_too_slow_knows():
    rows = Rows()
    rows.feed = LocalFeed(max_frames=2)
    with following(rows) as follower:
        await follower.begin(None)
        for number in range(5):
            rows.tell(rows.commit(step(number)))
        assert follower.lost
        assert seqs(await follower.next()) == [1, 2]


async def test_an_unknown_chat():
    rows = Rows()
    with following(rows, "other") as follower, pytest.raises(NotFound):
        await follower.begin(None)
    assert rows.feed.listening == 0


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (None, None),
        ("", None),
        ("7", Place(7)),
        ("log:7", Place(7, "log")),
        ("a:b:7", Place(7, "a:b")),
    ],
)
def test_places(text: str | None, place: Place | None):
    assert read_place(text) == place


@pytest.mark.parametrize("text", ["x", "-1", ":1", "log:", "1.0", "٣", " 1", "9" * 19])
def test_what_is_no_place(text: str):
    with pytest.raises(InvalidInput):
        read_place(text)
