"""`sayso.ask` and `sayso.ask_async`: a program asks a person, and acts on the answer once."""

from __future__ import annotations

import asyncio
import base64
import os
import socket
import sys
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Literal, Self, TypedDict, Unpack

from pydantic import JsonValue

from sayso.client import api
from sayso.client.connection import AsyncClient, Client, find_server
from sayso.core.attachments import File, WebLink
from sayso.core.errors import NoServer, NotExecuted

#: One reply is held for this long; then the client asks again.
HOLD_SECONDS = 300
#: A server that restarts is away for a moment.
RETRY_SECONDS = 1.0

Report = Literal["done", "failed", "not_executed", "unknown"]


class Asking(TypedDict, total=False):
    """What can be said of an ask beside its title."""

    kind: api.AskKind
    context: Mapping[str, JsonValue]
    tool_name: str
    arguments: Mapping[str, JsonValue]
    #: The arguments that a person may change.
    editable: Sequence[str]
    #: The arguments that the yes is to, if not all of them.
    digest_over: Sequence[str]
    options: Sequence[str]
    #: The JSON Schema of a form.
    schema: Mapping[str, JsonValue]
    assignees: Sequence[str]
    expires_in: timedelta
    on_expiry: api.OnExpiry
    callback_url: str
    #: Files and links that it rests on.
    attachments: Sequence[File | WebLink]
    #: Who asks: by itself the program, its folder and this machine.
    asker: api.Asker


class Answer:
    """An ask as it stands: what was said, and what may be done."""

    def __init__(self, told: api.AskReply) -> None:
        self._told = told

    @property
    def id(self) -> str:
        return self._told["interaction_id"]

    @property
    def url(self) -> str:
        """Where a person answers."""
        return self._told["url"]

    @property
    def state(self) -> api.AskState:
        return self._told["state"]

    @property
    def approved(self) -> bool:
        """Whether there is an approval that was not used yet."""
        return self.state == "approved"

    @property
    def arguments(self) -> dict[str, JsonValue]:
        """The arguments to act on, as a person has edited them."""
        return self._told["arguments"]

    @property
    def reason(self) -> str | None:
        words = (self._told["response"] or {}).get("user_message")
        return str(words) if words is not None else None

    @property
    def value(self) -> JsonValue:
        """What was chosen, filled in or written."""
        said = (self._told["response"] or {}).get("response_data")
        data = said if isinstance(said, dict) else {}
        return data.get("selected_option") or data.get("values") or data.get("additional_notes")

    def as_json(self) -> api.AskReply:
        """Return all that the server tells of it."""
        return self._told

    def __bool__(self) -> bool:
        """Whether the answer is a yes, or any answer where no yes was asked for."""
        return self.state in ("approved", "answered", "shown")


class _Outcome:
    """What a `with` block tells of what it did."""

    def __init__(self) -> None:
        self.result: JsonValue = None
        self._state: Report = "done"
        self._error: str | None = None

    def failed(self, error: str) -> None:
        """Say that it was tried, and failed."""
        self._state, self._error = "failed", error

    def _report(self, exc: BaseException | None) -> api.ReportBody:
        """Return what is true: an exception from the block leaves open whether it acted."""
        if isinstance(exc, NotExecuted):
            return {"state": "not_executed", "error": exc.detail}
        if exc is not None:
            return {"state": "unknown", "error": f"{type(exc).__name__}: {exc}"[:10_000]}
        return {"state": self._state, "result": self.result, "error": self._error}


class Asked(Answer, _Outcome):
    """An answered ask. `with asked:` uses its approval, once, and reports at the end what became of
    it: done with `asked.result`, what `failed()` said, or, after an exception, that it is not
    known (`NotExecuted`: that nothing was done)."""

    def __init__(self, client: Client, told: api.AskReply, start: api.StartBody) -> None:
        Answer.__init__(self, told)
        _Outcome.__init__(self)
        self._client, self._start = client, start

    def __enter__(self) -> Self:
        self._told = self._client.send(api.start_ask(self.id, self._start))
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for pause in _patience():
            try:
                self._told = self._client.send(api.report_ask(self.id, self._report(exc)))
            except NoServer:
                if pause is None:
                    raise
                time.sleep(pause)
            else:
                return


class AsyncAsked(Answer, _Outcome):
    """The same, for `async with`."""

    def __init__(self, client: AsyncClient, told: api.AskReply, start: api.StartBody) -> None:
        Answer.__init__(self, told)
        _Outcome.__init__(self)
        self._client, self._start = client, start

    async def __aenter__(self) -> Self:
        self._told = await self._client.send(api.start_ask(self.id, self._start))
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for pause in _patience():
            try:
                self._told = await self._client.send(api.report_ask(self.id, self._report(exc)))
            except NoServer:
                if pause is None:
                    raise
                await asyncio.sleep(pause)
            else:
                return


def ask(
    title: str,
    *,
    key: str | None = None,
    wait: float | None = None,
    report_within: float = 3600.0,
    idempotent: bool = False,
    on: str | None = None,
    **what: Unpack[Asking],
) -> Asked:
    """Ask a person, and return the answer.

    Without `kind` it asks for an approval; with `options` for one of them, with a `schema` for a
    form. `wait` is for how many seconds (for ever, if it is left out); then the answer's `state` is
    "pending". The same `key` with the same arguments is the same ask, also after a restart. `on` is
    the server's address, if it is not the one of this machine. Raises NoServer, and what the
    server refuses.
    """
    body = ask_body(title, **what)
    client = Client(find_server(on))
    told = client.send(api.open_ask(body, idempotency_key=key or uuid.uuid4().hex))
    start: api.StartBody = {"report_within": report_within, "idempotent": idempotent}
    return Asked(client, wait_for(client, told, wait), start)


async def ask_async(
    title: str,
    *,
    key: str | None = None,
    wait: float | None = None,
    report_within: float = 3600.0,
    idempotent: bool = False,
    on: str | None = None,
    **what: Unpack[Asking],
) -> AsyncAsked:
    """Ask a person, and return the answer: `ask`, awaited."""
    body = ask_body(title, **what)
    client = AsyncClient(find_server(on))
    told = await client.send(api.open_ask(body, idempotency_key=key or uuid.uuid4().hex))
    start: api.StartBody = {"report_within": report_within, "idempotent": idempotent}
    end = _end_of(wait)
    while told["state"] == "pending" and (held := _hold(end)) > 0:
        try:
            told = await client.send(api.get_ask(told["interaction_id"], wait=held))
        except NoServer:
            await asyncio.sleep(RETRY_SECONDS)
    return AsyncAsked(client, told, start)


def ask_body(title: str, **what: Unpack[Asking]) -> api.AskBody:
    """Return what is sent: only what was given, and who this program says it is."""
    options, schema = what.get("options", ()), what.get("schema")
    deduced: api.AskKind = "choose" if options else "form" if schema is not None else "approve"
    body: api.AskBody = {
        "kind": what.get("kind", deduced),
        "title": title,
        "asker": {**this_program(), **what.get("asker", {})},
        "arguments": dict(what.get("arguments", {})),
        "context": dict(what.get("context", {})),
        "editable": list(what.get("editable", ())),
        "options": [{"id": option, "label": option} for option in options],
        "assignees": list(what.get("assignees", ())),
    }
    if "tool_name" in what:
        body["tool_name"] = what["tool_name"]
    if "digest_over" in what:
        body["digest_over"] = list(what["digest_over"])
    if schema is not None:
        body["schema"] = dict(schema)
    if "expires_in" in what:
        body["expires_at"] = (datetime.now(UTC) + what["expires_in"]).isoformat()
    if "on_expiry" in what:
        body["on_expiry"] = what["on_expiry"]
    if "callback_url" in what:
        body["callback_url"] = what["callback_url"]
    if "attachments" in what:
        body["attachments"] = [_attachment(one) for one in what["attachments"]]
    return body


def _attachment(given: File | WebLink) -> api.FileBody | api.WebLink:
    if isinstance(given, WebLink):
        return {"url": given.url}
    content = base64.b64encode(given.content).decode()
    return {"name": given.name, "content": content, "alt": given.alt}


def wait_for(client: Client, told: api.AskReply, seconds: float | None) -> api.AskReply:
    """Return the ask once it is answered, or as it stands after this time; a server that is away
    meanwhile is waited for."""
    end = _end_of(seconds)
    while told["state"] == "pending" and (held := _hold(end)) > 0:
        try:
            told = client.send(api.get_ask(told["interaction_id"], wait=held))
        except NoServer:
            time.sleep(RETRY_SECONDS)
    return told


def this_program() -> api.Asker:
    """Return what this program says of itself."""
    return {
        "client": Path(sys.argv[0] if sys.argv else "").name or "python",
        "session": os.environ.get("SAYSO_SESSION", ""),
        "folder": os.getcwd(),
        "host": socket.gethostname(),
    }


def _end_of(seconds: float | None) -> float | None:
    return time.monotonic() + seconds if seconds is not None else None


def _hold(end: float | None) -> float:
    """Return how long the next reply may be held; nothing once the time is over."""
    return HOLD_SECONDS if end is None else max(0.0, min(HOLD_SECONDS, end - time.monotonic()))


def _patience() -> Iterator[float | None]:
    """Return how long to wait before each next try to report; None at the last."""
    yield from (RETRY_SECONDS * 2**n for n in range(5))
    yield None
