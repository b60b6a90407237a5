"""Lets a write through, once, after a person has allowed exactly it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol, TypeVar

from pydantic import JsonValue

from sayso import SystemAway
from sayso.client import api
from sayso.client.asking import ask_body
from sayso.core.errors import AlreadySettled, NoServer, SaysoError
from sayso.packs.openlca.answering import FAILED
from sayso.packs.openlca.gateway.book import Book, Entry
from sayso.packs.openlca.gateway.write import Upstream, Write
from sayso.packs.openlca.rpc import NoReply, RpcError

T = TypeVar("T")
#: As HTTP has it: a person refused, somebody else is away, nobody answered in time.
REFUSED, AWAY, NO_ANSWER = 403, 503, 504
_HOLD_SECONDS = 300.0
_REPORT_SECONDS = 3600.0
_PAUSE_SECONDS = 1.0


class AskClient(Protocol):
    """Where people are asked."""

    async def send(self, call: api.Call[T]) -> T: ...


class Decisions:
    def __init__(self, upstream: Upstream, asks: AskClient, book: Book, *, client: str) -> None:
        self._upstream, self._asks, self.book, self._client = upstream, asks, book, client

    async def outcome(self, write: Write, entry: Entry) -> JsonValue:
        """Ask, wait, carry out, and return what the server says. The same entry again attaches to
        what became of it. Raises RpcError."""
        write = write.with_id(entry.key)
        try:
            told = await self._answered(await self._asked(write, entry))
            return await self._after(write, entry, told)
        except SystemAway as exc:
            raise RpcError(AWAY, f"{exc.detail}. {exc.details}") from exc
        except NoReply as exc:
            raise RpcError(NO_ANSWER, str(exc)) from exc
        except NoServer as exc:
            raise RpcError(AWAY, f"Nobody can be asked: {exc.detail} {exc.fix}") from exc
        except SaysoError as exc:
            raise RpcError(FAILED, f"{exc.detail} {exc.fix}") from exc

    async def _asked(self, write: Write, entry: Entry) -> api.AskReply:
        body = ask_body(
            write.title,
            kind="approve",
            tool_name=write.method,
            arguments=write.arguments,
            context=await self._call(write.context),
            asker={"client": self._client, "session": entry.digest[:16]},
        )
        return await self._asks.send(api.open_ask(body, idempotency_key=entry.key))

    async def _answered(self, told: api.AskReply) -> api.AskReply:
        while told["state"] == "pending":
            try:
                told = await self._asks.send(
                    api.get_ask(told["interaction_id"], wait=_HOLD_SECONDS)
                )
            except NoServer:
                await asyncio.sleep(_PAUSE_SECONDS)
        return told

    async def _after(self, write: Write, entry: Entry, told: api.AskReply) -> JsonValue:
        match told["state"]:
            case "done":
                return told["result"]
            case "failed" | "not_executed":
                raise RpcError(FAILED, told["error"] or "It was not carried out.")
            case "approved" | "started" | "unknown":
                return await self._carried_out(write, entry, told["interaction_id"])
            case "rejected":
                reason = (told["response"] or {}).get("user_message")
                raise RpcError(REFUSED, f"A person refused it: {reason or 'no reason was given'}")
            case state:
                raise RpcError(REFUSED, f"Nobody allowed it: {state}.")

    async def _carried_out(self, write: Write, entry: Entry, ask_id: str) -> JsonValue:
        """Carry it out where an earlier attempt has not. Until it is known, nothing is reported:
        who tries again looks first."""
        before = entry.before
        if before is not None:
            found = await self._looked_up(write, before)
            if found is not None:
                return await self._reported(ask_id, {"state": "done", "result": found}, found)
        else:
            before = await self._call(write.before)
        start: api.StartBody = {"idempotent": True, "report_within": _REPORT_SECONDS}
        await self._asks.send(api.start_ask(ask_id, start))
        self.book.sending(entry, before)
        try:
            result = await self._call(lambda upstream: upstream(write.method, write.params))
        except RpcError as exc:
            await self._reported(ask_id, {"state": "failed", "error": exc.message}, None)
            raise
        except NoReply as exc:
            result = await self._looked_up(write, before)
            if result is None:
                raise RpcError(NO_ANSWER, f"{exc}. Try again: it is looked for first.") from exc
        return await self._reported(ask_id, {"state": "done", "result": result}, result)

    async def _looked_up(self, write: Write, before: list[str]) -> JsonValue:
        return await self._call(lambda upstream: write.look_up(upstream, before))

    async def _reported(self, ask_id: str, report: api.ReportBody, result: JsonValue) -> JsonValue:
        """Report, for as long as it takes, and return the result."""
        while True:
            try:
                await self._asks.send(api.report_ask(ask_id, report))
            except NoServer:
                await asyncio.sleep(_PAUSE_SECONDS)
            except AlreadySettled:
                return result  # a person has said meanwhile what became of it
            else:
                return result

    async def _call(self, ask: Callable[[Upstream], T]) -> T:
        return await asyncio.to_thread(ask, self._upstream)
