"""Where a person who is away is told what waits: browsers, mail addresses, webhooks."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from sayso.core.pushes import MAILTO, Carrier
from sayso.server.auth import Who
from sayso.server.pushes import secret_of_place
from sayso.server.requests import NoticePlaceBody, PushSubscriptionBody
from sayso.server.responses import (
    REFUSALS,
    JsonRoute,
    NoticePlaceReply,
    NoticePlacesReply,
    PushKeyReply,
    PushSubscriptionReply,
    json_response,
)
from sayso.server.service import Actions, TheService, TheStore
from sayso.server.tool_ui_frames import origin_of

router = APIRouter(route_class=JsonRoute, tags=["push"], responses=REFUSALS)


@router.get("/api/push", response_model=PushKeyReply)
async def push_key(service: TheService, who: Who) -> Response:
    """The key that a browser subscribes with; null where this server cannot push."""
    key = service.carriers.push_key()
    return json_response({"public_key": key.public if key is not None else None})


@router.put("/api/push/subscriptions", response_model=PushSubscriptionReply)
async def put_push_subscription(
    actions: Actions, service: TheService, who: Who, body: PushSubscriptionBody
) -> Response:
    """Tell this browser from now on. The same one again is the same subscription."""
    can_push = service.carriers.push_key() is not None
    return json_response(await actions.put_push_subscription(who, body, can_push=can_push))


@router.delete("/api/push/subscriptions/{subscription_id}", status_code=204)
async def forget_push_subscription(actions: Actions, who: Who, subscription_id: str) -> Response:
    """Tell this browser no more."""
    await actions.forget_push_subscription(who, subscription_id)
    return Response(status_code=204)


@router.get("/api/notices", response_model=NoticePlacesReply)
async def notice_places(service: TheService, store: TheStore, who: Who) -> Response:
    """Where this person is told beside browsers, and whether this server sends mails."""
    known = await store.push_subscriptions(who.app_id, who.person)
    places = [
        {"id": one.id, "address": one.endpoint.removeprefix(MAILTO), "by": one.carrier.value}
        for one in known
        if one.carrier is not Carrier.PUSH
    ]
    return json_response({"mail": service.carriers.mail is not None, "places": places})


@router.put("/api/notices", response_model=NoticePlaceReply)
async def put_notice_place(
    actions: Actions, service: TheService, who: Who, request: Request, body: NoticePlaceBody
) -> Response:
    """Tell this mail address or webhook from now on. The same one again is the same place."""
    place = await actions.put_notice_place(
        who, body, page=_page(request), can_mail=service.carriers.mail is not None
    )
    is_hook = place.carrier is Carrier.WEBHOOK
    secret = secret_of_place(service.carriers.secret(), place.id) if is_hook else None
    return json_response({"id": place.id, "by": place.carrier.value, "secret": secret})


@router.delete("/api/notices/{place_id}", status_code=204)
async def forget_notice_place(actions: Actions, who: Who, place_id: str) -> Response:
    """Tell this place no more."""
    await actions.forget_push_subscription(who, place_id)
    return Response(status_code=204)


def _page(request: Request) -> str:
    """Return where this person opens this server; a browser knows the host also behind a proxy,
    which has to say the path that it takes away."""
    origin, here = request.headers.get("origin", ""), origin_of(request)
    is_ours = origin.partition("://")[2] == request.base_url.netloc
    path = request.base_url.path.strip("/") or request.headers.get("x-forwarded-prefix", "")
    return f"{origin if is_ours else here}/{path.strip('/')}".rstrip("/")
