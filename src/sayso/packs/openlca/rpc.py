"""Calls an openLCA over JSON-RPC, as its IPC server speaks it. Each call has a time limit, and each
answer that is none is told apart: nobody there, no answer in time, or an error of the server."""

from __future__ import annotations

from itertools import count

import httpx
import orjson
from pydantic import JsonValue

from sayso import SystemAway
from sayso.core.digest import JsonObject

NOT_FOUND, UNKNOWN_METHOD = 404, -32601
#: What answers there speaks something else.
NO_SERVER = 0
#: Reading is quick, or openLCA hangs; a write may rebuild indexes.
READ_SECONDS, WRITE_SECONDS = 30.0, 120.0
_CONNECT_SECONDS = 5.0

STEPS = (
    "Start openLCA, and open the database in it.",
    "There, choose Tools > Developer tools > IPC Server, and press the green arrow.",
    "Look whether its port is the one that Sayso was started with.",
)
#: What stands between backticks is copied from the card.
_ELSEWHERE = (
    "If it is another one, start Sayso with it: "
    "`SAYSO_OPENLCA_DB=http://localhost:8080 sayso serve sayso.packs.openlca:app`"
)


class RpcError(Exception):
    """The server has answered, and refuses."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


class NoReply(Exception):
    """The call was sent, and nobody knows what became of it."""


class Rpc:
    """The server at one address."""

    def __init__(self, url: str, *, transport: httpx.BaseTransport | None = None) -> None:
        self.url = url
        # It is on this machine or near it: no proxy may come in between.
        self._http = httpx.Client(transport=transport, trust_env=False)
        self._ids = count(1)

    def read(self, method: str, params: JsonObject) -> JsonValue:
        """Return what is there, or None. Raises SystemAway, RpcError."""
        try:
            return self.call(method, params, READ_SECONDS)
        except NoReply as exc:
            raise away(self.url, str(exc)) from exc
        except RpcError as exc:
            if exc.code == NOT_FOUND:
                return None
            raise

    def write(self, method: str, params: JsonObject) -> JsonValue:
        """Raises SystemAway where nothing was sent, NoReply, RpcError."""
        return self.call(method, params, WRITE_SECONDS)

    def call(self, method: str, params: JsonValue, seconds: float) -> JsonValue:
        """Raises SystemAway, NoReply, RpcError."""
        body = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params}
        timeout = httpx.Timeout(seconds, connect=_CONNECT_SECONDS)
        try:
            response = self._http.post(self.url, content=orjson.dumps(body), timeout=timeout)
        except (httpx.ConnectError, httpx.ConnectTimeout) as exc:
            raise away(self.url, f"Cannot connect: {exc}") from exc
        except httpx.HTTPError as exc:
            said = str(exc) or type(exc).__name__
            raise NoReply(f"{method} got no answer from {self.url}: {said}") from exc
        return _result(response, method)


def away(url: str, details: str) -> SystemAway:
    told = f"{details} ({url})"
    return SystemAway("OpenLCA client not available", details=told, steps=(*STEPS, _ELSEWHERE))


def _result(response: httpx.Response, method: str) -> JsonValue:
    try:
        found = orjson.loads(response.content)
    except orjson.JSONDecodeError:
        found = None
    if not isinstance(found, dict) or response.status_code != httpx.codes.OK:
        raise RpcError(
            NO_SERVER,
            f"what answers there is no IPC server of openLCA (status {response.status_code})",
        )
    error = found.get("error")
    if isinstance(error, dict):
        code = error.get("code")
        number = code if isinstance(code, int) else 500
        if number == UNKNOWN_METHOD:
            raise RpcError(number, f"this openLCA is too old: it does not know {method}")
        raise RpcError(number, str(error.get("message") or "no reason was given"))
    result: JsonValue = found.get("result")
    return result
