"""What lies beside the chats: artifacts, history, audit, preferences."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import AsyncIterator
from typing import Annotated, Literal

import orjson
from fastapi import APIRouter, Depends, Header, Query
from pydantic import AwareDatetime, JsonValue
from starlette.responses import Response, StreamingResponse

from sayso.core.audit import KeptHead, head_as_json
from sayso.core.cards import CardKind
from sayso.core.chat_view import ArtifactItem
from sayso.core.digest import JsonObject
from sayso.core.errors import NotFound
from sayso.core.inbox import InteractionFilter, InteractionOrder
from sayso.core.interactions import Interaction, InteractionState
from sayso.core.ledger import ledger_line
from sayso.core.messages import coded, recalled
from sayso.core.ports import Store
from sayso.core.record import Account
from sayso.server.auth import Principal, Role, Who, needs
from sayso.server.requests import LARGEST, ArtifactBody, Id, Limit
from sayso.server.responses import (
    REFUSALS,
    AlwaysAllowReply,
    AuditHeadReply,
    AuditReply,
    HistoryEntryReply,
    HistoryReply,
    JsonRoute,
    PreferencesReply,
    VerifiedReply,
    json_response,
    model_response,
)
from sayso.server.rest_exports import csv_line, exported
from sayso.server.service import Actions, TheService, TheStore

router = APIRouter(route_class=JsonRoute, tags=["records"], responses=REFUSALS)
_ALWAYS = "always_allow"


# ── artifacts ──


@router.get(
    "/api/artifacts/{artifact_id}",
    response_model=ArtifactItem,
    responses={304: {"description": "If-None-Match names the version that stands."}},
)
async def get_artifact(
    service: TheService,
    who: Who,
    artifact_id: str,
    format: Annotated[str | None, Query(max_length=50)] = None,
    if_none_match: Annotated[str, Header(max_length=200)] = "",
) -> Response:
    """An artifact; its ETag is its version. `format=json` or `text` gives the content alone; other
    formats ("markdown", "csv", "ics") are the application's own, to be saved as a file."""
    artifact = await service.engine.store.artifact(who.app_id, artifact_id)
    if artifact is None:
        raise NotFound(f"There is no artifact '{artifact_id}'.")
    tag = {"ETag": f'"{artifact.version}"'}
    if tag["ETag"] in if_none_match:
        return Response(None, 304, tag)
    if format is None:
        return model_response(artifact, headers=tag)
    if format == "json":
        return Response(orjson.dumps(artifact.content), 200, tag, "application/json")
    if format == "text" and isinstance(artifact.content, str):
        return Response(artifact.content, 200, tag, "text/plain; charset=utf-8")
    return exported(artifact, service.exports.get(artifact.ui_tool_id, {}), format)


@router.put("/api/artifacts/{artifact_id}", response_model=ArtifactItem)
async def put_artifact(
    actions: Actions,
    who: Who,
    artifact_id: str,
    body: ArtifactBody,
    if_match: Annotated[str, Header(max_length=200)] = "",
) -> Response:
    """The next version of an artifact. If-Match names the version it was made from."""
    artifact = await actions.put_artifact(who, artifact_id, body, if_match=if_match)
    return model_response(artifact, headers={"ETag": f'"{artifact.version}"'})


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
    edited: bool = False,
    outcome: Literal["ran", "went_wrong"] | None = None,
) -> InteractionFilter:
    """Return what the history and its exports are filtered by. `person` is who decided; `since`
    and `until` bound the time of the decision; `q` is found on the card and in the answer;
    `outcome` is what became of what was allowed."""
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
        edited=edited,
        outcome=outcome,
    )


Wanted = Annotated[InteractionFilter, Depends(history_filter)]


@router.get("/api/history", response_model=HistoryReply)
async def history(
    store: TheStore, who: Who, wanted: Wanted, before: Id = None, limit: Limit = 50
) -> Response:
    """Who decided what, the last decision first."""
    found = await store.interactions(
        who.app_id, wanted, order=InteractionOrder.SETTLED, before=before, limit=limit
    )
    following = found[-1].id if len(found) == limit else None
    accounts = await store.accounts(who.app_id, found)
    entries: list[JsonObject] = [_entry(it, accounts.get(it.id)) for it in found]
    return json_response({"entries": entries, "next": following})


@router.get("/api/history.csv", response_class=Response)
async def history_csv(store: TheStore, who: Who, wanted: Wanted) -> Response:
    """All of the history that meets the filter, for a spreadsheet."""
    columns = [name for name in HistoryEntryReply.model_fields if name != "said"]

    async def lines() -> AsyncIterator[bytes]:
        # Without the mark a spreadsheet takes UTF-8 for its own old code page.
        yield BOM_UTF8 + csv_line(columns)
        async for entry in _settled(store, who, wanted):
            yield csv_line([_cell(entry[column]) for column in columns])

    return _download(lines(), "text/csv; charset=utf-8", "history.csv")


@router.get("/api/history.jsonl", response_class=Response)
async def history_jsonl(store: TheStore, who: Who, wanted: Wanted) -> Response:
    """All of the history that meets the filter, an entry a line."""

    async def lines() -> AsyncIterator[bytes]:
        async for entry in _settled(store, who, wanted):
            yield orjson.dumps(entry) + b"\n"

    return _download(lines(), "application/x-ndjson", "history.jsonl")


async def _settled(
    store: Store, who: Principal, wanted: InteractionFilter
) -> AsyncIterator[JsonObject]:
    """Yield all that is settled and meets the filter, a page at a time."""
    before = None
    while found := await store.interactions(
        who.app_id, wanted, order=InteractionOrder.SETTLED, before=before, limit=200
    ):
        accounts = await store.accounts(who.app_id, found)
        for interaction in found:
            yield _entry(interaction, accounts.get(interaction.id))
        before = found[-1].id


def _cell(value: JsonValue) -> JsonValue:
    """Return a list or an object as JSON in one cell; nothing where it is empty."""
    if not isinstance(value, list | dict):
        return value
    return orjson.dumps(value).decode() if value else None


def _entry(it: Interaction, became: Account | None) -> JsonObject:
    response = it.response
    came = became.model_dump(mode="json") if became is not None else {}
    entry: JsonObject = {
        "interaction_id": it.id,
        "chat_id": it.chat_id,
        "run_id": it.run_id,
        "card": it.card.card.value,
        "title": came.get("title") or it.title,
        "agent_name": it.agent_name,
        "tool_name": it.tool_name,
        "status": it.state.value,
        "decision": response.decision if response else None,
        "reason": response.user_message if response else None,
        "digest": it.digest,
        "revision": it.revision,
        "asked_at": it.created_at.isoformat(),
        "settled_at": it.settled_at.isoformat() if it.settled_at else None,
        "settled_by": it.settled_by,
        "proposed_title": it.title,
        "outcome": came.get("state"),
        "changes": came.get("changed") or [],
        "ran_arguments": came.get("arguments"),
        "outcome_error": came.get("error"),
        "outcome_at": came.get("at"),
        "executed_digest": came.get("executed_digest"),
        "message_id": response.metadata.get("message_id") if response else None,
        "asker": it.asker.model_dump() if it.asker is not None else None,
    }
    return {**entry, "said": _texts_of(entry, it)}


def _texts_of(entry: JsonObject, it: Interaction) -> JsonObject:
    """Return what says the texts of an entry in other languages, by field."""
    reason, error = entry["reason"], entry["outcome_error"]
    texts = {
        "title": it.name if entry["title"] == it.title else None,
        "reason": recalled(reason if isinstance(reason, str) else None),
        "outcome_error": recalled(error if isinstance(error, str) else None),
    }
    return {name: coded(text) for name, text in texts.items() if coded(text)}


def _download(lines: AsyncIterator[bytes], media_type: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return StreamingResponse(lines, 200, headers, media_type)


# ── audit ──


@router.get("/api/audit", response_model=AuditReply, dependencies=[needs(Role.ADMIN)])
async def audit(
    store: TheStore,
    who: Who,
    chat: Id = None,
    before: Annotated[int | None, Query(ge=1, le=LARGEST)] = None,
    limit: Limit = 100,
) -> Response:
    """The lines of the hash chains, newest first. `before` is the position of the last one seen."""
    found = await store.audit(who.app_id, chat_id=chat, before=before, limit=limit)
    following = found[-1].position if len(found) == limit else None
    entries: list[JsonObject] = [
        {
            **entry.as_json(),
            "ledger": ledger_line(entry.action, entry.actor, entry.body).model_dump(),
        }
        for entry in found
    ]
    return json_response({"entries": entries, "next": following})


@router.get("/api/audit/verify", response_model=VerifiedReply, dependencies=[needs(Role.ADMIN)])
async def verify(store: TheStore, who: Who, against: Id = None) -> Response:
    """Check every seal, line and row of this tenant, and that the seals lead to `against`, a head
    that was kept elsewhere."""
    kept = KeptHead.read(against) if against is not None else None
    report = await store.verify_audit(who.app_id, against=kept)
    return json_response(report.as_json())


@router.get("/api/audit/head", response_model=AuditHeadReply, dependencies=[needs(Role.ADMIN)])
async def audit_head(store: TheStore, who: Who) -> Response:
    """The last seal: what to keep elsewhere."""
    return json_response(head_as_json(await store.audit_head(who.app_id)))


# ── preferences ──


@router.get("/api/preferences", response_model=PreferencesReply)
async def get_preferences(store: TheStore, who: Who) -> Response:
    return json_response(await store.preferences(who.app_id, who.person))


@router.get("/api/preferences/always-allow", response_model=AlwaysAllowReply)
async def always_allow(store: TheStore, who: Who) -> Response:
    """The tools that need not ask any more, in each of this person's chats. They are taken back
    with `PUT /api/chats/{id}/preferences`."""
    heads = await store.chats_preferring(who.app_id, _ALWAYS, by=who.person)
    rules: list[JsonObject] = [
        {"chat_id": head.id, "title": head.title, "tools": _names(head.preferences[_ALWAYS])}
        for head in heads
    ]
    return json_response({"rules": rules})


def _names(value: JsonValue) -> list[JsonValue]:
    """A client may have put anything there; the policy obeys the names alone."""
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


@router.put("/api/preferences", response_model=PreferencesReply)
async def put_preferences(actions: Actions, who: Who, values: JsonObject) -> Response:
    """Set these choices of display and language and keep the others; null removes one."""
    return json_response(await actions.put_preferences(who, values))
