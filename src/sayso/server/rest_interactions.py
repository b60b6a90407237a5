"""The inbox, the cards with their files, and the answers over REST."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Body, Header, Query
from pydantic import AwareDatetime
from starlette.responses import Response

from sayso.core.attachments import IMAGES
from sayso.core.cards import CardKind
from sayso.core.digest import JsonObject
from sayso.core.errors import NotFound
from sayso.core.inbox import InteractionFilter, InteractionOrder
from sayso.core.interactions import Interaction, InteractionState
from sayso.core.similar import DAYS, similar_to
from sayso.server.actions import find_interaction
from sayso.server.auth import Principal, Role, Who, needs
from sayso.server.requests import (
    AnswerItem,
    ClaimBody,
    DismissBody,
    ExtendBody,
    Id,
    Limit,
    SnoozeBody,
)
from sayso.server.responses import (
    REFUSALS,
    BatchReply,
    CountsReply,
    InteractionReply,
    InteractionsReply,
    JsonRoute,
    PendingReply,
    SettledReply,
    SimilarReply,
    json_response,
)
from sayso.server.service import Actions, Service, TheService, TheStore

_PENDING = InteractionFilter(status=InteractionState.PENDING)
router = APIRouter(route_class=JsonRoute, tags=["interactions"], responses=REFUSALS)
Words = Annotated[str | None, Query(max_length=500)]


@router.get("/api/interactions", response_model=InteractionsReply)
async def list_interactions(
    *,
    store: TheStore,
    service: TheService,
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
    found = await store.interactions(who.app_id, wanted, order=order, before=before, limit=limit)
    following = found[-1].id if len(found) == limit else None
    listed = await _listed(service, who, found)
    return json_response({"interactions": [*listed], "next": following})


@router.get("/api/interactions/counts", response_model=CountsReply)
async def count_pending(store: TheStore, who: Who) -> Response:
    """How many cards wait, of each kind and for each agent."""
    counted = await store.count_pending(who.app_id)
    kinds, agents = Counter[str](), Counter[str]()
    for line in counted:
        kinds[line.kind] += line.count
        agents[line.agent_name] += line.count
    snoozed = await store.count_snoozed(who.app_id, who.person)
    counts = {"pending": kinds.total(), "snoozed": snoozed}
    return json_response({**counts, "kinds": dict(kinds), "agents": dict(agents)})


@router.get("/api/interactions/{interaction_id}", response_model=InteractionReply)
async def get_interaction(service: TheService, who: Who, interaction_id: str) -> Response:
    it = await find_interaction(service.engine.store, who, interaction_id)
    (shown,) = await _listed(service, who, [it])
    return json_response(shown)


@router.get("/api/interactions/{interaction_id}/files/{digest}", response_class=Response)
async def get_file(store: TheStore, who: Who, interaction_id: str, digest: str) -> Response:
    """A file that this card shows, by its digest: an image as what it is, all else to download."""
    it = await find_interaction(store, who, interaction_id)
    file = next((one for one in it.files if one.digest == digest), None)
    body = await store.content(who.app_id, digest) if file is not None else None
    if file is None or body is None:
        raise NotFound(f"The interaction '{interaction_id}' has no file '{digest}'.")
    # They are foreign: nothing of them runs.
    is_image = file.media_type in IMAGES
    headers = {
        "Content-Disposition": f"{'inline' if is_image else 'attachment'}; "
        f"filename*=UTF-8''{quote(file.name, safe='')}",
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "Cache-Control": "private, max-age=300",
    }
    return Response(body, 200, headers, file.media_type)


@router.post("/api/interactions/responses", response_model=BatchReply)
async def answer_many(
    actions: Actions,
    who: Who,
    items: Annotated[list[AnswerItem], Body(min_length=1, max_length=100)],
) -> Response:
    """Several answers, each settled or refused by itself, in this order.

    Where more than one of them approves something, each approval needs a card that may be approved
    together with others (`sayso.bulk`), and the digest of what was seen.
    """
    return json_response({"results": await actions.answer_many(who, items)})


@router.post("/api/interactions/{interaction_id}/response", response_model=SettledReply)
async def answer(
    actions: Actions,
    who: Who,
    interaction_id: str,
    body: JsonObject,
    idempotency_key: Annotated[str | None, Header(min_length=1, max_length=200)] = None,
) -> Response:
    """Settle an interaction with this person's answer, in any of the forms of wire.md."""
    return json_response(await actions.answer(who, interaction_id, body, key=idempotency_key))


@router.post("/api/interactions/{interaction_id}/dismiss", response_model=SettledReply)
async def dismiss(
    actions: Actions, who: Who, interaction_id: str, body: DismissBody | None = None
) -> Response:
    """Close a card without an answer: nothing runs, and the agent is told that it was dismissed."""
    return json_response(await actions.dismiss(who, interaction_id, body or DismissBody()))


@router.post("/api/interactions/{interaction_id}/extend", response_model=InteractionReply)
async def extend(actions: Actions, who: Who, interaction_id: str, body: ExtendBody) -> Response:
    """More time for a card that has a time."""
    return json_response(await actions.extend(who, interaction_id, body))


@router.get("/api/interactions/{interaction_id}/similar", response_model=SimilarReply)
async def similar(
    *,
    store: TheStore,
    service: TheService,
    who: Who,
    interaction_id: str,
    argument: Id = None,
    at_most: Annotated[float | None, Query(allow_inf_nan=False)] = None,
) -> Response:
    """What people decided of calls of the same tool in the last 30 days."""
    it = await find_interaction(store, who, interaction_id)
    decided = await service.rules.decided_like(it)
    found = similar_to(it, decided, me=who.person, argument=argument, at_most=at_most)
    return json_response({"days": DAYS, "similar": asdict(found) if found is not None else None})


@router.put("/api/interactions/{interaction_id}/claim", response_model=InteractionReply)
async def claim(
    service: TheService, who: Who, interaction_id: str, body: ClaimBody | None = None
) -> Response:
    """Say who is looking at it: oneself, or whoever it is handed to. It locks nothing."""
    await service.actions.claim(who, interaction_id, body or ClaimBody())
    return await get_interaction(service, who, interaction_id)


@router.delete("/api/interactions/{interaction_id}/claim", status_code=204)
async def release(actions: Actions, who: Who, interaction_id: str) -> Response:
    """End a claim that one holds or gave."""
    await actions.release(who, interaction_id)
    return Response(status_code=204)


@router.put("/api/interactions/{interaction_id}/snooze", response_model=InteractionReply)
async def snooze(service: TheService, who: Who, interaction_id: str, body: SnoozeBody) -> Response:
    """Put it off until then, for oneself alone."""
    await service.actions.snooze(who, interaction_id, body)
    return await get_interaction(service, who, interaction_id)


@router.delete("/api/interactions/{interaction_id}/snooze", status_code=204)
async def unsnooze(actions: Actions, who: Who, interaction_id: str) -> Response:
    """Have it back in the list now."""
    await actions.unsnooze(who, interaction_id)
    return Response(status_code=204)


@router.get("/api/admin/pending", response_model=PendingReply, dependencies=[needs(Role.ADMIN)])
async def pending(
    store: TheStore,
    service: TheService,
    who: Who,
    before: Id = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 1000,
) -> Response:
    """All pending UI tools of this tenant, newest first, for debugging."""
    found = await store.interactions(who.app_id, _PENDING, before=before, limit=limit)
    following = found[-1].id if len(found) == limit else None
    listed = await _listed(service, who, found)
    return json_response({"pending": [*listed], "next": following})


async def _listed(
    service: Service, who: Principal, found: Sequence[Interaction]
) -> list[JsonObject]:
    """Return interactions as people see them: with what became of them, the title of their chat,
    and of an open ask whether anybody waits for it."""
    store = service.engine.store
    accounts = await store.accounts(who.app_id, found)
    titles = await store.chat_titles(who.app_id, [it.chat_id for it in found])
    open_ids = [it.id for it in found if not it.state.is_final]
    attention = await store.attention(who.app_id, open_ids, who.person)
    listed = []
    for it in found:
        shown = it.as_json(accounts.get(it.id))
        shown["chat_title"] = titles.get(it.chat_id)
        shown |= attention.of(it.id)
        if (waits := service.asks.presence.waits(it)) is not None:
            shown["asker_waits"] = waits
        listed.append(shown)
    return listed
