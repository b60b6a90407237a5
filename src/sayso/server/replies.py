"""How JSON goes out and comes in: encoded by orjson, read strictly, described for OpenAPI.

Routes give finished responses, so nothing is validated or copied twice; the models here say what
stands in them, for the document and for the tests that hold both equal.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Any

import orjson
from fastapi import HTTPException
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, JsonValue
from starlette.requests import Request
from starlette.responses import Response

from sayso.core.digest import JsonObject
from sayso.core.view import ArtifactItem, ChatView, MessageItem, RunView, ToolCallItem
from sayso.server.bodies import read_json


def reply(
    value: JsonValue | Mapping[str, object],
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> Response:
    return Response(orjson.dumps(value), status, headers, "application/json")


def reply_model(
    model: ChatView | ArtifactItem, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    body = model.model_dump_json(exclude_none=True)
    return Response(body, status, headers, "application/json")


class JsonRoute(APIRoute):
    """Takes only JSON, as `read_json` reads it."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def strict(request: Request) -> Response:
            if self.body_field is not None and _has_other_body(request):
                raise HTTPException(415, "The body has to be JSON.")
            return await handle(_OrjsonRequest(request.scope, request.receive))

        return strict


class _OrjsonRequest(Request):
    async def json(self) -> object:
        return read_json(await self.body())


def _has_other_body(request: Request) -> bool:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "application/json" or kind.endswith("+json"):
        return False
    return request.headers.get("content-length", "0") != "0" or "transfer-encoding" in (
        request.headers
    )


# ── what stands in the answers ──


class Reply(BaseModel):
    model_config = ConfigDict(extra="forbid")


class PostedReply(Reply):
    run_id: str | None
    message_id: str
    status: str


class InteractionReply(Reply):
    interaction_id: str
    chat_id: str
    run_id: str
    task_id: str
    interaction_type: str
    card: str
    ui_tool_id: str
    title: str
    agent_name: str
    display: str
    status: str
    tool_call_id: str | None
    created_at: str
    expires_at: str | None
    assignees: list[str]
    payload: JsonObject
    response: JsonObject | None
    settled_at: str | None
    settled_by: str | None


class RunReply(Reply):
    run_id: str
    message_id: str
    status: str
    interactions: list[InteractionReply]
    error: JsonObject | None = None


class TurnReply(PostedReply):
    """With `Prefer: wait=N`: what came of the message."""

    run: RunReply
    messages: list[MessageItem]
    tool_calls: list[ToolCallItem]


class CancelReply(Reply):
    run_id: str | None
    status: str | None


class ChatSummaryReply(Reply):
    id: str
    title: str
    agent: str
    seq: int
    created_at: str
    updated_at: str
    pending: int
    run: RunView | None


class ChatsReply(Reply):
    chats: list[ChatSummaryReply]
    next: str | None


class InteractionsReply(Reply):
    interactions: list[InteractionReply]
    next: str | None


class CountsReply(Reply):
    """`kinds` counts by card, `agents` by the agent that asks."""

    pending: int
    kinds: dict[str, int]
    agents: dict[str, int]


class PendingReply(Reply):
    pending: list[InteractionReply]
    next: str | None


class SettledReply(Reply):
    interaction_id: str
    status: str
    response: JsonObject | None
    settled_at: str | None
    settled_by: str | None
    repeated: bool


class ProblemReply(BaseModel):
    """RFC 9457. Some carry more: `outcome`, `digest`, `revision`."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    fix: str | None = None
    errors: list[JsonObject] | None = None


class BatchItemReply(Reply):
    interaction_id: str
    ok: SettledReply | None = None
    problem: ProblemReply | None = None


class BatchReply(Reply):
    results: list[BatchItemReply]


class HistoryEntryReply(Reply):
    interaction_id: str
    chat_id: str
    run_id: str
    card: str
    title: str
    agent_name: str
    tool_name: str | None
    status: str
    decision: str | None
    reason: str | None
    digest: str | None
    revision: int | None
    asked_at: str
    settled_at: str | None
    settled_by: str | None


class HistoryReply(Reply):
    entries: list[HistoryEntryReply]
    next: str | None


class AuditEntryReply(Reply):
    position: int
    chat_id: str
    number: int
    at: str
    actor: str | None
    action: str
    subject: str
    body: JsonObject
    hash: str


class AuditReply(Reply):
    entries: list[AuditEntryReply]
    next: int | None


class BrokenReply(Reply):
    chat_id: str
    number: int


class VerifiedReply(Reply):
    intact: bool
    broken: list[BrokenReply]


class AgentReply(Reply):
    name: str
    adapter: str
    capabilities: JsonObject
    tools: list[str]
    starters: list[str]


class AgentsReply(Reply):
    agents: list[AgentReply]
    default: str


class HealthReply(Reply):
    status: str
    store: str
    engine: JsonObject


class VersionReply(Reply):
    version: str
    python: str
    wire: int


class SessionReply(Reply):
    person: str
    role: str
    app_id: str
    needs_login: bool


class AlwaysAllowedReply(Reply):
    chat_id: str
    title: str
    tools: list[str]


class AlwaysAllowReply(Reply):
    rules: list[AlwaysAllowedReply]


class PreferencesReply(Reply):
    """Whatever this person's console keeps."""

    model_config = ConfigDict(extra="allow")
