"""One chat over a WebSocket: nothing missed, nothing twice, wherever the connection was cut."""

import asyncio
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from sayso.core.chat_view import ChatView
from sayso.core.errors import StoreBusy
from sayso.core.events import (
    ArtifactChanged,
    ChatEvent,
    OpenText,
    ProgressMade,
    TextDelta,
    read_event,
)
from sayso.core.feed import Frame
from sayso.feed import LocalFeed
from sayso.settings import Settings
from sayso.testing.fold import apply, overlay
from tests.integration.conversation import a_conversation
from tests.integration.world import World, refund, running, which


class Page:
    """What a client shows: the fold of what it was sent, and its cursor."""

    def __init__(self) -> None:
        self.view: ChatView | None = None

    @property
    def after(self) -> str | None:
        return None if self.view is None else f"{self.view.log_id}:{self.view.seq}"

    def take(self, frame: dict[str, Any]) -> None:
        kind, data = frame["type"], frame["data"]
        if kind == "chat.snapshot":
            self.view = ChatView.model_validate(data)
            return
        assert self.view is not None
        if kind in ("chat.delta", "chat.live"):
            text = TextDelta(**data) if kind == "chat.delta" else OpenText(**data)
            drawn = overlay(self.view, text)
            assert drawn is not None, "a gap in a text"
            self.view = drawn
        elif "seq" in frame:
            event = read_event(frame)
            assert isinstance(event, ChatEvent)
            assert event.seq == self.view.seq + 1, "a gap or a repeat"
            self.view = apply(self.view, event)


async def test_a_client_without_a_place_gets_a_snapshot_and_then_all_that_happens(world: World):
    chat_id = await world.chat()
    live = await world.live(chat_id)
    first = await live.next()
    assert first["type"] == "chat.snapshot"
    await a_conversation(world, chat_id)
    await live.until_event("chat.run", status="completed")
    page = Page()
    for frame in live.frames:
        page.take(frame)
    assert page.view == ChatView.model_validate(await world.until_run(chat_id, "completed"))


async def test_resuming_at_every_cut_gives_exactly_the_rest(world: World):
    chat_id = await world.chat()
    await a_conversation(world, chat_id)
    view = await world.until_run(chat_id, "completed")
    last, log_id = int(view["seq"]), view["log_id"]
    whole = await world.live(chat_id, "0")
    events = [await whole.next() for _ in range(last)]
    assert [event["seq"] for event in events] == list(range(1, last + 1))
    for cut in range(last):
        live = await world.live(chat_id, f"{log_id}:{cut}")
        assert [await live.next() for _ in range(last - cut)] == events[cut:]
        await live.socket.close()


@pytest.mark.parametrize("every", [1, 2, 3, 7])
async def test_a_page_that_is_cut_again_and_again_ends_as_one_that_never_was(
    world: World, every: int
):
    chat_id = await world.chat()
    page = Page()

    async def look() -> None:
        while True:
            live = await world.live(chat_id, page.after)
            for _ in range(every):
                page.take(await live.next())
                assert page.view is not None
                if page.view.run and page.view.run.status == "completed":
                    return
            await live.socket.close()

    looking = asyncio.create_task(look())
    await a_conversation(world, chat_id)
    await looking
    end = ChatView.model_validate(await world.until_run(chat_id, "completed"))
    assert page.view is not None
    assert page.view.model_copy(update={"live": []}) == end


async def test_a_text_that_is_being_written_is_told_once_and_goes_on(world: World):
    chat_id = await world.chat()
    hold = await world.start(chat_id)
    await hold.say("Hello ")
    await hold.say("wörld, ")
    live = await world.live(chat_id, "0")
    await live.until_event("chat.live")
    await hold.say("🌍 goes on.")
    # What was said just before may not have been told yet, and then comes with it.
    await live.until(lambda f: f["type"] == "chat.delta" and f["data"]["text"].endswith("goes on."))
    await hold.finish()
    message = await live.until_event("chat.message", role="assistant")
    page = Page()
    page.view = ChatView(id=chat_id, app_id="default")
    for frame in live.frames[:-1]:
        page.take(frame)
    (text,) = page.view.live
    assert text.text == "Hello wörld, 🌍 goes on."
    assert message["data"]["content"] == text.text


async def test_another_log_or_a_future_place_gives_a_snapshot(world: World):
    chat_id = await world.chat()
    await world.start(chat_id)
    for after in ("other-log:1", "99999"):
        live = await world.live(chat_id, after)
        assert (await live.next())["type"] == "chat.snapshot"


@pytest.mark.parametrize("after", ["x", "log:", ":5", "-1", "1.5", "log:1:x", "9" * 30])
async def test_what_is_no_place_is_refused_before_the_handshake(world: World, after: str):
    chat_id = await world.chat()
    with pytest.raises(InvalidStatus) as refused:
        await world.live(chat_id, after)
    assert refused.value.response.status_code == 422
    assert json.loads(refused.value.response.body or b"")["code"] == "invalid_input"


async def test_an_unknown_chat_is_refused_before_the_handshake(world: World):
    with pytest.raises(InvalidStatus) as refused:
        await world.live("no-such-chat")
    assert refused.value.response.status_code == 404
    assert json.loads(refused.value.response.body or b"")["code"] == "not_found"


async def test_a_page_from_elsewhere_cannot_connect(world: World):
    chat_id = await world.chat()
    for origin in ("http://evil.example", "null", "http://127.0.0.1:1", "file://"):
        with pytest.raises(InvalidStatus) as refused:
            await world.live(chat_id, origin=origin)
        assert refused.value.response.status_code == 403
    await world.live(chat_id, origin=world.url)


async def test_every_verb_is_acknowledged_and_done(world: World):
    chat_id = await world.chat()
    live = await world.live(chat_id)
    await live.next()
    sent = await live.call("message", {"content": "go", "client_message_id": "m1"})
    posted: Any = sent["ok"]
    assert posted["status"] == "started"
    hold = await world.puppet.hold(posted["run_id"])
    await hold.ask(which("slow", "a", "b", seconds=600), refund("two"), refund("three"))
    slow, two, three = await world.pending(chat_id, 3)

    extended: Any = await live.call(
        "extend", {"interaction_id": slow["interaction_id"], "seconds": 60}
    )
    assert extended["ok"]["expires_at"] > slow["expires_at"]
    draft = {"interaction_id": two["interaction_id"], "content": {"reason": "hm"}}
    assert (await live.call("draft", draft))["ok"] == {}
    answer = {"interaction_id": two["interaction_id"], "key": "k1", "body": {"approved": True}}
    assert (await live.call("answer", answer))["ok"]["status"] == "completed"
    again: Any = await live.call("answer", answer)
    assert again["ok"]["repeated"] is True
    dismissed: Any = await live.call("dismiss", {"interaction_id": three["interaction_id"]})
    assert dismissed["ok"]["status"] == "dismissed"
    cancelled: Any = await live.call("cancel", {"reason": "enough"})
    assert cancelled["ok"] == {"run_id": posted["run_id"], "status": "cancelled"}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("{", "invalid_input"),
        ("[]", "invalid_input"),
        ('{"ref": 1, "type": "fly"}', "invalid_input"),
        ('{"ref": "1", "type": "message", "data": {"content": ""}}', "invalid_input"),
        ('{"ref": "1", "type": "message", "data": {}, "extra": 1}', "invalid_input"),
        (
            '{"ref": "1", "type": "answer", "data": {"interaction_id": "x", "body": {}}}',
            "invalid_input",
        ),
        (
            '{"ref": "1", "type": "answer", "data": '
            '{"interaction_id": "x", "key": "k", "body": {}}}',
            "not_found",
        ),
        ('{"ref": "1", "type": "dismiss", "data": {"interaction_id": "x"}}', "not_found"),
        (
            '{"ref": "1", "type": "draft", "data": {"interaction_id": "x", "content": {}}}',
            "not_found",
        ),
    ],
)
async def test_a_frame_that_cannot_be_done_is_answered_and_the_connection_stays(
    world: World, text: str, code: str
):
    live = await world.live(await world.chat())
    await live.next()
    await live.socket.send(text)
    problem: Any = json.loads(await live.socket.recv())["problem"]
    assert problem["code"] == code
    assert {"type", "title", "status", "detail", "fix"} <= set(problem)
    assert (await live.call("cancel", {}))["ok"] == {"run_id": None, "status": None}


async def test_drafts_go_to_this_persons_other_devices_only(world: World):
    chat_id = await world.chat()
    (card,) = await world.asked(chat_id)
    desk, phone = await world.live(chat_id), await world.live(chat_id)
    draft = {"interaction_id": card["interaction_id"], "content": {"reason": "since"}}
    await desk.call("draft", draft)
    assert (await phone.until_event("chat.draft"))["data"] == draft
    await desk.call("answer", {**card_answer(card), "key": "k"})
    await desk.until_event("chat.ui_tool_complete")
    assert not [frame for frame in desk.frames if frame["type"] == "chat.draft"]


async def test_a_draft_is_there_again_after_reconnecting(world: World):
    chat_id = await world.chat()
    (card,) = await world.asked(chat_id)
    draft = {"interaction_id": card["interaction_id"], "content": {"reason": "since"}}
    await (await world.live(chat_id)).call("draft", draft)
    again = await world.live(chat_id)
    assert (await again.until_event("chat.draft"))["data"] == draft


def card_answer(card: dict[str, Any]) -> dict[str, Any]:
    return {"interaction_id": card["interaction_id"], "body": {"approved": True}}


async def test_a_slow_reader_is_cut_off_while_the_others_and_the_run_go_on():
    # The quick one is not to be cut for a moment in which this machine does nothing.
    settings = Settings(port=0, slow_client_seconds=3)
    async with running(settings, feed=LocalFeed(max_frames=20)) as world:
        chat_id = await world.chat()
        slow = await world.live(chat_id, max_queue=1)
        quick = await world.live(chat_id)
        hold = await world.start(chat_id)
        metric = 'sayso_clients_cut_off_total{kind="live"} 1.0'
        cut_off, version = asyncio.create_task(world.until_metric(metric)), 0
        while not cut_off.done():
            version += 1
            content = "x" * 100_000
            await hold.show(
                ArtifactChanged(
                    id=f"a-{chat_id}",
                    ui_tool_id="plan",
                    title="P",
                    content=content,
                    version=version,
                )
            )
            await quick.until_event("chat.artifact", version=version)
        await cut_off
        # It reads on at once: who does not take even this in time is let go without a word.
        await slow.until(lambda frame: frame["type"] == "chat.sync")
        with pytest.raises(ConnectionClosed) as closed:
            await slow.next()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4008
        seen = [f["seq"] for f in slow.frames if "seq" in f]
        assert seen == list(range(1, len(seen) + 1)), "what it got is whole up to the cut"
        await hold.finish()
        await quick.until_event("chat.run", status="completed")


async def test_a_reader_that_takes_nothing_is_let_go():
    settings = Settings(port=0, slow_client_seconds=0.3)
    async with running(settings, feed=LocalFeed(max_frames=5)) as world:
        chat_id = await world.chat()
        dead = await world.live(chat_id, max_queue=1)
        dead.socket.transport.pause_reading()
        hold = await world.start(chat_id)
        for version in range(1, 120):
            await hold.show(
                ArtifactChanged(
                    id="a", ui_tool_id="plan", title="P", content="x" * 200_000, version=version
                )
            )
        await world.until_metric('sayso_connections{kind="live"} 0.0')
        dead.socket.transport.abort()


async def test_a_reader_whose_chat_cannot_be_read_now_is_told_to_come_back(
    world: World, monkeypatch: pytest.MonkeyPatch
):
    chat_id = await world.chat()
    live = await world.live(chat_id)
    first = await live.next()

    async def busy(*_: Any, **__: Any) -> list[Frame]:
        raise StoreBusy("another program holds it")

    monkeypatch.setattr(world.engine.store, "events_after", busy)
    lost = ChatEvent(first["data"]["seq"] + 2, datetime.now(UTC), ProgressMade(note="after a gap"))
    world.engine.feed.publish("default", [Frame(chat_id, lost.seq, lost, b"{}")])
    assert (await live.next())["type"] == "chat.sync"
    with pytest.raises(ConnectionClosed) as closed:
        await live.next()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1011
    monkeypatch.undo()
    again = await world.live(chat_id, f"{first['data']['log_id']}:{first['data']['seq']}")
    await world.start(chat_id)
    await again.until_event("chat.message", role="user")


async def test_one_encode_per_event_however_many_clients(
    world: World, monkeypatch: pytest.MonkeyPatch
):
    chat_id = await world.chat()
    clients = [await world.live(chat_id) for _ in range(5)]
    for client in clients:
        await client.next()
    encoded: list[int] = []
    as_json = ChatEvent.as_json

    def counted(event: ChatEvent) -> dict[str, Any]:
        encoded.append(event.seq)
        return as_json(event)

    monkeypatch.setattr(ChatEvent, "as_json", counted)
    await a_conversation(world, chat_id)
    for client in clients:
        await client.until_event("chat.run", status="completed")
    seqs = [frame["seq"] for frame in clients[0].frames if "seq" in frame]
    assert sorted(encoded) == seqs, "each event once"
