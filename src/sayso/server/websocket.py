"""One chat over one WebSocket: everything that happens goes out, what the person does comes in.

A writer sends the chat's updates, as the bytes that were encoded once. A reader handles client
frames one after another, so a person's actions keep their order. The reader outlives the writer: an
answer that was received is carried out even when its sender is gone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import ClassVar

import orjson
from fastapi import APIRouter, WebSocket
from starlette.websockets import WebSocketDisconnect, WebSocketState

from sayso.core.digest import JsonObject
from sayso.logs import logger
from sayso.server.actions import posted_json
from sayso.server.auth import SUBPROTOCOL, Principal, principal_of
from sayso.server.chat_updates import ChatUpdates, Sent, read_position
from sayso.server.problems import problem_of, stack_of
from sayso.server.requests import (
    AnswerItem,
    CancelBody,
    ClientFrame,
    DismissFrame,
    DraftFrame,
    ExtendFrame,
    MessageBody,
    read_as,
    read_object,
)
from sayso.server.service import Service, service_of

log = logger("sayso.server")

TOO_SLOW = 4008
BROKEN = 1011
SYNC = b'{"type":"chat.sync","data":{}}'

router = APIRouter()


@router.websocket("/api/chats/{chat_id}/live")
async def live(socket: WebSocket, chat_id: str) -> None:
    service = await service_of(socket)
    try:
        who = await principal_of(socket)
        after = read_position(socket.query_params.get("after"))
        with (
            service.rate_limits.count_stream(who),
            ChatUpdates(service.engine, who.app_id, chat_id, who.person) as updates,
        ):
            first = await updates.begin(after)
            offered = socket.scope.get("subprotocols", ())
            await socket.accept(subprotocol=SUBPROTOCOL if SUBPROTOCOL in offered else None)
            with service.metrics.connections.labels("live").track_inprogress():
                await _Connection(service, socket, who, chat_id, updates).run(first)
    except Exception as exc:
        if socket.application_state is not WebSocketState.CONNECTING:
            raise
        await socket.send_denial_response(problem_of(exc).response())


class _Connection:
    """A writer and a reader on one accepted socket."""

    def __init__(
        self,
        service: Service,
        socket: WebSocket,
        who: Principal,
        chat_id: str,
        updates: ChatUpdates,
    ) -> None:
        self._service, self._socket, self._who = service, socket, who
        self._chat_id, self._updates = chat_id, updates
        self._sent = service.metrics.frames.labels("live")

    async def run(self, first: list[Sent]) -> None:
        reader = asyncio.create_task(self._read(), name="sayso-live-reader")
        writer = asyncio.create_task(self._write(first, reader), name="sayso-live-writer")
        try:
            await asyncio.wait([reader])
        finally:
            writer.cancel()
            reader.cancel()
            await asyncio.wait([writer, reader])
        for task in (writer, reader):
            if not task.cancelled() and (exc := task.exception()) is not None:
                log.error("live.died", chat_id=self._chat_id, traceback=stack_of(exc))

    # ── out ──

    async def _write(self, frames: list[Sent], reader: asyncio.Task[None]) -> None:
        """Send until the client is gone, which the reader notices as well, or has to come back: it
        fell behind, or the store could not be read."""
        try:
            while not self._updates.lost:
                for frame in frames:
                    await self._send(frame.json)
                self._sent.inc(len(frames))
                frames = await self._updates.next()
        except TimeoutError:
            pass
        except WebSocketDisconnect:
            return
        except Exception as exc:
            log.error("live.died", chat_id=self._chat_id, traceback=stack_of(exc))
            await self._disconnect(reader, BROKEN, "not readable now")
            return
        self._service.metrics.cut_off.labels("live").inc()
        log.info("live.cut_off", chat_id=self._chat_id, seq=self._updates.seq)
        await self._disconnect(reader, TOO_SLOW, "too slow")

    async def _disconnect(self, reader: asyncio.Task[None], code: int, reason: str) -> None:
        """Tell a client to come back with its position; drop it if it does not even take that."""
        self._updates.close()
        try:
            await self._send(SYNC)
            await self._socket.close(code, reason)
        except TimeoutError:
            reader.cancel()
        except WebSocketDisconnect:
            return

    async def _send(self, message: bytes) -> None:
        if self._socket.application_state is not WebSocketState.CONNECTED:
            raise WebSocketDisconnect(TOO_SLOW)
        # Waits only where the client has not yet taken what was sent before.
        async with asyncio.timeout(self._service.settings.slow_client_seconds):
            await self._socket.send({"type": "websocket.send", "text": message.decode()})

    # ── in ──

    async def _read(self) -> None:
        while True:
            message = await self._socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            acknowledgement = await self._handle(message.get("text") or message.get("bytes") or "")
            try:
                await self._send(orjson.dumps(acknowledgement))
            except (TimeoutError, WebSocketDisconnect):
                return

    async def _handle(self, text: str | bytes) -> JsonObject:
        ref: object = None
        try:
            wire = read_object(text)
            ref = wire.get("ref")
            frame = read_as(ClientFrame, wire)
            return {"ref": frame.ref, "ok": await self._handlers[frame.type](self, frame.data)}
        except Exception as exc:
            known = ref if isinstance(ref, str | int) else None
            return {"ref": known, "problem": problem_of(exc).document}

    async def _message(self, data: JsonObject) -> JsonObject:
        body = read_as(MessageBody, data)
        return posted_json(await self._service.actions.post_message(self._who, self._chat_id, body))

    async def _answer(self, data: JsonObject) -> JsonObject:
        item = read_as(AnswerItem, data)
        actions = self._service.actions
        return await actions.answer(self._who, item.interaction_id, item.body, key=item.key)

    async def _dismiss(self, data: JsonObject) -> JsonObject:
        frame = read_as(DismissFrame, data)
        return await self._service.actions.dismiss(self._who, frame.interaction_id, frame)

    async def _extend(self, data: JsonObject) -> JsonObject:
        frame = read_as(ExtendFrame, data)
        return await self._service.actions.extend(self._who, frame.interaction_id, frame)

    async def _cancel(self, data: JsonObject) -> JsonObject:
        body = read_as(CancelBody, data)
        return await self._service.actions.cancel(self._who, self._chat_id, body)

    async def _draft(self, data: JsonObject) -> JsonObject:
        frame = read_as(DraftFrame, data)
        self._updates.ignore_own_draft(frame.interaction_id, frame.content)
        await self._service.actions.put_draft(self._who, self._chat_id, frame)
        return {}

    _handlers: ClassVar[dict[str, Callable[[_Connection, JsonObject], Awaitable[JsonObject]]]] = {
        "message": _message,
        "answer": _answer,
        "dismiss": _dismiss,
        "extend": _extend,
        "cancel": _cancel,
        "draft": _draft,
    }
