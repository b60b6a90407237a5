"""The gateway as an ASGI application that speaks JSON-RPC, as openLCA's own server does: POST,
always status 200."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

import orjson
from pydantic import JsonValue

from sayso import SystemAway
from sayso.core.digest import JsonObject
from sayso.packs.openlca.answering import FAILED
from sayso.packs.openlca.gateway.book import Entry
from sayso.packs.openlca.gateway.decisions import AWAY, NO_ANSWER, REFUSED, Decisions
from sayso.packs.openlca.gateway.write import WRITES, Upstream, Write
from sayso.packs.openlca.rpc import UNKNOWN_METHOD, NoReply, RpcError

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

NO_REQUEST, BAD_REQUEST = -32600, 400
SHUTDOWN = "runtime/shutdown"
#: What is let through: the names are those of `DataHandler`, `ResultHandler` and `ExportHandler`.
_RESULTS = """
calculate cost-contributions cost-intensities-of demand direct-costs-of direct-impact-of
direct-impacts-of direct-intervention-of direct-interventions-of dispose envi-flows
flow-contributions-of flow-impact-of flow-impacts-of flow-intensities-of flow-intensity-of
grouped-cost-results grouped-flow-results-of grouped-impact-results-of impact-categories
impact-contributions-of impact-factor-of impact-factors-of impact-intensities-of impact-intensity-of
sankey scaled-tech-flows-of scaling-factors simulate simulate/next state tech-flows total-costs
total-costs-of total-flow-value-of total-flows total-impact-of total-impact-value-of total-impacts
total-impacts-of total-impacts/normalized total-impacts/weighted total-intervention-of
total-interventions-of total-requirements total-requirements-of totality-factor-of totality-factors
unscaled-tech-flows-of upstream-costs-of upstream-impacts-of upstream-interventions-of
"""
READS = frozenset(
    [
        "data/get",
        "data/get/all",
        "data/get/descriptor",
        "data/get/descriptors",
        "data/get/parameters",
        "data/get/providers",
        "export/json-ld",
        *(f"result/{name}" for name in _RESULTS.split()),
    ]
)
log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Open:
    """A write that is asked about, and how many callers wait for it."""

    entry: Entry
    task: asyncio.Task[JsonObject]
    callers: int = 0


class Gateway:
    """Reads pass; a write waits. Whoever makes the same call meanwhile waits for the same card."""

    def __init__(self, upstream: Upstream, decisions: Decisions) -> None:
        self._upstream, self._decisions = upstream, decisions
        self._open: dict[str, _Open] = {}
        self._tasks: asyncio.TaskGroup | None = None

    @property
    def waiting(self) -> int:
        """How many callers wait for a person."""
        return sum(one.callers for one in self._open.values())

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        match scope["type"]:
            case "lifespan":
                await self._live(receive, send)
            case "http":
                await self._answer(scope, receive, send)
            case _:
                await send({"type": "websocket.close"})

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        async with asyncio.TaskGroup() as tasks:
            self._tasks = tasks
            await send({"type": "lifespan.startup.complete"})
            await receive()
            for one in self._open.values():
                one.task.cancel()
        await send({"type": "lifespan.shutdown.complete"})

    async def _answer(self, scope: Message, receive: Receive, send: Send) -> None:
        try:
            request = _request(scope, await _body(receive))
        except RpcError as exc:
            await _reply(send, None, _error(exc))
            return
        id_, method, params = request.get("id"), str(request.get("method")), request.get("params")
        if method in WRITES and isinstance(params, dict):
            await self._write(Write(method, params), id_, receive, send)
            return
        try:
            result = {"result": await self._read(method, params)}
        except RpcError as exc:
            result = _error(exc)
        await _reply(send, id_, result)

    async def _read(self, method: str, params: JsonValue) -> JsonValue:
        if method in WRITES:
            raise RpcError(BAD_REQUEST, "the request parameter must be a Json object")
        if method == SHUTDOWN:
            raise RpcError(REFUSED, "openLCA is not shut down through this gateway")
        if method not in READS:
            raise RpcError(UNKNOWN_METHOD, f"Does not understand: {method}")
        try:
            return await asyncio.to_thread(self._upstream, method, params)
        except SystemAway as exc:
            raise RpcError(AWAY, f"{exc.detail}. {exc.details}") from exc
        except NoReply as exc:
            raise RpcError(NO_ANSWER, str(exc)) from exc

    async def _write(self, write: Write, id_: JsonValue, receive: Receive, send: Send) -> None:
        one = self._opened(write)
        one.callers += 1
        gone = asyncio.create_task(_gone(receive))
        try:
            await asyncio.wait({one.task, gone}, return_when=asyncio.FIRST_COMPLETED)
            if one.task.done() and not one.task.cancelled() and not gone.done():
                outcome = one.task.result()
                await _reply(send, id_, outcome)
                if _is_final(outcome):
                    self._decisions.book.told(one.entry)
        finally:
            gone.cancel()
            one.callers -= 1
            if not one.callers:
                one.task.cancel()  # the card stays, and its answer is kept for who comes again

    def _opened(self, write: Write) -> _Open:
        digest = write.digest
        if digest not in self._open:
            assert self._tasks is not None  # a server begins with its lifespan
            entry = self._decisions.book.entry(digest)
            task = self._tasks.create_task(self._outcome(write, entry))
            self._open[digest] = _Open(entry, task)
            task.add_done_callback(lambda _: self._open.pop(digest))
        return self._open[digest]

    async def _outcome(self, write: Write, entry: Entry) -> JsonObject:
        try:
            return {"result": await self._decisions.outcome(write, entry)}
        except RpcError as exc:
            return _error(exc)
        except Exception as exc:
            log.exception("A write (%s) could not be decided on", write.method)
            return _error(RpcError(FAILED, f"{type(exc).__name__}: {exc}"))


def _request(scope: Message, body: bytes) -> JsonObject:
    """Raises RpcError."""
    said = "The JSON sent is not a valid Request object"
    if scope["method"] != "POST":
        raise RpcError(NO_REQUEST, f"{said}: only HTTP POST is allowed")
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError as exc:
        raise RpcError(NO_REQUEST, f"{said}: {exc}") from exc
    if not isinstance(found, dict):
        raise RpcError(NO_REQUEST, f"{said}: it is no object")
    return found


async def _body(receive: Receive) -> bytes:
    parts: list[bytes] = []
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(parts)


async def _gone(receive: Receive) -> None:
    """Return when the caller has left."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _is_final(outcome: JsonObject) -> bool:
    """Return whether the same call again is another one, and no second try of this one."""
    error = outcome.get("error")
    return not (isinstance(error, dict) and error["code"] in (AWAY, NO_ANSWER))


def _error(exc: RpcError) -> JsonObject:
    return {"error": {"code": exc.code, "message": exc.message}}


async def _reply(send: Send, id_: JsonValue, outcome: JsonObject) -> None:
    body = orjson.dumps({"jsonrpc": "2.0", "id": id_, **outcome})
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})
