"""What a person chose last: suggested on a card that asks the same, listed, and forgotten."""

from __future__ import annotations

from dataclasses import asdict

from fastapi import APIRouter
from starlette.responses import Response

from sayso.core.digest import JsonObject
from sayso.core.interactions import Interaction
from sayso.core.last_choice import (
    FORGOTTEN_AT,
    MOST_ANSWERS,
    forgotten_at,
    last_choice,
    last_choices,
)
from sayso.core.ports import Store
from sayso.server.actions import find_interaction
from sayso.server.auth import Principal, Who
from sayso.server.responses import (
    REFUSALS,
    JsonRoute,
    LastChoiceReply,
    LastChoicesReply,
    json_response,
)
from sayso.server.service import Actions, TheService, TheStore

router = APIRouter(route_class=JsonRoute, tags=["choices"], responses=REFUSALS)


@router.get("/api/interactions/{interaction_id}/last-choice", response_model=LastChoiceReply)
async def suggest(store: TheStore, who: Who, interaction_id: str) -> Response:
    """What this person chose when they were last asked the same, where the card still offers it:
    to be marked on the card, and changed. It answers nothing; an approval has none."""
    it = await find_interaction(store, who, interaction_id)
    return json_response({"values": last_choice(it, await _answered(store, who))})


@router.get("/api/preferences/choices", response_model=LastChoicesReply)
async def remembered(store: TheStore, who: Who) -> Response:
    """What counts as this person's last choice, the newest first."""
    found = last_choices(await _answered(store, who))
    choices: list[JsonObject] = [
        {**asdict(choice), "at": choice.at.isoformat() if choice.at else None} for choice in found
    ]
    return json_response({"choices": [*choices]})


@router.delete("/api/preferences/choices", status_code=204)
async def forget(actions: Actions, service: TheService, who: Who) -> Response:
    """Forget what was chosen before now. The answers themselves stay in the history."""
    await actions.put_preferences(who, {FORGOTTEN_AT: service.engine.clock.now().isoformat()})
    return Response(status_code=204)


async def _answered(store: Store, who: Principal) -> list[Interaction]:
    since = forgotten_at(await store.preferences(who.app_id, who.person))
    return await store.chosen_by(who.app_id, who.person, since=since, limit=MOST_ANSWERS)
