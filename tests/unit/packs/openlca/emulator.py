"""openLCA's IPC server, as far as its source tells: no real one was met.

What it answers is read from GreenDelta/olca-modules at a20094af:
- `olca-ipc/src/main/java/org/openlca/ipc/Server.java`: only POST, always status 200, -32600 for
  what is no request, 500 where a handler throws
- `olca-ipc/.../ipc/Responses.java`: 404 "resource not found" for an empty response, 500 with the
  error's text, -32601 "Does not understand: …", -32602 "Invalid parameters: …"
- `olca-ipc/.../ipc/handlers/DataHandler.java`: the methods `data/…`, and which need an @type
- `olca-core/.../core/services/JsonDataService.java`: put by @id, "library data cannot be updated",
  data/create/system, providers as {provider, flow}
- `olca-core/.../core/services/JsonRef.java`, `olca-core/.../jsonld/output/JsonRefs.java`: which
  types there are, and what a reference says
- `olca-core/.../core/matrix/linking/ProviderSearch.java`: which provider is taken
- `olca-ipc/.../ipc/handlers/ResultHandler.java`, `ResultRequest.java`,
  `olca-core/.../core/services/JsonUtil.java`: the methods `result/…`, and the shapes of results

The methods themselves are `sayso.packs.openlca.answering`; here is what goes wrong on the way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import httpx
import orjson
from pydantic import JsonValue

from sayso.core.digest import JsonObject
from sayso.packs.openlca.answering import Answering
from sayso.packs.openlca.database import Database
from sayso.packs.openlca.rpc import Rpc, RpcError

#: What happens to a call instead of its answer.
Fault = Callable[["Emulator", httpx.Request], httpx.Response]
URL = "http://openlca.test:8080"


class Emulator:
    """Answers for a database, except where a fault was set for a method: each is used up once."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.answering = Answering(database)
        self.calls: Counter[str] = Counter()
        self.faults: dict[str, list[Fault]] = {}

    @property
    def rpc(self) -> Rpc:
        return Rpc(URL, transport=httpx.MockTransport(self.handle))

    def handle(self, request: httpx.Request) -> httpx.Response:
        method = orjson.loads(request.content)["method"]
        self.calls[method] += 1
        waiting = self.faults.get(method) or self.faults.get("*")
        return waiting.pop(0)(self, request) if waiting else self.answer(request)

    def answer(self, request: httpx.Request) -> httpx.Response:
        body = reply(orjson.loads(request.content), self.answering)
        return httpx.Response(200, content=orjson.dumps(body))


def reply(request: JsonObject, answer: Callable[[str, JsonValue], JsonValue]) -> JsonObject:
    """Return the whole response to a request."""
    head: JsonObject = {"jsonrpc": "2.0", "id": request.get("id")}
    try:
        return {**head, "result": answer(str(request.get("method")), request.get("params"))}
    except RpcError as exc:
        return {**head, "error": {"code": exc.code, "message": exc.message}}


def down(_: Emulator, request: httpx.Request) -> httpx.Response:
    raise httpx.ConnectError("Connection refused", request=request)


def hanging(_: Emulator, request: httpx.Request) -> httpx.Response:
    raise httpx.ReadTimeout("timed out", request=request)


def dying_before(_: Emulator, request: httpx.Request) -> httpx.Response:
    raise httpx.RemoteProtocolError("Server disconnected", request=request)


def dying_after(server: Emulator, request: httpx.Request) -> httpx.Response:
    server.answer(request)
    raise httpx.RemoteProtocolError("Server disconnected", request=request)


def and_nobody_to_look(fault: Fault) -> Fault:
    """The look at what became of it finds nobody, either."""

    def both(server: Emulator, request: httpx.Request) -> httpx.Response:
        server.faults["data/get"] = [down]
        return fault(server, request)

    return both


def another_server(_: Emulator, request: httpx.Request) -> httpx.Response:
    return httpx.Response(404, html="<h1>Not found</h1>")


def refusing(code: int, message: str) -> Fault:
    def fault(_: Emulator, request: httpx.Request) -> httpx.Response:
        def refuse(*_: Any) -> None:
            raise RpcError(code, message)

        return httpx.Response(200, json=reply(orjson.loads(request.content), refuse))

    return fault
