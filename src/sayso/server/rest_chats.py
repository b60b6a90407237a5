"""Chats over REST: list, open, rename, read, write into, cancel."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Header, Query
from pydantic import AwareDatetime
from starlette.responses import Response

from sayso.core.chat_view import ChatView
from sayso.core.errors import NotFound
from sayso.core.store_results import Posted
from sayso.core.usage import usage_of
from sayso.server.actions import find_chat, posted_json
from sayso.server.auth import Who
from sayso.server.requests import (
    LARGEST,
    CancelBody,
    ChatPreferenceBody,
    Limit,
    MessageBody,
    NewChatBody,
    RenameBody,
    RequirementBody,
    RetryBody,
)
from sayso.server.responses import (
    REFUSALS,
    CancelReply,
    ChatsReply,
    JsonRoute,
    PostedReply,
    RetriedReply,
    RunRecordReply,
    TurnReply,
    json_response,
    model_response,
)
from sayso.server.run_reply import (
    Encode,
    PlainText,
    RunReader,
    json_line,
    preferences,
    sse_line,
    wait_seconds,
)
from sayso.server.service import Actions, TheService, TheStore
from sayso.server.sse import Push, StreamResponse

router = APIRouter(route_class=JsonRoute, tags=["chats"], responses=REFUSALS)


@router.get("/api/chats", response_model=ChatsReply)
async def list_chats(
    store: TheStore,
    who: Who,
    q: Annotated[str, Query(max_length=500)] = "",
    before: AwareDatetime | None = None,
    limit: Limit = 50,
) -> Response:
    """The chats of this tenant, last changed first; `q` searches."""
    chats = await store.list_chats(who.app_id, q=q, before=before, limit=limit)
    following = chats[-1].updated_at.isoformat() if len(chats) == limit else None
    return json_response({"chats": [chat.as_json() for chat in chats], "next": following})


@router.post("/api/chats", status_code=201, response_model=ChatView)
async def create_chat(actions: Actions, who: Who, body: NewChatBody | None = None) -> Response:
    """Open a chat with an agent, the first one if none is named."""
    view = await actions.create_chat(who, body or NewChatBody())
    return model_response(view, 201, {"Location": f"/api/chats/{view.id}"})


@router.get("/api/chats/{chat_id}", response_model=ChatView)
async def get_chat(
    store: TheStore,
    who: Who,
    chat_id: str,
    before: Annotated[int | None, Query(ge=1, le=LARGEST)] = None,
    limit: Limit = 50,
) -> Response:
    """A page of a chat, the newest first; open cards and artifacts stand on the first page."""
    return model_response(await find_chat(store, who, chat_id, before=before, limit=limit))


@router.patch("/api/chats/{chat_id}", response_model=ChatView)
async def rename_chat(
    actions: Actions, store: TheStore, who: Who, chat_id: str, body: RenameBody
) -> Response:
    await actions.rename_chat(who, chat_id, body)
    return model_response(await find_chat(store, who, chat_id))


@router.put("/api/chats/{chat_id}/preferences", response_model=ChatView)
async def set_chat_preference(
    actions: Actions, store: TheStore, who: Who, chat_id: str, body: ChatPreferenceBody
) -> Response:
    """A preference of this chat, such as `always_allow`: the tools that need not ask here."""
    await actions.set_chat_preference(who, chat_id, body)
    return model_response(await find_chat(store, who, chat_id))


@router.patch("/api/chats/{chat_id}/requirements", response_model=ChatView)
async def change_requirement(
    actions: Actions, store: TheStore, who: Who, chat_id: str, body: RequirementBody
) -> Response:
    """Set one value that an action needs, as the panel beside the chat does; null clears it."""
    await actions.change_requirement(who, chat_id, body)
    return model_response(await find_chat(store, who, chat_id))


@router.post("/api/chats/{chat_id}/requirements/reset", response_model=ChatView)
async def start_over(actions: Actions, store: TheStore, who: Who, chat_id: str) -> Response:
    """Start over: the log stays, every value and every grant is void."""
    await actions.start_over(who, chat_id)
    return model_response(await find_chat(store, who, chat_id))


@router.post("/api/chats/{chat_id}/cancel", response_model=CancelReply)
async def cancel(
    actions: Actions, who: Who, chat_id: str, body: CancelBody | None = None
) -> Response:
    """End the chat's open run, wherever it runs."""
    return json_response(await actions.cancel(who, chat_id, body or CancelBody()))


@router.delete("/api/chats/{chat_id}/messages/{message_id}", response_model=CancelReply)
async def withdraw(actions: Actions, who: Who, chat_id: str, message_id: str) -> Response:
    """Take back words that wait for their turn, before the agent has read them."""
    return json_response(await actions.withdraw(who, chat_id, message_id))


@router.post("/api/tool-calls/{tool_call_id}/retry", status_code=202, response_model=PostedReply)
async def retry(
    actions: Actions, who: Who, tool_call_id: str, body: RetryBody | None = None
) -> Response:
    """Make a call again, through the policy, as a new run of its chat."""
    posted = await actions.retry(who, tool_call_id, body or RetryBody())
    return json_response(posted_json(posted), 202)


@router.get("/api/runs/{run_id}", response_model=RunRecordReply)
async def get_run(store: TheStore, who: Who, run_id: str) -> Response:
    """A run, and what its models were asked for: a record for each call, and their sum."""
    run = await store.run(who.app_id, run_id)
    if run is None:
        raise NotFound(f"There is no run '{run_id}'.")
    usage = usage_of(run.model_calls)
    return json_response(
        {
            "run_id": run.id,
            "chat_id": run.chat_id,
            "task_id": run.task.task_id,
            "agent": run.agent,
            "status": run.state.value,
            "created_at": run.created_at.isoformat(),
            "updated_at": run.updated_at.isoformat(),
            "parent_run_id": run.parent_run_id,
            "error": run.error,
            "usage": usage.model_dump() if usage is not None else None,
            "model_calls": [call.model_dump() for call in run.model_calls],
        }
    )


@router.post("/api/runs/{run_id}/retry", status_code=202, response_model=RetriedReply)
async def retry_run(actions: Actions, who: Who, run_id: str) -> Response:
    """Let a run go on that failed since its model was not available, from where it was."""
    return json_response(await actions.retry_run(who, run_id), 202)


@router.post(
    "/api/chats/{chat_id}/messages",
    status_code=202,
    response_model=PostedReply,
    responses={200: {"model": TurnReply, "description": "With `Prefer: wait=N` or a stream."}},
)
async def post_message(
    *,
    service: TheService,
    who: Who,
    chat_id: str,
    body: MessageBody,
    accept: Annotated[str, Header(max_length=1000)] = "*/*",
    prefer: Annotated[str, Header(max_length=1000)] = "",
    ui: Literal["inline", "reference"] | None = None,
) -> Response:
    """Say something. The answer comes over the chat's stream, or right here if that is preferred:
    `Prefer: stream` for JSON lines, `Accept: text/event-stream` for the same as server-sent events,
    `Accept: text/plain` for text, `Prefer: wait=N` for what came of it. `?ui=inline`, or
    `Prefer: ui=inline`, puts the page of a tool's own UI into its line."""
    preferred = preferences(prefer)
    encode = _encoding(accept, preferred)
    seconds = wait_seconds(preferred)
    if encode is None and seconds is None:
        return _accepted(await service.actions.post_message(who, chat_id, body), chat_id)
    inlines = (ui or preferred.get("ui")) == "inline"
    reader = RunReader(service, who, chat_id, inlines_ui=inlines)
    try:
        await reader.listen()
        posted = await service.actions.post_message(who, chat_id, body)
        run_id = posted.run_id
        if run_id is not None and encode is None and seconds is not None:
            result = await reader.wait(posted, run_id, seconds)
            if result is not None:
                return json_response(result, headers={"Preference-Applied": f"wait={seconds:g}"})
    except BaseException:
        reader.close()
        raise
    if run_id is None or encode is None:
        reader.close()
        return _accepted(posted, chat_id)
    kind, line = encode

    async def write(push: Push) -> None:
        await reader.write(posted, run_id, line, push)

    return StreamResponse(service, who, "turn", write, reader.close, media_type=kind)


def _encoding(accept: str, preferred: dict[str, str]) -> tuple[str, Encode] | None:
    kinds = [part.partition(";")[0].strip().lower() for part in accept.split(",")]
    if "text/plain" in kinds:
        return "text/plain; charset=utf-8", PlainText().encode
    if "text/event-stream" in kinds and "application/json" not in kinds:
        return "text/event-stream", sse_line
    if "stream" in preferred:
        return "application/x-ndjson", json_line
    return None


def _accepted(posted: Posted, chat_id: str) -> Response:
    return json_response(posted_json(posted), 202, {"Location": f"/api/chats/{chat_id}"})
