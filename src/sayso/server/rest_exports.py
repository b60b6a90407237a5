"""What can be saved: artifacts and tables as files; a card, or a chat, as one signed document, and
whether a document is as it was given out."""

from __future__ import annotations

import csv
import io
import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Body, HTTPException
from pydantic import ValidationError
from starlette.responses import Response

from sayso.core.audit import AuditEntry, head_as_json
from sayso.core.chat_view import ArtifactItem, ChatView
from sayso.core.digest import JsonObject, canonical_json
from sayso.core.inbox import InteractionFilter, InteractionOrder
from sayso.core.interactions import Interaction
from sayso.core.offerings import Exporter
from sayso.core.ports import Store
from sayso.server.actions import find_chat, find_interaction
from sayso.server.auth import Principal, Who
from sayso.server.responses import REFUSALS, ExportCheckReply, ExportReply, JsonRoute, json_response
from sayso.server.service import Service, TheService, TheStore

router = APIRouter(route_class=JsonRoute, tags=["exports"], responses=REFUSALS)
_PAGE = 200
# A cell that begins so is a formula to a spreadsheet; OWASP's list.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_INNER = re.compile(r"([;\t\r\n|]\s*)([=+\-@＝＋－＠])")
_KINDS = {
    "markdown": ("text/markdown; charset=utf-8", "md"),
    "csv": ("text/csv; charset=utf-8", "csv"),
    "ics": ("text/calendar; charset=utf-8", "ics"),
}
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


def exported(artifact: ArtifactItem, exporters: Mapping[str, Exporter], format_: str) -> Response:
    """Export the artifact in a format of its application. Raises HTTPException 406 where it has
    none."""
    export = exporters.get(format_)
    if export is None:
        known = ", ".join(["json", *exporters])
        raise HTTPException(
            406, f"This artifact has no form {format_!r}; it can be had as: {known}."
        )
    try:
        made = export(artifact)
    except ValueError as exc:
        raise HTTPException(
            406, f"What this artifact holds now is not available as {format_}: {_first_line(exc)}."
        ) from exc
    media_type, ending = _KINDS.get(format_, ("text/plain; charset=utf-8", "txt"))
    # Without the mark a spreadsheet takes UTF-8 for its own old code page.
    body = made.encode() if isinstance(made, str) else BOM_UTF8 + b"".join(map(csv_line, made))
    headers = {
        "Content-Disposition": _attachment(artifact.title, ending),
        "Cache-Control": "no-store",
        "ETag": f'"{artifact.version}"',
    }
    return Response(body, 200, headers, media_type)


def csv_line(cells: Sequence[object]) -> bytes:
    """Write a line of CSV in which no cell is a formula. Each is quoted; numbers stay numbers."""
    line = io.StringIO()
    csv.writer(line, quoting=csv.QUOTE_ALL).writerow(
        "" if cell is None else _plain(cell) for cell in cells
    )
    return line.getvalue().encode()


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


def _plain(cell: object) -> object:
    if isinstance(cell, int | float):
        return cell
    text = str(cell)
    # Where a semicolon separates cells, a line's quotes are text to a reader, and what follows one
    # within a cell begins another.
    inner = _INNER.sub(r"\1'\2", text)
    return f"'{inner}" if text.startswith(_FORMULA) else inner


def _attachment(title: str, ending: str) -> str:
    """Return the header of RFC 6266: a plain ASCII name for old clients, and the whole name."""
    name = re.sub(r"[^\w\- ]+", "", title).strip()[:80] or "artifact"
    ascii_name = name.encode("ascii", "ignore").decode().strip() or "artifact"
    return (
        f"attachment; filename=\"{ascii_name}.{ending}\"; filename*=UTF-8''{quote(name)}.{ending}"
    )


def _first_line(exc: ValueError) -> str:
    if isinstance(exc, ValidationError):
        first = exc.errors(include_url=False)[0]
        return f"{'/'.join(str(part) for part in first['loc'])}: {first['msg']}"
    return str(exc).rstrip(".")
