"""Finds the server to ask, and sends calls to it: awaited, or not."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import httpx
import orjson

from sayso.client.api import Call
from sayso.core import errors
from sayso.core.errors import InvalidInput, NoServer, ServerRefusal
from sayso.settings import Settings

T = TypeVar("T")

ADDRESS, TOKEN = "SAYSO_URL", "SAYSO_TOKEN"
ASKER_FILE = "asker.json"
# Longer than the server holds a reply (300 s).
_TIMEOUT = httpx.Timeout(330.0, connect=5.0)


@dataclass(frozen=True, slots=True)
class Place:
    """A server, and the token to show there."""

    address: str
    token: str | None = None

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    @property
    def is_near(self) -> bool:
        """Whether it is on this machine, so that no proxy may come in between."""
        return httpx.URL(self.address).host in ("127.0.0.1", "localhost", "::1")


def find_server(on: str | None = None, data_dir: Path | None = None) -> Place:
    """Return the server that was named, else that of the environment, else the one that runs on
    this machine, with the token of its askers. Raises NoServer."""
    named = on or os.environ.get(ADDRESS)
    local = list(_on_this_machine(data_dir))
    token = os.environ.get(TOKEN)
    if named:
        address = named.rstrip("/")
        own = next((place.token for place in local if place.address == address), None)
        return Place(address, token or own)
    if not local:
        raise NoServer("No server has run on this machine.")
    return Place(local[0].address, token or local[0].token)


def _on_this_machine(data_dir: Path | None) -> Iterator[Place]:
    folder = data_dir or Settings().data_dir
    # Of a server that has stopped the file stays, for its token: one that runs has both.
    for place in (folder, folder / "demo"):
        try:
            found = orjson.loads((place / ASKER_FILE).read_bytes())
            if (place / "server.json").exists():
                yield Place(str(found["address"]), str(found["token"]))
        except (OSError, ValueError, KeyError, TypeError):
            continue


class Client:
    """Sends calls, and waits for each, over a connection of its own: between two there may be days.
    Raises what the server refused, as an error of `sayso.core.errors`, and NoServer."""

    def __init__(self, place: Place) -> None:
        self.place = place

    def send(self, call: Call[T]) -> T:
        near = self.place.is_near
        with _reaching(self.place), httpx.Client(timeout=_TIMEOUT, trust_env=not near) as http:
            found: T = _read(http.send(_request(http, self.place, call)))
        return found


class AsyncClient:
    """The same, awaited."""

    def __init__(self, place: Place) -> None:
        self.place = place

    async def send(self, call: Call[T]) -> T:
        near = self.place.is_near
        with _reaching(self.place):
            async with httpx.AsyncClient(timeout=_TIMEOUT, trust_env=not near) as http:
                found: T = _read(await http.send(_request(http, self.place, call)))
        return found


def _request(http: httpx.Client | httpx.AsyncClient, place: Place, call: Call[T]) -> httpx.Request:
    return http.build_request(
        call.method,
        place.address + call.path,
        params=dict(call.params),
        headers={**place.headers, **call.headers},
        json=call.body,
    )


@contextmanager
def _reaching(place: Place) -> Iterator[None]:
    try:
        yield
    except (httpx.LocalProtocolError, UnicodeEncodeError) as exc:
        raise InvalidInput(f"This cannot be sent: {exc}.", fix="Take that character out.") from exc
    except httpx.HTTPError as exc:
        raise NoServer(
            f"{place.address} does not answer: {str(exc) or type(exc).__name__}."
        ) from exc


def _read(answer: httpx.Response) -> Any:
    """Return what the OpenAPI document says of this reply, unchecked."""
    if answer.is_success:
        return orjson.loads(answer.content) if answer.content else None
    try:
        problem = answer.json()
        code, detail = str(problem["code"]), str(problem["detail"])
    except (ValueError, KeyError, TypeError):
        raise NoServer(f"What answers there is no Sayso: status {answer.status_code}.") from None
    known = {cls.code: cls for cls in _every(errors.SaysoError)}
    raise known.get(code, ServerRefusal)(detail, fix=str(problem.get("fix", "")), context=problem)


def _every(cls: type[errors.SaysoError]) -> Iterator[type[errors.SaysoError]]:
    yield cls
    for below in cls.__subclasses__():
        # One that is made from something else than a detail is none that a server sends.
        if below.__init__ is errors.SaysoError.__init__:
            yield from _every(below)
