"""A card, or a chat, as one signed document; and whether a document is as it was given out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Annotated

from fastapi import APIRouter, Body
from starlette.responses import Response

from sayso.core.audit import AuditEntry, head_as_json
from sayso.core.chat_view import ChatView
from sayso.core.digest import JsonObject, canonical_json
from sayso.core.inbox import InteractionFilter, InteractionOrder
from sayso.core.interactions import Interaction
from sayso.core.ports import Store
from sayso.server.actions import find_chat, find_interaction
from sayso.server.auth import Principal, Who
from sayso.server.responses import REFUSALS, ExportCheckReply, ExportReply, JsonRoute, json_response
from sayso.server.service import Service, TheService, TheStore

router = APIRouter(route_class=JsonRoute, tags=["exports"], responses=REFUSALS)
_PAGE = 200
#: All that a file name does not need to have.
_SAFE = re.compile(r"[^A-Za-z0-9._-]+")


@router.get("/api/interactions/{interaction_id}/export", response_model=ExportReply)
async def export_interaction(
    store: TheStore, service: TheService, who: Who, interaction_id: str
) -> Response:
    """One card as it was shown and answered, with its lines of the audit, signed."""
    it = await find_interaction(store, who, interaction_id)
    accounts = await store.accounts(who.app_id, [it])
    lines = [line for line in await _audit(store, who, it.chat_id) if line["subject"] == it.id]
    body: JsonObject = {"interaction": it.as_json(accounts.get(it.id)), "audit": [*lines]}
    return await _signed(service, who, "interaction", it.id, body)


@router.get("/api/chats/{chat_id}/export", response_model=ExportReply)
async def export_chat(store: TheStore, service: TheService, who: Who, chat_id: str) -> Response:
    """One chat whole: messages, tool calls, cards with their answers, and its audit, signed."""
    view = await find_chat(store, who, chat_id, limit=_PAGE)
    pages = [view]
    while (before := pages[-1].before) is not None:
        pages.append(await find_chat(store, who, chat_id, before=before, limit=_PAGE))
    # Open items stand on the first page whatever their place.
    items: JsonObject = {
        kind: [*_once(item for page in reversed(pages) for item in _items(page, kind))]
        for kind in ("messages", "tool_calls", "artifacts")
    }
    body: JsonObject = {
        **view.model_dump(mode="json", exclude={*items, "live", "before"}, exclude_none=True),
        **items,
        "interactions": [*await _interactions(store, who, chat_id)],
        "audit": [*await _audit(store, who, chat_id)],
    }
    return await _signed(service, who, "chat", chat_id, body)


@router.post("/api/exports/verify", response_model=ExportCheckReply)
async def verify_export(
    store: TheStore, who: Who, document: Annotated[JsonObject, Body()]
) -> Response:
    """Whether this document is as this server, or one with its key, gave it out."""
    return json_response({"result": (await store.check_export(who.app_id, document)).value})


async def _signed(
    service: Service, who: Principal, kind: str, name: str, body: JsonObject
) -> Response:
    store = service.engine.store
    document = await store.sign_export(
        who.app_id,
        {
            "kind": kind,
            "exported_at": service.engine.clock.now().isoformat(),
            "exported_by": who.person,
            "head": head_as_json(await store.audit_head(who.app_id)),
            "body": body,
        },
    )
    headers = {
        "Content-Disposition": f'attachment; filename="sayso-{kind}-{_SAFE.sub("-", name)}.json"',
        "Cache-Control": "no-store",
    }
    return json_response(document, headers=headers)


def _items(page: ChatView, kind: str) -> list[JsonObject]:
    items: list[JsonObject] = page.model_dump(mode="json", include={kind}, exclude_none=True)[kind]
    return items


def _once(items: Iterable[JsonObject]) -> Iterator[JsonObject]:
    seen: set[bytes] = set()
    for item in items:
        if (text := canonical_json(item)) not in seen:
            seen.add(text)
            yield item


async def _interactions(store: Store, who: Principal, chat_id: str) -> list[JsonObject]:
    wanted, found = InteractionFilter(chat_id=chat_id), list[Interaction]()
    order, before = InteractionOrder.OLDEST, None
    while page := await store.interactions(
        who.app_id, wanted, order=order, before=before, limit=_PAGE
    ):
        found += page
        before = page[-1].id
    accounts = await store.accounts(who.app_id, found)
    return [it.as_json(accounts.get(it.id)) for it in found]


async def _audit(store: Store, who: Principal, chat_id: str) -> list[JsonObject]:
    """Return the lines of a chat, in their order."""
    found: list[AuditEntry] = []
    before = None
    while page := await store.audit(who.app_id, chat_id=chat_id, before=before, limit=_PAGE):
        found += page
        before = page[-1].position
    return [line.as_json() for line in reversed(found)]
