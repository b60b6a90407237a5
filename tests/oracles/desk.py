"""The door the oracles knock at: the real ASGI application over a real SQLite file, by HTTP bodies.

It knows of Sayso what a client and the author of an agent know, and nothing more.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI

import sayso
from sayso.engine.runtime import EngineSettings
from sayso.server.app import create_app
from sayso.settings import Settings

#: Nothing here takes this long; it only ends a test that hangs.
GUARD_SECONDS = 60
#: JSON as a client gets it.
Wire = dict[str, Any]
Story = Callable[[sayso.AgentContext], Awaitable[object]]


class Ledger:
    """What really ran: a file outside of Sayso to which the bodies of the tools write."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.touch()

    def write(self, story: str, **what: object) -> None:
        line = json.dumps({"story": story, **what})
        with self.path.open("a") as file:
            file.write(line + "\n")

    def of(self, story: str) -> list[Wire]:
        lines = (json.loads(line) for line in self.path.read_text().splitlines())
        return [line for line in lines if line.pop("story") == story]


@dataclass(repr=False)
class Desk:
    """A running server, and an agent that tells the story that the message names."""

    http: httpx.AsyncClient
    ledger: Ledger
    stories: dict[str, Story]
    served: FastAPI
    _count: int = 0

    async def begin(self, story: Story, agent: str | None = None) -> str:
        """A chat whose run tells this story until it ends or waits for a person; the chat's id. An
        agent that has a name of its own tells what it has to tell."""
        chat = await self.start(story, agent)
        await self.rest(chat)
        return chat

    async def start(self, story: Story, agent: str | None = None) -> str:
        chat = await self.open_chat(agent)
        self.stories[chat] = story
        await self.say(chat, chat)
        return chat

    async def open_chat(self, agent: str | None = None) -> str:
        return str((await self._ok("POST", "/api/chats", {"agent": agent or "teller"}))["id"])

    async def say(self, chat: str, words: str, **more: object) -> httpx.Response:
        self._count += 1
        body = {"content": words, "client_message_id": f"m{self._count}", **more}
        return await self.http.post(f"/api/chats/{chat}/messages", json=body)

    async def rest(self, chat: str) -> Wire:
        """The chat, once its run has ended or waits and no tool is at work."""
        deadline = asyncio.get_running_loop().time() + GUARD_SECONDS
        while True:
            view = await self.view(chat)
            if view["run"] and view["run"]["status"] not in ("ready", "running"):
                return view
            if asyncio.get_running_loop().time() > deadline:
                raise AssertionError(f"it never came to rest: {view['run']} {view['tool_calls']}")
            await asyncio.sleep(0.004)

    async def view(self, chat: str) -> Wire:
        return await self._ok("GET", f"/api/chats/{chat}")

    async def open_cards(self, chat: str) -> list[Wire]:
        """The cards of this chat that wait, oldest first, each as the API shows it."""
        listed = await self._ok("GET", f"/api/interactions?chat={chat}&status=pending")
        ids = [each["interaction_id"] for each in reversed(listed["interactions"])]
        return [await self.card(each) for each in ids]

    async def card(self, interaction_id: str) -> Wire:
        return await self._ok("GET", f"/api/interactions/{interaction_id}")

    async def cards(self, chat: str) -> list[Wire]:
        listed = await self._ok("GET", f"/api/interactions?chat={chat}&limit=200")
        return list(reversed(listed["interactions"]))

    async def answer(self, interaction_id: str, body: bytes, **headers: str) -> httpx.Response:
        return await self.http.post(
            f"/api/interactions/{interaction_id}/response",
            content=body,
            headers={"Content-Type": "application/json", **headers},
        )

    async def answers(self, body: bytes) -> httpx.Response:
        return await self.http.post(
            "/api/interactions/responses",
            content=body,
            headers={"Content-Type": "application/json"},
        )

    async def dismiss(self, interaction_id: str) -> None:
        await self._ok("POST", f"/api/interactions/{interaction_id}/dismiss", {})

    async def history(self, chat: str) -> list[Wire]:
        return list((await self._ok("GET", f"/api/history?chat={chat}&limit=200"))["entries"])

    async def exported(self, chat: str, ending: str) -> str:
        """The history of this chat as a file."""
        answer = await self.http.get(f"/api/history.{ending}?chat={chat}")
        assert answer.is_success, answer.text
        return answer.text.removeprefix("\ufeff")

    async def audit(self, chat: str) -> list[Wire]:
        return list((await self._ok("GET", f"/api/audit?chat={chat}&limit=200"))["entries"])

    async def close(self, chat: str) -> None:
        await self.http.post(f"/api/chats/{chat}/cancel", json={"reason": "The test is over."})

    async def _ok(self, method: str, path: str, body: object = None) -> Wire:
        answer = await self.http.request(method, path, json=body)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text}"
        return dict(answer.json())


def story_of(ctx: sayso.AgentContext | sayso.ToolContext) -> str:
    """The story that a run tells: the message that began it is the name of its chat."""
    return ctx.task.messages[-1].content


@asynccontextmanager
async def desk(
    folder: Path,
    *tools: object,
    ledger: Ledger,
    stories: dict[str, Story] | None = None,
    others: Mapping[str, object] | None = None,
) -> AsyncIterator[Desk]:
    """A server over a database in this folder. Its agent tells the story of its chat;
    beside it there may be others."""
    stories = stories if stories is not None else {}

    async def agent(ctx: sayso.AgentContext) -> None:
        if told := stories.get(story_of(ctx)):
            await told(ctx)

    app = sayso.App({"teller": agent, **(others or {})}, tools=tools, store=folder / "sayso.db")
    # A story that is cut has nothing to come to its end; and the cuts are ours, not its own.
    engine = app.engine(folder, EngineSettings(grace_seconds=0, most_takeovers=10_000))
    served = create_app(engine, Settings(data_dir=folder))
    transport = httpx.ASGITransport(served, raise_app_exceptions=False)
    async with (
        served.router.lifespan_context(served),
        httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8765") as http,
    ):
        yield Desk(http, ledger, stories, served)
