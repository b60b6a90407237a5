"""Where the rows are: behind the server that runs on this data directory, else in the file.

Both ways give the same JSON, so a command does not care which it is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, TypeVar

import httpx
import orjson

from sayso.cli.refused import Refused
from sayso.core.answers import read_answer
from sayso.core.digest import JsonObject
from sayso.core.errors import NotFound
from sayso.core.inbox import InteractionFilter
from sayso.core.interactions import InteractionState
from sayso.core.ports import Store
from sayso.settings import Settings

T = TypeVar("T")
PENDING = InteractionFilter(status=InteractionState.PENDING)


class Reach(Protocol):
    """What the commands ask for."""

    def pending(self) -> list[JsonObject]: ...
    def interaction(self, interaction_id: str) -> JsonObject: ...
    def answer(self, interaction_id: str, body: JsonObject, key: str) -> JsonObject: ...
    def audit(self, chat: str | None, limit: int) -> list[JsonObject]: ...
    def verify(self) -> list[JsonObject]: ...


@contextmanager
def reach(data: Path | None) -> Iterator[Reach]:
    """The way to the rows of this data directory."""
    settings = Settings() if data is None else Settings(data_dir=data)
    client = running_server(settings.data_dir)
    if client is not None:
        try:
            yield ByServer(client)
        finally:
            client.close()
    elif settings.database.is_file():
        yield ByStore(settings)
    else:
        demo = settings.data_dir / "demo"
        raise NotFound(
            f"There is no Sayso in {settings.data_dir}: no server runs, and no database is there.",
            fix=f"For the demo's add: --data {demo}"
            if (demo / settings.database.name).is_file()
            else "Start `sayso serve` first, or name the folder with --data.",
        )


def running_server(data_dir: Path) -> httpx.Client | None:
    """A client of the server that runs on this data directory, if one does."""
    try:
        card = orjson.loads((data_dir / "server.json").read_bytes())
        headers = {"Authorization": f"Bearer {card['token']}"}
        address = str(card["address"])
        # The server is on this machine; no proxy has any business in between.
        httpx.get(f"{address}/api/version", timeout=3, trust_env=False).raise_for_status()
    except (OSError, ValueError, KeyError, TypeError, httpx.HTTPError):
        # None was started here, or it was killed and could not tidy up.
        return None
    return httpx.Client(base_url=address, headers=headers, timeout=30, trust_env=False)


class ByServer:
    def __init__(self, client: httpx.Client) -> None:
        self._client = client

    def pending(self) -> list[JsonObject]:
        found: list[JsonObject] = []
        query = {"status": "pending", "limit": "200"}
        while True:
            page = self._call("GET", "/api/interactions", params=query)
            found += _list(page, "interactions")
            if page["next"] is None:
                return found[::-1]
            query["before"] = str(page["next"])

    def interaction(self, interaction_id: str) -> JsonObject:
        return self._call("GET", f"/api/interactions/{interaction_id}")

    def answer(self, interaction_id: str, body: JsonObject, key: str) -> JsonObject:
        path = f"/api/interactions/{interaction_id}/response"
        return self._call("POST", path, body=body, headers={"Idempotency-Key": key})

    def audit(self, chat: str | None, limit: int) -> list[JsonObject]:
        query = {"limit": str(limit), **({"chat": chat} if chat else {})}
        return _list(self._call("GET", "/api/audit", params=query), "entries")

    def verify(self) -> list[JsonObject]:
        return _list(self._call("GET", "/api/audit/verify"), "broken")

    def _call(
        self,
        method: str,
        path: str,
        *,
        params: dict[str, str] | None = None,
        body: JsonObject | None = None,
        headers: dict[str, str] | None = None,
    ) -> JsonObject:
        try:
            answer = self._client.request(method, path, params=params, json=body, headers=headers)
        except httpx.HTTPError as exc:
            raise Refused(
                {
                    "title": "The server went away",
                    "detail": f"{exc}. It is not known whether it still did this.",
                    "fix": "Run the same command again; the same answer counts once.",
                }
            ) from exc
        said: JsonObject = orjson.loads(answer.content)
        if answer.is_error:
            raise Refused(said)
        return said


class ByStore:
    """No server runs: the file itself. A run that becomes ready waits for the next start."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def pending(self) -> list[JsonObject]:
        app_id = self._settings.app_id

        async def read(store: Store) -> list[JsonObject]:
            found = await store.interactions(app_id, PENDING, limit=1000)
            return [it.as_json() for it in reversed(found)]

        return self._with(read)

    def interaction(self, interaction_id: str) -> JsonObject:
        async def read(store: Store) -> JsonObject:
            found = await store.interaction(self._settings.app_id, interaction_id)
            if found is None:
                raise NotFound(f"There is no interaction '{interaction_id}'.")
            return found.as_json()

        return self._with(read)

    def answer(self, interaction_id: str, body: JsonObject, key: str) -> JsonObject:
        async def settle(store: Store) -> JsonObject:
            settled = await store.answer(
                self._settings.app_id,
                interaction_id,
                lambda it: read_answer(it, body, reason_required=True),
                key=key,
                by=self._settings.person,
                lease=None,
            )
            return {**settled.interaction.outcome(), "repeated": settled.repeated}

        return self._with(settle)

    def audit(self, chat: str | None, limit: int) -> list[JsonObject]:
        async def read(store: Store) -> list[JsonObject]:
            entries = await store.audit(self._settings.app_id, chat_id=chat, limit=limit)
            return [entry.as_json() for entry in entries]

        return self._with(read)

    def verify(self) -> list[JsonObject]:
        async def read(store: Store) -> list[JsonObject]:
            broken = await store.verify_audit(self._settings.app_id)
            return [{"chat_id": one.chat_id, "number": one.number} for one in broken]

        return self._with(read)

    def _with(self, work: Callable[[Store], Awaitable[T]]) -> T:
        from sayso.app import open_store

        async def run() -> T:
            store = open_store(self._settings.database)
            await store.open()
            try:
                return await work(store)
            finally:
                await store.close()

        return asyncio.run(run())


def _list(page: JsonObject, name: str) -> list[JsonObject]:
    found = page[name]
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
