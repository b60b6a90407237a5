"""A real server on a loopback port, around a real engine, with an agent that does what a test says.

The puppet's segments run in the engine's own worker thread, as any agent's do.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import httpx
from fastapi import FastAPI
from websockets.asyncio.client import ClientConnection, connect

from sayso.clock import SystemClock
from sayso.core.cards import ApprovalCard, Card, Option, OptionsCard
from sayso.core.digest import JsonObject
from sayso.core.errors import SaysoError
from sayso.core.events import EventData
from sayso.core.interactions import CardRequest, Proposal
from sayso.core.ports import Clock
from sayso.core.segments import (
    Capabilities,
    Completed,
    Failed,
    Program,
    Recorder,
    SegmentEnd,
    SegmentStart,
    Waiting,
)
from sayso.core.sessions import SavedState
from sayso.core.tasks import TaskStreamChunk, text_chunk
from sayso.core.ui_calls import UiCall
from sayso.core.usage import ModelCall
from sayso.engine.engine import Engine
from sayso.engine.runtime import EngineSettings
from sayso.feed import LocalFeed
from sayso.mcp import Servers
from sayso.server.app import create_app
from sayso.server.process import SaysoServer, address_of, bind, config
from sayso.settings import Settings, Token
from sayso.store.store import SqlStore
from tests.loopback import client_of

#: Nothing here takes this long; it only ends a test that hangs.
GUARD_SECONDS = 60
#: JSON as a client gets it; a test looks into it as it likes.
Wire = dict[str, Any]
Do = Callable[[Recorder], Awaitable[TaskStreamChunk | SegmentEnd | None]]


class Hold:
    """One running segment, in the hand of the test. Each verb returns once it is done there."""

    def __init__(self, start: SegmentStart) -> None:
        self.start = start
        self.run, self.task_id = start.run, start.run.task.task_id
        self._loop = asyncio.get_running_loop()
        self.todo: asyncio.Queue[tuple[Do, Future[None]]] = asyncio.Queue()

    async def say(self, text: str, agent_name: str | None = None) -> None:
        await self._do(lambda _: _given(text_chunk(self.task_id, text, agent_name)))

    async def show(self, *events: EventData) -> None:
        async def show(recorder: Recorder) -> None:
            await recorder.show(*events)

        await self._do(show)

    async def use(self, call: ModelCall) -> None:
        """A model was asked."""

        async def use(recorder: Recorder) -> None:
            recorder.used(call)

        await self._do(use)

    async def ask(self, *requests: CardRequest) -> None:
        saved = SavedState(adapter="puppet", version="1", blob=b"", journal=b"")
        await self._do(lambda _: _given(Waiting(saved=saved, requests=requests)))

    async def finish(self, output: str = "") -> None:
        await self._do(lambda _: _given(Completed(output=output)))

    async def fail(self, error: SaysoError) -> None:
        await self._do(lambda _: _given(Failed(error=error)))

    async def _do(self, do: Do) -> None:
        done: Future[None] = Future()
        self._loop.call_soon_threadsafe(self.todo.put_nowait, (do, done))
        async with asyncio.timeout(GUARD_SECONDS):
            await asyncio.wrap_future(done)


class Puppet:
    """An agent that waits for a test to tell it what to do."""

    name = "puppet"
    adapter_name = "puppet"
    capabilities = Capabilities()
    tool_names: Sequence[str] = ("refund",)

    def __init__(self) -> None:
        self.holds: list[Hold] = []

    async def finish_late(self) -> None:
        """Nothing of a puppet outlives its segment."""

    async def call_for_ui(self, call: UiCall, preferences: JsonObject) -> JsonObject | None:
        """Of what a UI calls, `look` needs nobody."""
        return {"content": []} if call.tool == "look" else None

    async def read_for_ui(self, server: str, uri: str, person: str | None) -> JsonObject:
        return {"contents": []}

    async def run_segment(
        self, start: SegmentStart, recorder: Recorder
    ) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
        hold = Hold(start)
        self.holds.append(hold)
        while True:
            do, done = await hold.todo.get()
            try:
                out = await do(recorder)
            except BaseException as exc:
                done.set_exception(exc)
                raise
            if isinstance(out, TaskStreamChunk):
                yield out
            elif out is not None:
                done.set_result(None)
                yield out
                return
            done.set_result(None)

    async def hold(self, run_id: str, fence: int = 0) -> Hold:
        """The newest segment of this run, as soon as it runs with more than `fence`."""
        async with asyncio.timeout(GUARD_SECONDS):
            while True:
                for hold in reversed(self.holds):
                    if hold.run.id == run_id and hold.run.fence > fence:
                        return hold
                await asyncio.sleep(0.002)


@dataclass
class World:
    """The server, its engine, and clients of it."""

    url: str
    engine: Engine
    puppet: Puppet
    http: httpx.AsyncClient
    server: SaysoServer
    app: FastAPI
    _sockets: list[ClientConnection] = field(default_factory=list)

    @property
    def listening(self) -> int:
        """How many clients the feed knows of."""
        feed = self.engine.feed
        assert isinstance(feed, LocalFeed)
        return feed.listening

    async def chat(self) -> str:
        answer = await self.http.post("/api/chats", json={})
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    async def start(self, chat_id: str, words: str = "go", key: str = "m1") -> Hold:
        """A message, and the segment it started."""
        body = {"content": words, "client_message_id": key}
        answer = await self.http.post(f"/api/chats/{chat_id}/messages", json=body)
        assert answer.status_code == 202, answer.text
        return await self.puppet.hold(answer.json()["run_id"])

    async def asked(self, chat_id: str, *requests: CardRequest) -> list[Wire]:
        """A run of this chat that waits for these, as the inbox lists them."""
        hold = await self.start(chat_id)
        await hold.ask(*(requests or (refund(),)))
        return await self.pending(chat_id, len(requests) or 1)

    async def pending(self, chat_id: str, count: int = 1) -> list[Wire]:
        """The open cards of a chat, once there are this many, oldest first."""
        async with asyncio.timeout(GUARD_SECONDS):
            while True:
                query = {"chat": chat_id, "status": "pending"}
                found = (await self.http.get("/api/interactions", params=query)).json()
                if len(found["interactions"]) >= count:
                    return list(reversed(found["interactions"]))
                await asyncio.sleep(0.005)

    async def live(self, chat_id: str, after: str | None = None, **options: Any) -> Live:
        query = "" if after is None else f"?after={after}"
        address = f"{self.url.replace('http', 'ws', 1)}/api/chats/{chat_id}/live{query}"
        socket = await connect(address, compression=None, max_size=None, **options)
        self._sockets.append(socket)
        return Live(socket)

    async def view(self, chat_id: str) -> Wire:
        answer = await self.http.get(f"/api/chats/{chat_id}")
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    async def until_run(self, chat_id: str, status: str) -> Wire:
        """The chat once its newest run has this status."""
        async with asyncio.timeout(GUARD_SECONDS):
            while True:
                view = await self.view(chat_id)
                if view["run"]["status"] == status:
                    return view
                await asyncio.sleep(0.01)

    async def until_metric(self, line: str) -> None:
        """Wait until /metrics has this line."""
        async with asyncio.timeout(GUARD_SECONDS):
            while True:
                if line in (await self.http.get("/metrics")).text.splitlines():
                    return
                await asyncio.sleep(0.02)

    async def close(self) -> None:
        for socket in self._sockets:
            await socket.close()
        await self.http.aclose()


class Live:
    """A client's WebSocket: frames as JSON, acknowledgements by their ref."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.frames: list[Wire] = []
        self._refs = 0
        self._aside: list[Wire] = []

    async def next(self) -> Wire:
        """The next frame that is no acknowledgement."""
        while True:
            frame = await self._receive()
            if "ref" not in frame:
                self.frames.append(frame)
                return frame

    async def until(self, wanted: Callable[[Wire], bool]) -> Wire:
        while True:
            frame = await self.next()
            if wanted(frame):
                return frame

    async def until_event(self, kind: str, **data: object) -> Wire:
        return await self.until(
            lambda f: f["type"] == kind and all(f["data"].get(k) == v for k, v in data.items())
        )

    async def call(self, kind: str, data: Wire) -> Wire:
        """Send a client frame; its acknowledgement. Frames that come before it are kept."""
        self._refs += 1
        ref = f"r{self._refs}"
        await self.socket.send(json.dumps({"ref": ref, "type": kind, "data": data}))
        passed: list[Wire] = []
        while True:
            frame = await self._receive()
            if frame.get("ref") == ref:
                self._aside = [*passed, *self._aside]
                return frame
            passed.append(frame)

    async def _receive(self) -> Wire:
        if self._aside:
            return self._aside.pop(0)
        async with asyncio.timeout(GUARD_SECONDS):
            return dict(json.loads(await self.socket.recv()))


def refund(call_key: str = "refund-1", **card: Any) -> CardRequest:
    """An approval of a refund, with its proposal."""
    arguments: Wire = {"order": "1001", "amount": 20}
    return CardRequest(
        call_key=call_key,
        card=ApprovalCard(
            title="Refund order 1001",
            agent_message="May I?",
            tool_name="refund",
            tool_params=arguments,
            **card,
        ),
        ui_tool_id="approval",
        agent_name="puppet",
        tool_call_id=call_key,
        proposal=Proposal(tool_name="refund", arguments=arguments),
    )


def which(call_key: str = "which-1", *options: str, seconds: float | None = None) -> CardRequest:
    """A question with options, or a free one."""
    choices = [Option(id=o, label=o.title()) for o in options]
    card: Card = OptionsCard(title="Which?", question="Which one?", options=choices)
    expires_in = timedelta(seconds=seconds) if seconds is not None else None
    return CardRequest(call_key=call_key, card=card, ui_tool_id="options", expires_in=expires_in)


@asynccontextmanager
async def running(
    settings: Settings | None = None,
    *,
    feed: LocalFeed | None = None,
    headers: dict[str, str] | None = None,
    programs: Mapping[str, Program] | None = None,
    clock: Clock | None = None,
    local_tokens: Sequence[Token] = (),
    mcp: Servers | None = None,
) -> AsyncIterator[World]:
    """A server for a test, with a database in memory; of these programs, or of a puppet."""
    clock, puppet = clock or SystemClock(), Puppet()
    engine = Engine(
        store=SqlStore.in_memory(clock=clock),
        feed=feed or LocalFeed(),
        clock=clock,
        programs=programs or {"puppet": puppet},
        # A puppet that nobody moves any more has nothing to come to its end.
        settings=EngineSettings(grace_seconds=0),
        holds_calls=mcp,
    )
    chosen = settings or Settings(port=0)
    app = create_app(engine, chosen, local_tokens=local_tokens, mcp=mcp)
    listening = bind(chosen.host, chosen.port)
    server = SaysoServer(config(app, chosen), app)
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    async with asyncio.timeout(GUARD_SECONDS):
        while not server.started:
            if serving.done():
                await serving
            await asyncio.sleep(0.005)
    url = address_of(listening)
    http = client_of(url, headers=headers, timeout=GUARD_SECONDS)
    world = World(url, engine, puppet, http, server, app)
    try:
        yield world
    finally:
        await world.close()
        server.should_exit = True
        await serving


async def begin(world: World, chat_id: str, words: str, key: str = "m1") -> None:
    """A message that starts a run of a program that is no puppet."""
    body = {"content": words, "client_message_id": key}
    answer = await world.http.post(f"/api/chats/{chat_id}/messages", json=body)
    assert answer.status_code == 202, answer.text


async def _given(out: TaskStreamChunk | SegmentEnd) -> TaskStreamChunk | SegmentEnd:
    return out
