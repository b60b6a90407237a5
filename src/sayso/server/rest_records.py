"""What lies beside the chats: artifacts, history, audit, preferences."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import AsyncIterator
from typing import Annotated, Literal

import orjson
from fastapi import APIRouter, Depends, Header, Query, Request
from pydantic import AwareDatetime, JsonValue
from starlette.responses import Response, StreamingResponse

from sayso.core.cards import CardKind
from sayso.core.digest import JsonObject
from sayso.core.errors import InvalidInput, NotFound
from sayso.core.inbox import InteractionFilter, InteractionOrder
from sayso.core.interactions import Interaction, InteractionState
from sayso.core.view import ArtifactItem
from sayso.server.auth import Principal, Role, Who, needs
from sayso.server.bodies import LARGEST, ArtifactBody
from sayso.server.exports import csv_line, exported
from sayso.server.replies import (
    AlwaysAllowReply,
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
_ALWAYS = "always_allow"


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
    """An artifact; its ETag is its version. `format=json` or `text` gives the content alone; other
    formats ("markdown", "csv", "ics") are the application's own, to be saved as a file."""
    service = service_of(request)
    artifact = await service.engine.store.artifact(who.app_id, artifact_id)
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
    return exported(artifact, service.exports.get(artifact.ui_tool_id, {}), format)


@router.put("/api/artifacts/{artifact_id}", response_model=ArtifactItem)
async def put_artifact(
    request: Request,
    who: Who,
    artifact_id: str,
    body: ArtifactBody,
    if_match: Annotated[str, Header(max_length=200)] = "",
) -> Response:
    """The next version of an artifact. If-Match names the version it was made from."""
    service_of(request).verbs.act(who)
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


def history_filter(
    *,
    chat: Id = None,
    person: Id = None,
    kind: CardKind | None = None,
    status: InteractionState | None = None,
    decision: Literal["approve", "reject", "partial"] | None = None,
    agent: Id = None,
    tool: Id = None,
    since: AwareDatetime | None = None,
    until: AwareDatetime | None = None,
    q: Annotated[str | None, Query(max_length=500)] = None,
) -> InteractionFilter:
    """What the history and its exports are filtered by. `person` is who decided; `since` and
    `until` bound the time of the decision; `q` is found on the card and in the answer."""
    return InteractionFilter(
        chat_id=chat,
        settled_by=person,
        kind=kind.value if kind else None,
        status=status,
        decision=decision,
        agent=agent,
        tool=tool,
        since=since,
        until=until,
        words=q,
    )


Wanted = Annotated[InteractionFilter, Depends(history_filter)]


@router.get("/api/history", response_model=HistoryReply)
async def history(
    request: Request, who: Who, wanted: Wanted, before: Id = None, limit: Limit = 50
) -> Response:
    """Who decided what, the last decision first."""
    store = service_of(request).engine.store
    found = await store.interactions(
        who.app_id, wanted, order=InteractionOrder.SETTLED, before=before, limit=limit
    )
    following = found[-1].id if len(found) == limit else None
    return reply({"entries": [_entry(it) for it in found], "next": following})


@router.get("/api/history.csv", response_class=Response)
async def history_csv(request: Request, who: Who, wanted: Wanted) -> Response:
    """All of the history that meets the filter, for a spreadsheet."""
    columns = list(HistoryEntryReply.model_fields)

    async def lines() -> AsyncIterator[bytes]:
        # Without the mark a spreadsheet takes UTF-8 for its own old code page.
        yield BOM_UTF8 + csv_line(columns)
        async for it in _settled(service_of(request), who, wanted):
            entry = _entry(it)
            yield csv_line([entry[column] for column in columns])

    return _download(lines(), "text/csv; charset=utf-8", "history.csv")


@router.get("/api/history.jsonl", response_class=Response)
async def history_jsonl(request: Request, who: Who, wanted: Wanted) -> Response:
    """All of the history that meets the filter, an entry a line."""

    async def lines() -> AsyncIterator[bytes]:
        async for it in _settled(service_of(request), who, wanted):
            yield orjson.dumps(_entry(it)) + b"\n"

    return _download(lines(), "application/x-ndjson", "history.jsonl")


async def _settled(
    service: Service, who: Principal, wanted: InteractionFilter
) -> AsyncIterator[Interaction]:
    """All that is settled and meets the filter, a page at a time."""
    before = None
    while found := await service.engine.store.interactions(
        who.app_id, wanted, order=InteractionOrder.SETTLED, before=before, limit=200
    ):
        for interaction in found:
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


def _download(lines: AsyncIterator[bytes], media_type: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return StreamingResponse(lines, 200, headers, media_type)


# ── audit ──


@router.get("/api/audit", response_model=AuditReply, dependencies=[needs(Role.ADMIN)])
async def audit(
    request: Request,
    who: Who,
    chat: Id = None,
    before: Annotated[int | None, Query(ge=1, le=LARGEST)] = None,
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


@router.get("/api/preferences/always-allow", response_model=AlwaysAllowReply)
async def always_allow(request: Request, who: Who) -> Response:
    """The tools that need not ask any more, in each of this person's chats. They are taken back
    with `PUT /api/chats/{id}/preferences`."""
    store = service_of(request).engine.store
    heads = await store.chats_preferring(who.app_id, _ALWAYS, by=who.person)
    rules: list[JsonObject] = [
        {"chat_id": head.id, "title": head.title, "tools": _names(head.preferences[_ALWAYS])}
        for head in heads
    ]
    return reply({"rules": rules})


def _names(value: JsonValue) -> list[JsonValue]:
    """A client may have put anything there; the policy obeys the names alone."""
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


@router.put("/api/preferences", response_model=PreferencesReply)
async def put_preferences(request: Request, who: Who, values: JsonObject) -> Response:
    """Set these choices of display and language and keep the others; null removes one."""
    store = service_of(request).engine.store
    return reply(await store.put_preferences(who.app_id, who.person, values))
