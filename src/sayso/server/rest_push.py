"""The browsers of a person that are told by push what waits, while no page is open."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from sayso.server.auth import Who
from sayso.server.requests import PushSubscriptionBody
from sayso.server.responses import (
    REFUSALS,
    JsonRoute,
    PushKeyReply,
    PushSubscriptionReply,
    json_response,
)
from sayso.server.service import Actions, TheService

router = APIRouter(route_class=JsonRoute, tags=["push"], responses=REFUSALS)


@router.get("/api/push", response_model=PushKeyReply)
async def push_key(service: TheService, who: Who) -> Response:
    """The key that a browser subscribes with; null where this server cannot push."""
    key = service.push_key()
    return json_response({"public_key": key.public if key is not None else None})


@router.put("/api/push/subscriptions", response_model=PushSubscriptionReply)
async def put_push_subscription(
    actions: Actions, service: TheService, who: Who, body: PushSubscriptionBody
) -> Response:
    """Tell this browser from now on. The same one again is the same subscription."""
    can_push = service.push_key() is not None
    return json_response(await actions.put_push_subscription(who, body, can_push=can_push))


@router.delete("/api/push/subscriptions/{subscription_id}", status_code=204)
async def forget_push_subscription(actions: Actions, who: Who, subscription_id: str) -> Response:
    """Tell this browser no more."""
    await actions.forget_push_subscription(who, subscription_id)
    return Response(status_code=204)
