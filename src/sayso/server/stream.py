"""Server-sent events: one chat with resume, and hints over all chats of a tenant.

`id:` is the seq, so a browser resumes by itself with Last-Event-ID. What is live only has no id.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar

import structlog
from fastapi import APIRouter, Header, Query, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from sayso.server.auth import Who
from sayso.server.follow import Follower, Sent, read_place, type_of
from sayso.server.problems import stack_of
from sayso.server.service import Service, service_of

log = structlog.get_logger("sayso.server")

# Below the 60 s after which many home routers and proxies drop idle connections.
HEARTBEAT_SECONDS = 15.0
# Hints only say what to reload; ten a second are more than a person can see.
HINT_SECONDS = 0.1
SYNC = b"event: chat.sync\ndata: {}\n\n"

T = TypeVar("T")
Push = Callable[[bytes], Awaitable[None]]
router = APIRouter()


class StreamResponse(Response):
    """An answer that is written as things happen, until the client leaves or the server stops.

    `write` gets a function that sends; it waits while the client does not read, and gives up with
    TimeoutError on one that is too slow. `release` is called whatever happens.
    """

    def __init__(
        self,
        service: Service,
        kind: str,
        write: Callable[[Push], Awaitable[None]],
        release: Callable[[], None],
        *,
        media_type: str,
    ) -> None:
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(None, 200, headers, media_type)
        del self.headers["content-length"]
        self._service, self._kind, self._writing = service, kind, write
        self._release = release

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def push(body: bytes, more: bool = True) -> None:
            async with asyncio.timeout(self._service.settings.slow_client_seconds):
                await send({"type": "http.response.body", "body": body, "more_body": more})

        async def write() -> None:
            await self._writing(push)

        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        writer = asyncio.create_task(write(), name=f"sayso-{self._kind}-writer")
        leaving = asyncio.create_task(_left(receive))
        gauge = self._service.metrics.connections.labels(self._kind)
        try:
            with self._service.streams.kept(writer), gauge.track_inprogress():
                await asyncio.wait([writer, leaving], return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._release()
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
    request: Request,
    chat_id: str,
    who: Who,
    after: Annotated[str | None, Query(max_length=200)] = None,
    last_event_id: Annotated[str | None, Header(max_length=200)] = None,
) -> Response:
    """One chat as server-sent events, from after `after` or Last-Event-ID, else from a snapshot."""
    service = service_of(request)
    place = read_place(last_event_id or after)
    follower = Follower(service.engine, who.app_id, chat_id, who.person)
    try:
        first = await follower.begin(place)
    except BaseException:
        follower.close()
        raise
    sent = service.metrics.frames.labels("sse")

    async def write(push: Push) -> None:
        frames = first
        await push(b"retry: 1000\n\n")
        while not follower.lost:
            if frames:
                await push(b"".join(map(_encode, frames)))
                sent.inc(len(frames))
            frames = await _or_heartbeat(follower.next, push)
        await push(SYNC)

    return StreamResponse(service, "sse", write, follower.close, media_type="text/event-stream")


@router.get("/api/stream", tags=["live"], response_class=Response)
async def stream_hints(request: Request, who: Who) -> Response:
    """Which chats have changed, over all chats: reload what you list."""
    service = service_of(request)
    ear = service.engine.feed.subscribe(who.app_id)

    async def changed() -> dict[str, int]:
        first = await ear.get()
        await asyncio.sleep(HINT_SECONDS)
        return {f.chat_id: f.seq for f in (first, *ear.drain()) if f.seq is not None}

    async def write(push: Push) -> None:
        await push(b"retry: 1000\n\n")
        while True:
            hints = await _or_heartbeat(changed, push)
            await push(b"".join(_hint(chat_id, seq) for chat_id, seq in hints.items()))
            if ear.lost:
                await push(SYNC)
                return

    return StreamResponse(service, "hints", write, ear.close, media_type="text/event-stream")


async def _or_heartbeat(next_one: Callable[[], Awaitable[T]], push: Push) -> T:
    """What comes next; while nothing does, a comment that keeps the connection open."""
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


async def _left(receive: Receive) -> None:
    """Returns when the client is gone."""
    while (await receive())["type"] != "http.disconnect":
        pass
