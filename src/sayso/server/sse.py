"""Server-sent events: one chat with resume, and hints over all chats of a tenant.

`id:` is the seq, so a browser resumes by itself with Last-Event-ID. What is live only has no id.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar

from fastapi import APIRouter, Header, Query
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from sayso.core.attention import AttentionMoved
from sayso.core.feed import Frame
from sayso.logs import logger
from sayso.server.auth import Principal, Who
from sayso.server.chat_updates import ChatUpdates, Sent, read_position, type_of
from sayso.server.problems import stack_of
from sayso.server.responses import REFUSALS
from sayso.server.service import Service, TheService

log = logger("sayso.server")

# Below the 60 s after which many home routers and proxies drop idle connections.
HEARTBEAT_SECONDS = 15.0
# Hints only say what to reload; ten a second are more than a person can see.
HINT_SECONDS = 0.1
SYNC = b"event: chat.sync\ndata: {}\n\n"

T = TypeVar("T")
Push = Callable[[bytes], Awaitable[None]]
router = APIRouter(responses=REFUSALS)


class StreamResponse(Response):
    """A response that is written as things happen, until the client leaves or the server stops.

    `write` gets a function that sends; it waits while the client does not read, and gives up with
    TimeoutError on one that is too slow. `release` is called whatever happens.
    """

    def __init__(
        self,
        service: Service,
        who: Principal,
        kind: str,
        write: Callable[[Push], Awaitable[None]],
        release: Callable[[], None],
        *,
        media_type: str,
    ) -> None:
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(None, 200, headers, media_type)
        del self.headers["content-length"]
        self._service, self._who, self._kind = service, who, kind
        self._writing, self._release = write, release

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            with self._service.rate_limits.count_stream(self._who):
                await self._answer(receive, send)
        finally:
            self._release()

    async def _answer(self, receive: Receive, send: Send) -> None:
        async def push(body: bytes, more: bool = True) -> None:
            async with asyncio.timeout(self._service.settings.slow_client_seconds):
                await send({"type": "http.response.body", "body": body, "more_body": more})

        async def write() -> None:
            await self._writing(push)

        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        writer = asyncio.create_task(write(), name=f"sayso-{self._kind}-writer")
        leaving = asyncio.create_task(_wait_until_gone(receive))
        gauge = self._service.metrics.connections.labels(self._kind)
        try:
            with self._service.streams.track(writer), gauge.track_inprogress():
                await asyncio.wait([writer, leaving], return_when=asyncio.FIRST_COMPLETED)
        finally:
            gone = leaving.done()
            writer.cancel()
            leaving.cancel()
            await asyncio.wait([writer, leaving])
        if not writer.cancelled() and (exc := writer.exception()) is not None:
            if isinstance(exc, TimeoutError):
                self._service.metrics.cut_off.labels(self._kind).inc()
                return
            log.error("stream.died", kind=self._kind, traceback=stack_of(exc))
        if not gone:
            await push(b"", more=False)


@router.get("/api/chats/{chat_id}/stream", tags=["live"], response_class=Response)
async def stream_chat(
    service: TheService,
    chat_id: str,
    who: Who,
    after: Annotated[str | None, Query(max_length=200)] = None,
    last_event_id: Annotated[str | None, Header(max_length=200)] = None,
) -> Response:
    """One chat as server-sent events, from after `after` or Last-Event-ID, else from a snapshot."""
    position = read_position(last_event_id or after)
    updates = ChatUpdates(service.engine, who.app_id, chat_id, who.person)
    try:
        first = await updates.begin(position)
    except BaseException:
        updates.close()
        raise
    sent = service.metrics.frames.labels("sse")

    async def write(push: Push) -> None:
        frames = first
        await push(b"retry: 1000\n\n")
        while not updates.lost:
            if frames:
                await push(b"".join(map(_encode, frames)))
                sent.inc(len(frames))
            frames = await _or_heartbeat(updates.next, push)
        await push(SYNC)

    return StreamResponse(service, who, "sse", write, updates.close, media_type="text/event-stream")


@router.get("/api/stream", tags=["live"], response_class=Response)
async def stream_hints(service: TheService, who: Who) -> Response:
    """Which chats have changed, over all chats: reload what you list."""
    subscription = service.engine.feed.subscribe(who.app_id)

    async def changed() -> dict[str, int]:
        first = await subscription.get()
        await asyncio.sleep(HINT_SECONDS)
        arrived = (first, *subscription.drain())
        return {f.chat_id: f.seq or 0 for f in arrived if is_news(f)}

    async def write(push: Push) -> None:
        await push(b"retry: 1000\n\n")
        while True:
            hints = await _or_heartbeat(changed, push)
            await push(b"".join(_hint(chat_id, seq) for chat_id, seq in hints.items()))
            if subscription.lost:
                await push(SYNC)
                return

    return StreamResponse(
        service, who, "hints", write, subscription.close, media_type="text/event-stream"
    )


def is_news(frame: Frame) -> bool:
    """Return whether a list over all chats reads otherwise now."""
    return frame.seq is not None or isinstance(frame.body, AttentionMoved)


async def _or_heartbeat(next_one: Callable[[], Awaitable[T]], push: Push) -> T:
    """Return what comes next; while nothing does, send a comment that keeps the connection open."""
    waiting = asyncio.ensure_future(next_one())
    try:
        while not (await asyncio.wait([waiting], timeout=HEARTBEAT_SECONDS))[0]:
            await push(b":\n\n")
        return waiting.result()
    finally:
        waiting.cancel()


def _encode(sent: Sent) -> bytes:
    head = b"" if sent.seq is None else b"id: %d\n" % sent.seq
    return b"%bevent: %b\ndata: %b\n\n" % (head, type_of(sent).encode(), sent.json)


def _hint(chat_id: str, seq: int) -> bytes:
    return b'event: chat.changed\ndata: {"chat_id":"%b","seq":%d}\n\n' % (chat_id.encode(), seq)


async def _wait_until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
