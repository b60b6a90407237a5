"""The inbox and the answers over REST."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

from fastapi import APIRouter, Body, Header, Query, Request
from pydantic import AwareDatetime
from starlette.responses import Response

from sayso.core.cards import CardKind
from sayso.core.digest import JsonObject
from sayso.core.inbox import InteractionFilter, InteractionOrder
from sayso.core.interactions import InteractionState
from sayso.server.auth import Principal, Role, Who, needs
from sayso.server.bodies import AnswerItem, DismissBody, ExtendBody
from sayso.server.problems import problem_of
from sayso.server.replies import (
    BatchReply,
    CountsReply,
    InteractionReply,
    InteractionsReply,
    JsonRoute,
    PendingReply,
    SettledReply,
    reply,
)
from sayso.server.service import Service, service_of

_PENDING = InteractionFilter(status=InteractionState.PENDING)
router = APIRouter(route_class=JsonRoute, tags=["interactions"])
Limit = Annotated[int, Query(ge=1, le=200)]
Id = Annotated[str | None, Query(max_length=200)]
Words = Annotated[str | None, Query(max_length=500)]


@router.get("/api/interactions", response_model=InteractionsReply)
async def list_interactions(
    *,
    request: Request,
    who: Who,
    status: InteractionState | None = None,
    kind: CardKind | None = None,
    chat: Id = None,
    assignee: Id = None,
    agent: Id = None,
    q: Words = None,
    expires_before: AwareDatetime | None = None,
    settled_after: AwareDatetime | None = None,
    order: InteractionOrder = InteractionOrder.NEWEST,
    before: Id = None,
    limit: Limit = 50,
) -> Response:
    """The inbox. `kind` is the card; `assignee` is a person, or `me`; `q` is found in what people
    see on a card; `before` is the id of the last one seen, in any order."""
    wanted = InteractionFilter(
        status=status,
        kind=kind.value if kind else None,
        chat_id=chat,
        assignee=who.person if assignee == "me" else assignee,
        agent=agent,
        words=q,
        expires_before=expires_before,
        since=settled_after,
    )
    store = service_of(request).engine.store
    found = await store.interactions(who.app_id, wanted, order=order, before=before, limit=limit)
    following = found[-1].id if len(found) == limit else None
    return reply({"interactions": [it.as_json() for it in found], "next": following})


@router.get("/api/interactions/counts", response_model=CountsReply)
async def count_pending(request: Request, who: Who) -> Response:
    """How many cards wait, of each kind and for each agent."""
    counted = await service_of(request).engine.store.count_pending(who.app_id)
    kinds, agents = Counter[str](), Counter[str]()
    for line in counted:
        kinds[line.kind] += line.count
        agents[line.agent_name] += line.count
    return reply({"pending": kinds.total(), "kinds": dict(kinds), "agents": dict(agents)})


@router.get("/api/interactions/{interaction_id}", response_model=InteractionReply)
async def get_interaction(request: Request, who: Who, interaction_id: str) -> Response:
    return reply((await service_of(request).verbs.interaction(who, interaction_id)).as_json())


@router.post("/api/interactions/responses", response_model=BatchReply)
async def answer_many(
    request: Request,
    who: Who,
    items: Annotated[list[AnswerItem], Body(min_length=1, max_length=100)],
) -> Response:
    """Several answers, each settled or refused by itself, in this order.

    Where more than one of them approves something, each approval needs a card that may be approved
    together with others (`sayso.bulk`), and the digest of what was seen.
    """
    service = service_of(request)
    together = await service.verbs.are_approvals_together(who, items)
    return reply({"results": [await _one_of_many(service, who, item, together) for item in items]})


@router.post("/api/interactions/{interaction_id}/response", response_model=SettledReply)
async def answer(
    request: Request,
    who: Who,
    interaction_id: str,
    body: JsonObject,
    idempotency_key: Annotated[str | None, Header(min_length=1, max_length=200)] = None,
) -> Response:
    """Settle an interaction with this person's answer, in any of the forms of wire.md."""
    verbs = service_of(request).verbs
    return reply(await verbs.answer(who, interaction_id, body, key=idempotency_key))


@router.post("/api/interactions/{interaction_id}/dismiss", response_model=SettledReply)
async def dismiss(
    request: Request, who: Who, interaction_id: str, body: DismissBody | None = None
) -> Response:
    """Close a card without an answer: nothing runs, and the agent is told that it was dismissed."""
    verbs = service_of(request).verbs
    return reply(await verbs.dismiss(who, interaction_id, body or DismissBody()))


@router.post("/api/interactions/{interaction_id}/extend", response_model=InteractionReply)
async def extend(request: Request, who: Who, interaction_id: str, body: ExtendBody) -> Response:
    """More time for a card that has a time."""
    return reply(await service_of(request).verbs.extend(who, interaction_id, body))


@router.get("/api/admin/pending", response_model=PendingReply, dependencies=[needs(Role.ADMIN)])
async def pending(
    request: Request,
    who: Who,
    before: Id = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 1000,
) -> Response:
    """All pending UI tools of this tenant, newest first, for debugging."""
    store = service_of(request).engine.store
    found = await store.interactions(who.app_id, _PENDING, before=before, limit=limit)
    following = found[-1].id if len(found) == limit else None
    return reply({"pending": [it.as_json() for it in found], "next": following})


async def _one_of_many(
    service: Service, who: Principal, item: AnswerItem, together: bool
) -> JsonObject:
    told: JsonObject = {"interaction_id": item.interaction_id}
    try:
        told["ok"] = await service.verbs.answer(
            who, item.interaction_id, item.body, key=item.key, together=together
        )
    except Exception as exc:
        told["problem"] = problem_of(exc).document
    return told
