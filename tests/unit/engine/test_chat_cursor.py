"""Every reader of a chat sees the same, however the feed drops, doubles or shuffles events."""

import asyncio
from datetime import UTC, datetime
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.events import RunMoved, ToolCalled
from sayso.core.sessions import Run, RunState
from sayso.core.tasks import TaskChunkType, TaskRequest, UniversalMessage
from sayso.engine.chat_cursor import ChatCursor
from sayso.engine.engine import Engine
from sayso.engine.sessions import ChunkStream
from sayso.feed import LocalFeed
from tests.unit.engine.chat_rows import Rows, delta, message, step

RUN = Run(
    id="r",
    app_id="app",
    chat_id="c",
    agent="agent",
    task=TaskRequest(task_id="t", messages=[UniversalMessage(role="user", content="go")]),
    state=RunState.RUNNING,
    created_at=datetime.now(UTC),
    updated_at=datetime.now(UTC),
)
INTERLEAVINGS: dict[str, Any] = {
    "count": st.integers(1, 12),
    "after": st.integers(0, 12),
    "order": st.randoms(use_true_random=False),
    "lost": st.sets(st.integers(1, 12)),
    "doubled": st.sets(st.integers(1, 12)),
}


def publish_badly(rows: Rows, order: Any, lost: set[int], doubled: set[int]) -> None:
    """Publish the events without some, with some twice, in any order. The last one arrives."""
    last = len(rows.frames)
    frames = [f for f in rows.frames if f.seq not in lost or f.seq == last]
    frames += [f for f in rows.frames if f.seq in doubled]
    order.shuffle(frames)
    rows.visible = last
    rows.tell(*frames)


@given(**INTERLEAVINGS)
def test_a_cursor_gives_each_event_once_and_in_order(
    count: int, after: int, order: Any, lost: set[int], doubled: set[int]
) -> None:
    async def story() -> None:
        rows = Rows(*map(step, range(count)))
        begin = min(after, count)
        rows.visible = order.randint(begin, count)
        with ChatCursor(cast(Engine, rows), "app", "c", seq=begin) as cursor:
            got = [frame.seq async for page in cursor.missed() for frame in page]
            assert cursor.replayed_to == cursor.seq == rows.visible
            publish_badly(rows, order, lost, doubled)
            while cursor.seq < count:
                got += [frame.seq for frame in await cursor.next()]
        assert got == list(range(begin + 1, count + 1))
        assert rows.feed.listening == 0

    asyncio.run(story())


@given(**INTERLEAVINGS)
def test_a_session_gives_each_chunk_once_and_in_order(
    count: int, after: int, order: Any, lost: set[int], doubled: set[int]
) -> None:
    async def story() -> None:
        calls = [
            ToolCalled(tool_call_id=f"call-{number}", run_id="r", name="look", arguments={})
            for number in range(count)
        ]
        rows = Rows(*calls, RunMoved(run_id="r", task_id="t", status="completed"))
        begin = min(after, count)
        rows.visible = order.randint(begin, count)
        stream = aiter(ChunkStream(cast(Engine, rows), RUN, after=begin))
        got = []
        if rows.visible > begin:
            got.append(await anext(stream))  # it has subscribed by now
        publish_badly(rows, order, lost, doubled)
        got += [chunk async for chunk in stream]
        assert [chunk.sequence_id for chunk in got] == list(range(begin + 1, count + 2))
        assert [chunk.is_final for chunk in got] == [False] * (count - begin) + [True]
        assert rows.feed.listening == 0

    asyncio.run(story())


async def test_what_came_from_the_store_is_told_from_what_happens() -> None:
    rows = Rows(step(1))
    with ChatCursor(cast(Engine, rows), "app", "c") as cursor:
        assert [f.seq async for page in cursor.missed() for f in page] == [1]
        rows.tell(rows.commit(step(2)))
        assert [f.seq for f in await cursor.next()] == [2]
        assert cursor.replayed_to == 1
        rows.commit(step(3))
        rows.tell(rows.commit(step(4)))
        assert [f.seq for f in await cursor.next()] == [3, 4]
        assert cursor.replayed_to == 4, "a gap is read from the store"


async def test_a_reader_of_a_view_gets_no_text_that_the_view_holds() -> None:
    rows = Rows(message("m", "Hello"))
    with ChatCursor(cast(Engine, rows), "app", "c") as cursor:
        cursor.move_to(1, ["m"])
        rows.tell(delta("m", 0, "Hello"), delta("n", 0, "Next"))
        assert [frame.body.message_id for frame in await cursor.next()] == ["n"]  # type: ignore[union-attr]


async def test_a_session_that_fell_behind_begins_again_where_it_was() -> None:
    rows = Rows(RunMoved(run_id="r", task_id="t", status="running"))
    rows.feed = LocalFeed(max_frames=2)
    stream = aiter(ChunkStream(cast(Engine, rows), RUN, after=0))
    async with asyncio.timeout(10):
        got = [await anext(stream)]
        for number in range(5):
            rows.tell(
                rows.commit(message(f"m{number}", f"{number}").model_copy(update={"run_id": "r"}))
            )
        rows.tell(rows.commit(RunMoved(run_id="r", task_id="t", status="completed")))
        got += [chunk async for chunk in stream]
    said = [chunk.content for chunk in got if chunk.chunk_type is TaskChunkType.RESPONSE]
    assert said == ["0", "1", "2", "3", "4"]
    assert got[-1].is_final


@pytest.mark.parametrize("after", [0, 1])
async def test_a_closed_cursor_cancels_who_waits(after: int) -> None:
    rows = Rows(step(1))
    cursor = ChatCursor(cast(Engine, rows), "app", "c", seq=after)
    waiting = asyncio.create_task(cursor.next())
    await asyncio.sleep(0)
    cursor.close()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert rows.feed.listening == 0
