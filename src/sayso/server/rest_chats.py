"""Chats over REST: list, open, rename, read, write into, cancel."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from pydantic import AwareDatetime
from starlette.responses import Response

from sayso.core.digest import JsonObject
from sayso.core.errors import NotFound
from sayso.core.view import ChatView
from sayso.server.auth import Principal, Who
from sayso.server.bodies import (
    LARGEST,
    CancelBody,
    ChatPreferenceBody,
    MessageBody,
    NewChatBody,
    RenameBody,
    RequirementBody,
    RetryBody,
)
from sayso.server.replies import (
    CancelReply,
    ChatsReply,
    JsonRoute,
    PostedReply,
    TurnReply,
    reply,
    reply_model,
)
from sayso.server.service import Service, service_of
from sayso.server.stream import Push, StreamResponse
from sayso.server.turns import (
    MOST_WAIT_SECONDS,
    Encode,
    PlainText,
    TurnReader,
    json_line,
    preferences,
)
from sayso.server.verbs import posted_json

router = APIRouter(route_class=JsonRoute, tags=["chats"])
Limit = Annotated[int, Query(ge=1, le=200)]


@router.get("/api/chats", response_model=ChatsReply)
async def list_chats(
    request: Request,
    who: Who,
    q: Annotated[str, Query(max_length=500)] = "",
    before: AwareDatetime | None = None,
    limit: Limit = 50,
) -> Response:
    """The chats of this tenant, last changed first; `q` searches."""
    store = service_of(request).engine.store
    chats = await store.list_chats(who.app_id, q=q, before=before, limit=limit)
    following = chats[-1].updated_at.isoformat() if len(chats) == limit else None
    return reply({"chats": [chat.as_json() for chat in chats], "next": following})


@router.post("/api/chats", status_code=201, response_model=ChatView)
async def create_chat(request: Request, who: Who, body: NewChatBody | None = None) -> Response:
    """Open a chat with an agent, the first one if none is named."""
    service_of(request).verbs.act(who)
    wanted = body or NewChatBody()
    view = await service_of(request).engine.create_chat(
        who.app_id, agent=wanted.agent, title=wanted.title, by=who.person
    )
    return reply_model(view, 201, {"Location": f"/api/chats/{view.id}"})


@router.get("/api/chats/{chat_id}", response_model=ChatView)
async def get_chat(
    request: Request,
    who: Who,
    chat_id: str,
    before: Annotated[int | None, Query(ge=1, le=LARGEST)] = None,
    limit: Limit = 50,
) -> Response:
    """A page of a chat, the newest first; open cards and artifacts stand on the first page."""
    return reply_model(await _view(service_of(request), who, chat_id, before=before, limit=limit))


@router.patch("/api/chats/{chat_id}", response_model=ChatView)
async def rename_chat(request: Request, who: Who, chat_id: str, body: RenameBody) -> Response:
    service_of(request).verbs.act(who)
    service = service_of(request)
    await service.engine.rename_chat(who.app_id, chat_id, body.title, by=who.person)
    return reply_model(await _view(service, who, chat_id))


@router.put("/api/chats/{chat_id}/preferences", response_model=ChatView)
async def set_chat_preference(
    request: Request, who: Who, chat_id: str, body: ChatPreferenceBody
) -> Response:
    """A preference of this chat, such as `always_allow`: the tools that need not ask here."""
    service_of(request).verbs.act(who)
    service = service_of(request)
    await service.engine.set_chat_preference(
        who.app_id, chat_id, body.key, body.value, by=who.person
    )
    return reply_model(await _view(service, who, chat_id))


@router.patch("/api/chats/{chat_id}/requirements", response_model=ChatView)
async def change_requirement(
    request: Request, who: Who, chat_id: str, body: RequirementBody
) -> Response:
    """Set one value that an action needs, as the panel beside the chat does; null clears it."""
    service = service_of(request)
    service.verbs.act(who)
    await service.engine.change_requirement(
        who.app_id, chat_id, body.field, body.value, by=who.person
    )
    return reply_model(await _view(service, who, chat_id))


@router.post("/api/chats/{chat_id}/requirements/reset", response_model=ChatView)
async def start_over(request: Request, who: Who, chat_id: str) -> Response:
    """Start over: the log stays, every value and every grant is void."""
    service = service_of(request)
    service.verbs.act(who)
    await service.engine.start_over(who.app_id, chat_id, by=who.person)
    return reply_model(await _view(service, who, chat_id))


@router.post("/api/chats/{chat_id}/cancel", response_model=CancelReply)
async def cancel(
    request: Request, who: Who, chat_id: str, body: CancelBody | None = None
) -> Response:
    """End the chat's open run, wherever it runs."""
    verbs = service_of(request).verbs
    return reply(await verbs.cancel(who, chat_id, body or CancelBody()))


@router.post("/api/tool-calls/{tool_call_id}/retry", status_code=202, response_model=PostedReply)
async def retry(
    request: Request, who: Who, tool_call_id: str, body: RetryBody | None = None
) -> Response:
    """Make a call again, through the policy, as a new run of its chat."""
    posted = await service_of(request).verbs.retry(who, tool_call_id, body or RetryBody())
    return reply(posted_json(posted), 202)


@router.post(
    "/api/chats/{chat_id}/messages",
    status_code=202,
    response_model=PostedReply,
    responses={200: {"model": TurnReply, "description": "With `Prefer: wait=N` or a stream."}},
)
async def post_message(
    *,
    request: Request,
    who: Who,
    chat_id: str,
    body: MessageBody,
    accept: Annotated[str, Header(max_length=1000)] = "*/*",
    prefer: Annotated[str, Header(max_length=1000)] = "",
) -> Response:
    """Say something. The answer comes over the chat's stream, or right here if that is preferred:
    `Prefer: stream` for JSON lines, `Accept: text/plain` for text, `Prefer: wait=N` for what came
    of it."""
    service, preferred = service_of(request), preferences(prefer)
    encode = _encoding(accept, preferred)
    seconds = _wait_seconds(preferred)
    if encode is None and seconds is None:
        return _accepted(posted_json(await service.verbs.post_message(who, chat_id, body)), chat_id)
    reader = TurnReader(service, who, chat_id)
    try:
        await reader.listen()
        posted = await service.verbs.post_message(who, chat_id, body)
        run_id = posted.run_id
        if run_id is not None and encode is None and seconds is not None:
            result = await reader.wait(posted, run_id, seconds)
            if result is not None:
                return reply(result, headers={"Preference-Applied": f"wait={seconds:g}"})
    except BaseException:
        reader.close()
        raise
    if run_id is None or encode is None:
        reader.close()
        return _accepted(posted_json(posted), chat_id)
    kind, line = encode

    async def write(push: Push) -> None:
        await reader.write(posted, run_id, line, push)

    return StreamResponse(service, who, "turn", write, reader.close, media_type=kind)


def _encoding(accept: str, preferred: dict[str, str]) -> tuple[str, Encode] | None:
    kinds = [part.partition(";")[0].strip().lower() for part in accept.split(",")]
    if "text/plain" in kinds:
        return "text/plain; charset=utf-8", PlainText().encode
    if "stream" in preferred:
        return "application/x-ndjson", json_line
    return None


def _wait_seconds(preferred: dict[str, str]) -> float | None:
    wait = preferred.get("wait", "")
    # RFC 7240: a preference that cannot be read is ignored.
    return float(min(int(wait), MOST_WAIT_SECONDS)) if wait.isascii() and wait.isdigit() else None


def _accepted(posted: JsonObject, chat_id: str) -> Response:
    return reply(posted, 202, {"Location": f"/api/chats/{chat_id}"})


async def _view(
    service: Service, who: Principal, chat_id: str, *, before: int | None = None, limit: int = 50
) -> ChatView:
    view = await service.engine.store.load_view(who.app_id, chat_id, before=before, limit=limit)
    if view is None:
        raise NotFound(f"There is no chat '{chat_id}'.")
    return view
