"""Connects a command to its data: through the server that runs on this data directory, else in the
file. Both return the same JSON, so a command does not care which it is.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

import httpx
import orjson

from sayso.cli.server_refused import ServerRefused
from sayso.core.answer_parsing import read_answer
from sayso.core.attention import check_waits, new_claim
from sayso.core.audit import ExportResult, KeptHead, head_as_json
from sayso.core.digest import JsonObject
from sayso.core.errors import NotFound
from sayso.core.inbox import InteractionFilter
from sayso.core.interactions import Interaction, InteractionResponse, InteractionState
from sayso.core.ports import Store
from sayso.engine.settle_answer import settle_answer
from sayso.server.requests import ClaimBody, read_as
from sayso.settings import Settings

T = TypeVar("T")
PENDING = InteractionFilter(status=InteractionState.PENDING)


@contextmanager
def connect(data: Path | None) -> Iterator[Connection]:
    """Connect to the data of this directory. Raises NotFound."""
    settings = Settings() if data is None else Settings(data_dir=data)
    client = running_server(settings.data_dir)
    if client is not None:
        try:
            yield ServerConnection(client)
        finally:
            client.close()
    elif settings.database.is_file():
        yield StoreConnection(settings)
    else:
        demo = settings.data_dir / "demo"
        raise NotFound(
            f"There is no Sayso in {settings.data_dir}: no server runs, and no database is there.",
            fix=f"For the demo's add: --data {demo}"
            if (demo / settings.database.name).is_file()
            else "Start `sayso serve` first, or name the folder with --data.",
        )


def running_server(data_dir: Path) -> httpx.Client | None:
    """Return a client of the server that runs on this data directory, if one does."""
    try:
        found = orjson.loads((data_dir / "server.json").read_bytes())
        headers = {"Authorization": f"Bearer {found['token']}"}
        address = str(found["address"])
        # The server is on this machine; a proxy must not come in between.
        httpx.get(f"{address}/api/version", timeout=3, trust_env=False).raise_for_status()
    except (OSError, ValueError, KeyError, TypeError, httpx.HTTPError):
        # None was started here, or it was killed and could not tidy up.
        return None
    return httpx.Client(base_url=address, headers=headers, timeout=30, trust_env=False)


class ServerConnection:
    """Asks the server that runs."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client

    def pending(self) -> list[JsonObject]:
        found: list[JsonObject] = []
        query = {"status": "pending", "limit": "200"}
        while True:
            page = self._call("GET", "/api/interactions", params=query)
            found += objects(page, "interactions")
            if page["next"] is None:
                return found[::-1]
            query["before"] = str(page["next"])

    def interaction(self, interaction_id: str) -> JsonObject:
        return self._call("GET", f"/api/interactions/{interaction_id}")

    def answer(self, interaction_id: str, body: JsonObject, key: str) -> JsonObject:
        path = f"/api/interactions/{interaction_id}/response"
        return self._call("POST", path, body=body, headers={"Idempotency-Key": key})

    def claim(self, interaction_id: str, body: JsonObject) -> None:
        self._call("PUT", f"/api/interactions/{interaction_id}/claim", body=body)

    def release(self, interaction_id: str) -> None:
        self._call("DELETE", f"/api/interactions/{interaction_id}/claim")

    def snooze(self, interaction_id: str, until: datetime) -> None:
        body: JsonObject = {"until": until.isoformat()}
        self._call("PUT", f"/api/interactions/{interaction_id}/snooze", body=body)

    def audit(self, chat: str | None, limit: int) -> list[JsonObject]:
        query = {"limit": str(limit), **({"chat": chat} if chat else {})}
        return objects(self._call("GET", "/api/audit", params=query), "entries")

    def verify(self, against: str | None) -> JsonObject:
        query = {"against": against} if against is not None else {}
        return self._call("GET", "/api/audit/verify", params=query)

    def head(self) -> JsonObject:
        return self._call("GET", "/api/audit/head")

    def check_export(self, document: JsonObject) -> ExportResult:
        return ExportResult(str(self._call("POST", "/api/exports/verify", body=document)["result"]))

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
            response = self._client.request(method, path, params=params, json=body, headers=headers)
        except httpx.HTTPError as exc:
            raise ServerRefused(
                {
                    "title": "The server went away",
                    "detail": f"{exc}. It is not known whether it still did this.",
                    "fix": "Run the same command again; the same answer counts once.",
                }
            ) from exc
        document: JsonObject = orjson.loads(response.content or b"{}")
        if response.is_error:
            raise ServerRefused(document)
        return document


class StoreConnection:
    """Opens the file itself: no server runs. A run that becomes ready waits for the next start."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def pending(self) -> list[JsonObject]:
        app_id = self._settings.app_id

        async def read(store: Store) -> list[JsonObject]:
            found = await store.interactions(app_id, PENDING, limit=1000)
            ids = [it.id for it in found]
            attention = await store.attention(app_id, ids, self._settings.person)
            return [{**it.as_json(), **attention.of(it.id)} for it in reversed(found)]

        return self._with(read)

    def interaction(self, interaction_id: str) -> JsonObject:
        return self._with(lambda store: self._one(store, interaction_id)).as_json()

    def answer(self, interaction_id: str, body: JsonObject, key: str) -> JsonObject:
        async def settle(store: Store) -> JsonObject:
            settled = await settle_answer(
                store,
                self._settings.app_id,
                interaction_id,
                lambda it: _read(it, body),
                key=key,
                by=self._settings.person,
            )
            await store.seal_audit()
            return {**settled.interaction.settlement(), "repeated": settled.repeated}

        return self._with(settle)

    def claim(self, interaction_id: str, body: JsonObject) -> None:
        wanted, me = read_as(ClaimBody, body), self._settings.person

        async def put(store: Store) -> None:
            new = new_claim(
                await self._one(store, interaction_id),
                person=wanted.person or me,
                by=me,
                until=datetime.now(UTC) + timedelta(seconds=wanted.seconds),
                note=wanted.note,
            )
            await store.put_claim(self._settings.app_id, new, take_over=wanted.take_over)

        self._with(put)

    def release(self, interaction_id: str) -> None:
        app_id, me = self._settings.app_id, self._settings.person
        self._with(lambda store: store.drop_claim(app_id, interaction_id, me))

    def snooze(self, interaction_id: str, until: datetime) -> None:
        app_id, me = self._settings.app_id, self._settings.person

        async def put(store: Store) -> None:
            check_waits(await self._one(store, interaction_id))
            await store.put_snooze(app_id, interaction_id, me, until)

        self._with(put)

    def audit(self, chat: str | None, limit: int) -> list[JsonObject]:
        app_id = self._settings.app_id
        entries = self._with(lambda store: store.audit(app_id, chat_id=chat, limit=limit))
        return [entry.as_json() for entry in entries]

    def check_export(self, document: JsonObject) -> ExportResult:
        return self._with(lambda store: store.check_export(self._settings.app_id, document))

    def verify(self, against: str | None) -> JsonObject:
        app_id = self._settings.app_id
        kept = KeptHead.read(against) if against is not None else None
        return self._with(lambda store: store.verify_audit(app_id, against=kept)).as_json()

    def head(self) -> JsonObject:
        head = self._with(lambda store: store.audit_head(self._settings.app_id))
        return head_as_json(head)

    async def _one(self, store: Store, interaction_id: str) -> Interaction:
        found = await store.interaction(self._settings.app_id, interaction_id)
        if found is None:
            raise NotFound(f"There is no interaction '{interaction_id}'.")
        return found

    def _with(self, work: Callable[[Store], Awaitable[T]]) -> T:
        async def run() -> T:
            async with opened(self._settings) as store:
                return await work(store)

        return asyncio.run(run())


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[Store]:
    """Open the file, which brings it to this version's form, and close it again."""
    from sayso.app import open_store

    store = open_store(settings.database, audit_key=settings.audit_key)
    await store.open()
    try:
        yield store
    finally:
        await store.close()


#: What the commands need: both do it, and say it in the same JSON.
Connection = ServerConnection | StoreConnection


def _read(it: Interaction, body: JsonObject) -> InteractionResponse:
    """Read an answer by whoever can open the file: nobody has asked them who they are."""
    response = read_answer(it, body, reason_required=True)
    return response if it.asker is None else response.without_sign_in()


def objects(page: JsonObject, name: str) -> list[JsonObject]:
    found = page[name]
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
