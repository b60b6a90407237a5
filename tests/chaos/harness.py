"""Lives and deaths of a server, and a client that keeps trying: what a person with a bad day and a
good browser does."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpx

from sayso.app import open_store
from sayso.core.chat_view import ChatView
from sayso.core.events import ChatEvent
from sayso.core.ports import Store
from sayso.testing.fold import fold
from tests.chaos.desk import Ledger, calls_of
from tests.ports import free_port

ROOT = Path(__file__).parents[2]
# How often a condition of another process is looked at.
POLL_SECONDS = 0.02


class Mortal:
    """One server over one data directory, started again each time it dies."""

    def __init__(self, data: Path, zygote: asyncio.subprocess.Process) -> None:
        self.data, self._zygote = data, zygote
        self.port = free_port()
        # Making a client costs more than a request: it reads the certificates.
        self.client = httpx.AsyncClient(base_url=self.url, timeout=20, verify=False)
        self.kills: Counter[str] = Counter()
        self.pid = 0
        self._crashed = False
        self._alive = asyncio.Event()
        self._dead = asyncio.Event()

    async def live(self, plan: dict[str, Any], **settings: object) -> None:
        """Begin a life and wait until it answers (or is dead already)."""
        assert self._zygote.stdin is not None
        self._alive.clear()
        self._dead.clear()
        order = {"data": str(self.data), "port": self.port, "plan": plan, "settings": settings}
        self._zygote.stdin.write(json.dumps(order).encode() + b"\n")
        await self._zygote.stdin.drain()
        await self._alive.wait()
        while not self._dead.is_set():
            with suppress(httpx.TransportError):
                if (await self.client.get("/api/health")).status_code == 200:
                    return
            await asyncio.sleep(POLL_SECONDS)
        if self._crashed:
            raise RuntimeError("The server ended by itself; its words are above.")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def is_dead(self) -> bool:
        return self._dead.is_set()

    async def until_dead(self) -> None:
        await self._dead.wait()

    async def until_stopped(self) -> None:
        """Wait until the process sleeps (SIGSTOP)."""
        while _state_of(self.pid) != "T":  # noqa: ASYNC110  # another process has no event for it
            await asyncio.sleep(POLL_SECONDS)

    async def kill(self, number: int = signal.SIGKILL) -> None:
        if not self._dead.is_set():
            # A life that was ordered and is not born yet has no process to kill: until then the
            # number is that of the life before.
            await self._alive.wait()
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)
            await self._dead.wait()

    async def view(self, chat_id: str) -> ChatView:
        """What the database says of a chat, read while nobody serves it."""
        store = open_store(self.data / "sayso.db")
        await store.open()
        try:
            view = await store.load_view("default", chat_id, limit=1000)
            assert view is not None
            assert fold(empty_view(view), await events_of(store, "default", chat_id)) == view
            return view
        finally:
            await store.close()

    async def listen(self) -> None:
        """Hear from the zygote who was born, who was killed where, and who is dead."""
        assert self._zygote.stdout is not None
        async for line in self._zygote.stdout:
            said = json.loads(line)
            if "killed_at" in said:
                self.kills[said["killed_at"]] += 1
            elif "dead" in said:
                self._crashed = said["signal"] != signal.SIGKILL
                self._dead.set()
            else:
                self.pid = said["pid"]
                self._alive.set()


@asynccontextmanager
async def mortal_server(data: Path, app: str = "tests.chaos.desk") -> AsyncIterator[Mortal]:
    """A zygote and its server; both are gone at the end."""
    zygote = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.chaos.zygote",
        app,
        cwd=ROOT,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    server = Mortal(data, zygote)
    server._dead.set()
    listening = asyncio.create_task(server.listen())
    try:
        yield server
    finally:
        await server.kill()
        assert zygote.stdin is not None
        zygote.stdin.close()
        await zygote.wait()
        await listening
        await server.client.aclose()


class Person:
    """Posts messages and answers cards. Every request is repeated, with its key, until the server
    has answered it."""

    def __init__(self, server: Mortal, *, answers: bool = True) -> None:
        self._server, self._answers = server, answers
        self._ledger = Ledger(server.data / "ledger.db")
        self.outcomes: dict[str, set[str]] = {}

    async def order(self, words: str) -> str:
        """A new chat with one message; the chat's id."""
        chat = await self._do("POST", "/api/chats", {})
        await self.say(str(chat["id"]), words)
        return str(chat["id"])

    async def say(self, chat_id: str, words: str) -> None:
        body = {"content": words, "client_message_id": str(uuid.uuid4())}
        await self._do("POST", f"/api/chats/{chat_id}/messages", body)

    async def look(self, chat_id: str) -> dict[str, Any]:
        return await self._do("GET", f"/api/chats/{chat_id}?limit=200")

    async def until_done(self, chat_id: str) -> dict[str, Any]:
        """Answer what is asked until the chat's run has ended; its view."""
        keys: dict[str, str] = {}
        while True:
            view = await self.look(chat_id)
            run = view.get("run") or {}
            if run.get("status") in ("completed", "failed", "cancelled"):
                return view
            for it in await self.pending(chat_id):
                if self._answers:
                    await self.answer(it, keys.setdefault(it["interaction_id"], str(uuid.uuid4())))
            await asyncio.sleep(POLL_SECONDS)

    async def until(self, chat_id: str, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The chat's view, once it is as wanted."""
        while not wanted(view := await self.look(chat_id)):  # noqa: ASYNC110  # another process
            await asyncio.sleep(POLL_SECONDS)
        return view

    async def pending(self, chat_id: str) -> list[dict[str, Any]]:
        path = f"/api/interactions?status=pending&chat={chat_id}"
        return list((await self._do("GET", path))["interactions"])

    async def until_waiting(self, chat_id: str, *, card: str = "approval") -> dict[str, Any]:
        """Wait for a card of this kind; that card."""
        while True:
            for it in await self.pending(chat_id):
                if it["card"] == card:
                    return it
            await asyncio.sleep(POLL_SECONDS)

    async def cancel(self, chat_id: str) -> None:
        await self._do("POST", f"/api/chats/{chat_id}/cancel", {"reason": "changed my mind"})

    async def get(self, path: str) -> dict[str, Any]:
        return await self._do("GET", path)

    async def post(self, path: str, body: object) -> dict[str, Any]:
        return await self._do("POST", path, body)

    def happened(self) -> dict[str, int]:
        """Everything the outside world has seen."""
        return {**self._ledger.paid(), **self._ledger.sent()}

    async def answer(self, it: dict[str, Any], key: str) -> None:
        done = await self._do(
            "POST",
            f"/api/interactions/{it['interaction_id']}/response",
            self._decide(it),
            headers={"Idempotency-Key": key},
        )
        if "status" in done and isinstance(done["status"], str):
            self.outcomes.setdefault(it["interaction_id"], set()).add(done["status"])

    def _decide(self, it: dict[str, Any]) -> dict[str, Any]:
        """Yes to every approval; for an uncertain effect, look at the world first."""
        if it["card"] != "uncertain_effect":
            digest = it["payload"]["sayso"].get("digest")
            return {"decision": "approve", "reason": "go", "digest": digest}
        item = it["payload"]["tool_params"]["item"]
        if self._ledger.sent().get(item):
            return {"selected_option": "mark_done", "values": {"result": f"sent {item}"}}
        return {"selected_option": "run_again"}

    async def _do(
        self, method: str, path: str, body: object = None, headers: dict[str, str] | None = None
    ) -> dict[str, Any]:
        while True:
            try:
                response = await self._server.client.request(
                    method, path, json=body, headers=headers
                )
            except httpx.TransportError:
                await asyncio.sleep(POLL_SECONDS)
                continue
            if response.status_code < 500:
                return dict(response.json())
            if response.status_code != 503:
                raise AssertionError(f"{method} {path}: {response.status_code} {response.text}")
            await asyncio.sleep(POLL_SECONDS)


async def check_world(server: Mortal, person: Person, orders: list[tuple[str, str]]) -> None:
    """Every order done, every card settled once, every effect once, and the views say what the
    logs say.
    """
    if server.is_dead:
        await server.live({})
    assert (await server.client.get("/api/admin/pending")).json()["pending"] == []
    assert (await server.client.get("/api/audit/verify")).json()["intact"] is True
    await server.kill()
    await _check_views(server, orders)
    many = {it: said for it, said in person.outcomes.items() if len(said) != 1}
    assert not many, f"answered with two outcomes: {many}"
    ledger = Ledger(server.data / "ledger.db")
    items = {f"{name}/{n}": call for name, _ in orders for n, call in enumerate(calls_of(name), 1)}
    paid, sent = ledger.paid(), ledger.sent()
    for item, call in items.items():
        happened = paid.get(item, 0) if call == "pay" else sent.get(item, 0)
        assert happened == 1, f"{call} {item} happened {happened} times"


async def _check_views(server: Mortal, orders: list[tuple[str, str]]) -> None:
    for name, chat_id in orders:
        view = await server.view(chat_id)
        assert view.run is not None
        assert view.run.status == "completed", f"{name}: {view.run}"


async def check_log(server: Mortal, chat_id: str) -> list[str]:
    """How each card of a chat ended, in the order they were opened; its log and its view agree."""
    view = await server.view(chat_id)
    tools = [m.metadata["ui_tool"] for m in view.messages if "ui_tool" in m.metadata]
    return [str(tool["ui_tool_status"]) for tool in tools if isinstance(tool, dict)]


async def events_of(store: Store, app_id: str, chat_id: str) -> list[ChatEvent]:
    """A chat's whole log."""
    events: list[ChatEvent] = []
    while frames := await store.events_after(app_id, chat_id, len(events)):
        events += [frame.body for frame in frames if isinstance(frame.body, ChatEvent)]
    return events


def empty_view(view: ChatView) -> ChatView:
    """The view before anything happened in this chat."""
    return ChatView(
        id=view.id,
        app_id=view.app_id,
        log_id=view.log_id,
        agent=view.agent,
        created_at=view.created_at,
    )


def _state_of(pid: int) -> str:
    """A process's state letter: R runs, S sleeps, T is stopped."""
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
