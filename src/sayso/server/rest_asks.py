"""Asks over REST: one door for every script, job and outside agent that needs a person."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Header, Request
from starlette.responses import Response

from sayso.core.asks import AskRecord, AskState
from sayso.core.digest import JsonObject
from sayso.server.auth import Asks, Principal
from sayso.server.requests import AskBody, Id, Limit, ReportBody, StartBody, Wait, WithdrawBody
from sayso.server.responses import REFUSALS, AskReply, AsksReply, JsonRoute, json_response
from sayso.server.run_reply import preferences, wait_seconds
from sayso.server.service import Service, TheService

router = APIRouter(route_class=JsonRoute, tags=["asks"], responses=REFUSALS)
Key = Annotated[str | None, Header(alias="Idempotency-Key", min_length=1, max_length=200)]
_REPLY: dict[int | str, dict[str, Any]] = {
    200: {"model": AskReply},
    202: {"model": AskReply, "description": "It still waits for a person."},
}


@router.post("/api/asks", response_model=AskReply, status_code=201, responses=_REPLY)
async def open_ask(
    *,
    request: Request,
    service: TheService,
    who: Asks,
    body: AskBody,
    key: Key = None,
    prefer: Annotated[str, Header(max_length=200)] = "",
) -> Response:
    """Ask a person. The same Idempotency-Key with the same kind, tool and binding arguments is the
    same ask; `Prefer: wait=N` holds the reply for the answer."""
    seconds = wait_seconds(preferences(prefer))
    opened = await service.asks.open(who, body, key=key)
    status = 201 if opened.is_new else 200
    if not seconds:
        return _reply(request, opened.record, status)
    record = await _held(service, who, opened.record, seconds)
    return _reply(request, record, 202 if record.state is AskState.PENDING else status)


@router.get("/api/asks", response_model=AsksReply)
async def list_asks(
    *,
    request: Request,
    service: TheService,
    who: Asks,
    session: Id = None,
    before: Id = None,
    limit: Limit = 50,
) -> Response:
    """Your asks, newest first; `session` are those of one piece of work."""
    found = await service.asks.list(who, session=session, before=before, limit=limit)
    following = found[-1].card.id if len(found) == limit else None
    listed: list[JsonObject] = [ask_json(record, _base(request)) for record in found]
    return json_response({"asks": listed, "next": following})


@router.get("/api/asks/{interaction_id}", response_model=AskReply, responses=_REPLY)
async def get_ask(
    request: Request, service: TheService, who: Asks, interaction_id: str, wait: Wait = 0
) -> Response:
    """Where an ask stands. `wait` holds the reply for the answer, for so many seconds."""
    record = await service.asks.find(who, interaction_id)
    if not wait:
        return _reply(request, record, 200)
    record = await _held(service, who, record, wait)
    return _reply(request, record, 202 if record.state is AskState.PENDING else 200)


@router.delete("/api/asks/{interaction_id}", response_model=AskReply)
async def withdraw_ask(
    request: Request,
    service: TheService,
    who: Asks,
    interaction_id: str,
    body: WithdrawBody | None = None,
) -> Response:
    """Withdraw an ask that is open, or an approval that was not used."""
    record = await service.asks.withdraw(who, interaction_id, body or WithdrawBody())
    return _reply(request, record, 200)


@router.post("/api/asks/{interaction_id}/start", response_model=AskReply)
async def start_ask(
    request: Request,
    service: TheService,
    who: Asks,
    interaction_id: str,
    body: StartBody | None = None,
) -> Response:
    """Use the approval, once: only then act, with these `arguments`. 409 where it was used."""
    record = await service.asks.start(who, interaction_id, body or StartBody())
    return _reply(request, record, 200)


@router.post("/api/asks/{interaction_id}/report", response_model=AskReply)
async def report_ask(
    request: Request, service: TheService, who: Asks, interaction_id: str, body: ReportBody
) -> Response:
    """Say what became of it, once."""
    record = await service.asks.report(who, interaction_id, body)
    return _reply(request, record, 200)


def ask_json(record: AskRecord, base: str) -> JsonObject:
    """Return an ask as its asker is told of it."""
    it, effect, asker = record.card, record.effect, record.card.asker
    assert asker is not None
    settled = it.settlement()
    return {
        "interaction_id": it.id,
        "url": f"{base}/i/{it.id}",
        "kind": record.kind.value,
        "state": record.state.value,
        "title": it.title,
        "digest": it.digest,
        "revision": it.revision,
        "created_at": it.created_at.isoformat(),
        "expires_at": it.expires_at.isoformat() if it.expires_at else None,
        "asker": asker.model_dump(),
        "arguments": record.arguments,
        "response": settled["response"],
        "settled_at": settled["settled_at"],
        "settled_by": settled["settled_by"],
        "started_at": effect.started_at.isoformat() if effect else None,
        "result": effect.result if effect else None,
        "error": effect.error if effect else None,
        "webhook": record.webhook.as_json() if record.webhook else None,
    }


async def _held(service: Service, who: Principal, record: AskRecord, seconds: float) -> AskRecord:
    """Wait for the answer; where the server stops, the ask still stands, and is there when somebody
    asks again."""
    with service.streams.held():
        record = await service.asks.wait(who, record, seconds)
    return record


def _reply(request: Request, record: AskRecord, status: int) -> Response:
    return json_response(ask_json(record, _base(request)), status)


def _base(request: Request) -> str:
    return str(request.base_url).rstrip("/")
