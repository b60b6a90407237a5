"""The files beside cards, for whoever may see the card. They are foreign: nothing of them runs."""

from __future__ import annotations

from urllib.parse import quote

from fastapi import APIRouter
from starlette.responses import Response

from sayso.core.attachments import IMAGES
from sayso.core.errors import NotFound
from sayso.server.actions import find_interaction
from sayso.server.auth import Who
from sayso.server.responses import REFUSALS, JsonRoute
from sayso.server.service import TheStore

router = APIRouter(route_class=JsonRoute, tags=["interactions"], responses=REFUSALS)


@router.get("/api/interactions/{interaction_id}/files/{digest}", response_class=Response)
async def get_file(store: TheStore, who: Who, interaction_id: str, digest: str) -> Response:
    """A file that this card shows, by its digest: an image as what it is, all else to download."""
    it = await find_interaction(store, who, interaction_id)
    file = next((one for one in it.files if one.digest == digest), None)
    body = await store.content(who.app_id, digest) if file is not None else None
    if file is None or body is None:
        raise NotFound(f"The interaction '{interaction_id}' has no file '{digest}'.")
    is_image = file.media_type in IMAGES
    headers = {
        "Content-Disposition": f"{'inline' if is_image else 'attachment'}; "
        f"filename*=UTF-8''{quote(file.name, safe='')}",
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "Cache-Control": "private, max-age=300",
    }
    return Response(body, 200, headers, file.media_type)
