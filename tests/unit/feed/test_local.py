"""The feed: any thread publishes, each reader hears its chats in order, and memory is bounded."""

import asyncio
import threading

import pytest

from sayso.core.events import TextDelta
from sayso.core.feed import Feed, Frame
from sayso.feed import LocalFeed


def frame(number: int, chat_id: str = "c1", *, durable: bool = True, size: int = 10) -> Frame:
    body = TextDelta("m1", number, "x")
    return Frame(chat_id, number if durable else None, body, b"x" * size)


def seqs(frames: list[Frame]) -> list[int | None]:
    return [one.seq for one in frames]


async def test_a_reader_hears_its_chat_in_order_and_nothing_else():
    feed: Feed = LocalFeed()
    mine = feed.subscribe("app", "c1")
    feed.publish("app", [frame(1), frame(1, "c2"), frame(2)])
    feed.publish("other", [frame(9)])
    assert seqs([await mine.get(), *mine.drain()]) == [1, 2]
    assert mine.drain() == []


async def test_a_listener_to_all_chats_hears_durable_frames_only():
    feed = LocalFeed()
    everything = feed.subscribe("app")
    feed.publish("app", [frame(1), frame(5, durable=False), frame(1, "c2")])
    feed.publish("app", [frame(6, durable=False)])
    assert [(f.chat_id, f.seq) for f in everything.drain()] == [("c1", 1), ("c2", 1)]


async def test_frames_published_in_another_thread_wake_the_reader():
    feed = LocalFeed()
    mine = feed.subscribe("app", "c1")

    def publish() -> None:
        for number in range(1, 501):
            feed.publish("app", [frame(number)])

    thread = threading.Thread(target=publish)
    thread.start()
    heard: list[int | None] = []
    async with asyncio.timeout(60):
        while len(heard) < 500:
            heard += seqs([await mine.get(), *mine.drain()])
    thread.join()
    assert heard == list(range(1, 501))


async def test_many_frames_wake_the_loop_once(monkeypatch):
    feed = LocalFeed()
    mine = feed.subscribe("app", "c1")
    waiting = asyncio.create_task(mine.get())
    await asyncio.sleep(0)
    loop, woken = asyncio.get_running_loop(), 0
    rouse = loop.call_soon_threadsafe

    def counted(*args, **kwargs):
        nonlocal woken
        woken += 1
        return rouse(*args, **kwargs)

    monkeypatch.setattr(loop, "call_soon_threadsafe", counted)
    for number in range(1, 101):
        feed.publish("app", [frame(number)])
    assert (await waiting).seq == 1
    assert len(mine.drain()) == 99
    assert woken == 1


async def test_a_slow_reader_loses_frames_and_is_told():
    feed = LocalFeed(max_frames=3)
    slow, quick = feed.subscribe("app", "c1"), feed.subscribe("app", "c1")
    for number in range(1, 6):
        feed.publish("app", [frame(number)])
        assert quick.drain()
    assert (slow.lost, quick.lost) == (True, False)
    assert seqs(slow.drain()) == [1, 2, 3], "what is held is whole up to the first one dropped"
    feed.publish("app", [frame(6)])
    assert (await slow.get()).seq == 6
    assert slow.lost


async def test_a_reader_is_bounded_in_bytes_but_one_large_frame_passes():
    feed = LocalFeed(max_bytes=100)
    mine = feed.subscribe("app", "c1")
    feed.publish("app", [frame(1, size=1000)])
    feed.publish("app", [frame(2)])
    feed.publish("app", [frame(3, size=0)])
    assert seqs(mine.drain()) == [1], "once one was dropped, those after it are too"
    assert mine.lost


async def test_a_closed_subscription_is_forgotten_and_its_reader_cancelled():
    feed = LocalFeed()
    mine = feed.subscribe("app", "c1")
    reader = asyncio.create_task(mine.get())
    await asyncio.sleep(0)
    mine.close()
    await asyncio.wait([reader])
    assert reader.cancelled()
    assert feed.listening == 0
    feed.publish("app", [frame(1)])
    assert mine.drain() == []


async def test_who_asks_a_closed_subscription_does_not_wait_for_ever():
    ear = LocalFeed().subscribe("a", "c")
    ear.close()
    with pytest.raises(asyncio.CancelledError):
        async with asyncio.timeout(5):
            await ear.get()
