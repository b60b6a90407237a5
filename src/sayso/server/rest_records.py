"""What lies beside the chats: artifacts, history, audit, preferences."""

from __future__ import annotations

import csv
import io
from collections.abc import AsyncIterator, Sequence
from typing import Annotated

import orjson
from fastapi import APIRouter, Header, HTTPException, Query, Request
from starlette.responses import Response, StreamingResponse

from sayso.core.digest import JsonObject
from sayso.core.errors import InvalidInput, NotFound
from sayso.core.interactions import Interaction
from sayso.core.ports import InteractionFilter
from sayso.core.view import ArtifactItem
from sayso.server.auth import Principal, Role, Who, needs
from sayso.server.bodies import ArtifactBody
from sayso.server.replies import (
    AuditReply,
    HistoryEntryReply,
    HistoryReply,
    JsonRoute,
    PreferencesReply,
    VerifiedReply,
    reply,
    reply_model,
)
from sayso.server.service import Service, service_of

router = APIRouter(route_class=JsonRoute, tags=["records"])
Limit = Annotated[int, Query(ge=1, le=200)]
Id = Annotated[str | None, Query(max_length=200)]
# A cell that begins so is a formula to a spreadsheet; OWASP's list.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


# ── artifacts ──


@router.get(
    "/api/artifacts/{artifact_id}",
    response_model=ArtifactItem,
    responses={304: {"description": "If-None-Match names the version that stands."}},
)
async def get_artifact(
    request: Request,
    who: Who,
    artifact_id: str,
    format: Annotated[str | None, Query(max_length=50)] = None,
    if_none_match: Annotated[str, Header(max_length=200)] = "",
) -> Response:
    """An artifact; its ETag is its version. `format=json` or `text` gives the content alone."""
    artifact = await service_of(request).engine.store.artifact(who.app_id, artifact_id)
    if artifact is None:
        raise NotFound(f"There is no artifact '{artifact_id}'.")
    tag = {"ETag": f'"{artifact.version}"'}
    if tag["ETag"] in if_none_match:
        return Response(None, 304, tag)
    if format is None:
        return reply_model(artifact, headers=tag)
    if format == "json":
        return Response(orjson.dumps(artifact.content), 200, tag, "application/json")
    if format == "text" and isinstance(artifact.content, str):
        return Response(artifact.content, 200, tag, "text/plain; charset=utf-8")
    raise HTTPException(406, f"This artifact has no form {format!r}; it can be had as json.")


@router.put("/api/artifacts/{artifact_id}", response_model=ArtifactItem)
async def put_artifact(
    request: Request,
    who: Who,
    artifact_id: str,
    body: ArtifactBody,
    if_match: Annotated[str, Header(max_length=200)] = "",
) -> Response:
    """The next version of an artifact. If-Match names the version it was made from."""
    who.require(Role.RESPONDER)
    version = if_match.removeprefix("W/").strip('"')
    if not (version.isascii() and version.isdigit()):
        raise InvalidInput(
            "If-Match does not name the version that was changed.",
            fix='Send the ETag of the version you changed: If-Match: "3".',
            context={"errors": [{"path": "header/if-match", "message": "needs to be a version"}]},
        )
    artifact = await service_of(request).engine.put_artifact(
        who.app_id,
        artifact_id,
        content=body.content,
        title=body.title,
        if_version=int(version),
        by=who.person,
    )
    return reply_model(artifact, headers={"ETag": f'"{artifact.version}"'})


# ── history ──


@router.get("/api/history", response_model=HistoryReply)
async def history(
    request: Request, who: Who, chat: Id = None, before: Id = None, limit: Limit = 50
) -> Response:
    """Who decided what, newest first."""
    entries: list[JsonObject] = []
    last = None
    async for it in _settled(service_of(request), who, chat, before):
        if len(entries) == limit:
            last = entries[-1]["interaction_id"]
            break
        entries.append(_entry(it))
    return reply({"entries": entries, "next": last})


@router.get("/api/history.csv", response_class=Response)
async def history_csv(request: Request, who: Who, chat: Id = None) -> Response:
    """All of the history, for a spreadsheet."""
    columns = list(HistoryEntryReply.model_fields)

    async def lines() -> AsyncIterator[bytes]:
        yield _csv_line(columns)
        async for it in _settled(service_of(request), who, chat, None):
            entry = _entry(it)
            yield _csv_line([entry[column] for column in columns])

    return _download(lines(), "text/csv; charset=utf-8", "history.csv")


@router.get("/api/history.jsonl", response_class=Response)
async def history_jsonl(request: Request, who: Who, chat: Id = None) -> Response:
    """All of the history, an entry a line."""

    async def lines() -> AsyncIterator[bytes]:
        async for it in _settled(service_of(request), who, chat, None):
            yield orjson.dumps(_entry(it)) + b"\n"

    return _download(lines(), "application/x-ndjson", "history.jsonl")


async def _settled(
    service: Service, who: Principal, chat: str | None, before: str | None
) -> AsyncIterator[Interaction]:
    """Every settled interaction, newest first, a page at a time."""
    wanted = InteractionFilter(chat_id=chat)
    while found := await service.engine.store.interactions(
        who.app_id, wanted, before=before, limit=200
    ):
        for interaction in found:
            if interaction.state.is_final:
                yield interaction
        before = found[-1].id


def _entry(it: Interaction) -> JsonObject:
    proposal, response = it.proposal, it.response
    return {
        "interaction_id": it.id,
        "chat_id": it.chat_id,
        "run_id": it.run_id,
        "card": it.card.card.value,
        "title": it.title,
        "agent_name": it.agent_name,
        "tool_name": proposal.tool_name if proposal else None,
        "status": it.state.value,
        "decision": response.decision if response else None,
        "reason": response.user_message if response else None,
        "digest": proposal.digest if proposal else None,
        "revision": proposal.revision if proposal else None,
        "asked_at": it.created_at.isoformat(),
        "settled_at": it.settled_at.isoformat() if it.settled_at else None,
        "settled_by": it.settled_by,
    }


def _csv_line(cells: Sequence[object]) -> bytes:
    line = io.StringIO()
    csv.writer(line).writerow("" if cell is None else _plain(str(cell)) for cell in cells)
    return line.getvalue().encode()


def _plain(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def _download(lines: AsyncIterator[bytes], media_type: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return StreamingResponse(lines, 200, headers, media_type)


# ── audit ──


@router.get("/api/audit", response_model=AuditReply, dependencies=[needs(Role.ADMIN)])
async def audit(
    request: Request,
    who: Who,
    chat: Id = None,
    before: Annotated[int | None, Query(ge=1)] = None,
    limit: Limit = 100,
) -> Response:
    """The lines of the hash chains, newest first. `before` is the position of the last one seen."""
    store = service_of(request).engine.store
    found = await store.audit(who.app_id, chat_id=chat, before=before, limit=limit)
    following = found[-1].position if len(found) == limit else None
    return reply({"entries": [entry.as_json() for entry in found], "next": following})


@router.get("/api/audit/verify", response_model=VerifiedReply, dependencies=[needs(Role.ADMIN)])
async def verify(request: Request, who: Who) -> Response:
    """Recompute every chain of this tenant."""
    broken = await service_of(request).engine.store.verify_audit(who.app_id)
    places: list[JsonObject] = [{"chat_id": b.chat_id, "number": b.number} for b in broken]
    return reply({"intact": not broken, "broken": places})


# ── preferences ──


@router.get("/api/preferences", response_model=PreferencesReply)
async def get_preferences(request: Request, who: Who) -> Response:
    return reply(await service_of(request).engine.store.preferences(who.app_id, who.person))


@router.put("/api/preferences", response_model=PreferencesReply)
async def put_preferences(request: Request, who: Who, values: JsonObject) -> Response:
    """Set these choices of display and language and keep the others; null removes one."""
    store = service_of(request).engine.store
    return reply(await store.put_preferences(who.app_id, who.person, values))
