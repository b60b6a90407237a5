"""How JSON goes out and comes in: encoded by orjson, read strictly, described for OpenAPI.

Routes return finished responses, so nothing is validated or copied twice; the models here describe
them, for the OpenAPI document and for the tests that compare the two.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Literal

import orjson
from fastapi import HTTPException
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, Field, JsonValue
from starlette.requests import Request
from starlette.responses import Response

from sayso.core.asks import AskKind, AskState
from sayso.core.audit import AuditResult, ExportResult
from sayso.core.cards import Change
from sayso.core.chat_view import ArtifactItem, ChatView, MessageItem, RunView, ToolCallItem
from sayso.core.digest import JsonObject
from sayso.core.ledger import LedgerLine
from sayso.core.record import Account, KnownState
from sayso.core.tool_ui import ToolUi
from sayso.core.ui_calls import UiCallState
from sayso.core.usage import ModelCall, Usage
from sayso.server.requests import read_json


def json_response(
    value: JsonValue | Mapping[str, object],
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> Response:
    return Response(orjson.dumps(value), status, headers, "application/json")


def model_response(
    model: ChatView | ArtifactItem, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    body = model.model_dump_json(exclude_none=True)
    return Response(body, status, headers, "application/json")


class JsonRoute(APIRoute):
    """A route that takes only JSON, as `read_json` reads it."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def strict(request: Request) -> Response:
            if self.body_field is not None and _has_other_body(request):
                raise HTTPException(415, "The body has to be JSON, not compressed.")
            return await handle(_OrjsonRequest(request.scope, request.receive))

        return strict


class _OrjsonRequest(Request):
    async def json(self) -> object:
        return read_json(await self.body())


def _has_other_body(request: Request) -> bool:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    is_plain = request.headers.get("content-encoding", "identity") == "identity"
    if is_plain and (kind == "application/json" or kind.endswith("+json")):
        return False
    return request.headers.get("content-length", "0") != "0" or "transfer-encoding" in (
        request.headers
    )


# ── what responses contain ──


class Reply(BaseModel):
    model_config = ConfigDict(extra="forbid")


class PostedReply(Reply):
    run_id: str | None
    message_id: str
    status: str


class RunRecordReply(Reply):
    """A run as its row has it, with what its models were asked for."""

    run_id: str
    chat_id: str
    task_id: str
    agent: str
    status: str
    created_at: str
    updated_at: str
    parent_run_id: str | None
    error: JsonObject | None
    usage: Usage | None
    model_calls: list[ModelCall]


class RetriedReply(Reply):
    run_id: str
    status: str


class ClaimReply(Reply):
    """A person is looking at it until then; `by` differs where it was handed to them."""

    person: str
    by: str
    until: str
    note: str


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
    outcome: Account | None
    #: Of its chat, in lists and where it is read alone.
    chat_title: str | None = None
    #: Of an open ask from outside: whether anybody waits for the answer now.
    asker_waits: bool | None = None
    #: Of an open one: who is looking at it, and until when the reader has put it off.
    claim: ClaimReply | None = None
    snoozed_until: str | None = None


class SimilarDecisionsReply(Reply):
    """Decisions on calls of one tool, with `argument` up to `at_most`."""

    tool_name: str
    argument: str | None
    at_most: float | None
    decided: int
    approved: int
    approved_by_me: int
    rejected: int


class SimilarReply(Reply):
    days: int
    similar: SimilarDecisionsReply | None


class RuleReply(Reply):
    """A rule that a person wrote. It holds until `ends_at`, or until it is revoked."""

    id: str
    agent_name: str
    tool_name: str
    when: JsonObject
    #: The same as people read it: "≤ 50".
    conditions: JsonObject
    then: Literal["allow", "ask", "deny"]
    written_by: str
    written_at: str
    #: The card from which it was written, and its chat.
    interaction_id: str
    chat_id: str
    ends_at: str | None
    revoked_by: str | None
    revoked_at: str | None
    uses: int
    last_used_at: str | None
    #: False once it was revoked or its time is over.
    holds: bool


class RulesReply(Reply):
    rules: list[RuleReply]


class ContradictionReply(Reply):
    """A decision other than the rule's would have been: `changed` was approved with changes."""

    interaction_id: str
    chat_id: str
    title: str
    decision: Literal["approved", "changed", "rejected"]
    by: str
    at: str | None


class TrialReply(Reply):
    """What a rule would have done in the last `days`: it speaks of `matched` of `decided` calls;
    `agreed` were decided as it would have, `mine` of them by the reader, and `against` not."""

    days: int
    decided: int
    matched: int
    agreed: int
    mine: int
    against: int
    #: The newest of those against it.
    contradictions: list[ContradictionReply]
    #: The same for the policy's own file.
    toml: str


class ExportReply(Reply):
    """One card or chat, signed with the key of the audit: `body` is what was exported, `head` the
    last seal when it was."""

    kind: Literal["interaction", "chat"]
    app_id: str
    exported_at: str
    exported_by: str
    head: JsonObject
    body: JsonObject
    key_id: str
    signature: str


class ExportCheckReply(Reply):
    result: ExportResult


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
    #: Of these, how many the reader has put off.
    snoozed: int
    kinds: dict[str, int]
    agents: dict[str, int]


class AskerReply(Reply):
    """Who asks, as it says itself."""

    client: str
    session: str
    folder: str
    host: str


class WebhookReply(Reply):
    """`state`: waiting, due, delivered or given_up."""

    id: str
    url: str
    state: str
    attempts: int
    error: str | None


class AskReply(Reply):
    """`state` says in one word where it stands. `arguments` are those that a person allowed, as
    they edited them; `result` and `error` what was reported."""

    interaction_id: str
    url: str
    kind: AskKind
    state: AskState
    title: str
    digest: str | None
    revision: int
    created_at: str
    expires_at: str | None
    asker: AskerReply
    arguments: JsonObject
    response: JsonObject | None
    settled_at: str | None
    settled_by: str | None
    started_at: str | None
    result: JsonValue
    error: str | None
    webhook: WebhookReply | None


class AsksReply(Reply):
    asks: list[AskReply]
    next: str | None


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
    #: What says the detail in other languages.
    detail_code: str | None = None
    params: JsonObject | None = None
    errors: list[JsonObject] | None = None


#: What any route may answer with, for its OpenAPI.
REFUSALS: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": ProblemReply, "description": "A problem document (RFC 9457)"}
}


class BatchItemReply(Reply):
    interaction_id: str
    ok: SettledReply | None = None
    problem: ProblemReply | None = None


class BatchReply(Reply):
    results: list[BatchItemReply]


class HistoryEntryReply(Reply):
    """A decision, and what became of it. `title` names what ran, where that is known; what was
    proposed stands in `proposed_title`. New columns come at the end."""

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
    proposed_title: str
    outcome: KnownState | None
    changes: list[Change]
    ran_arguments: JsonObject | None
    outcome_error: str | None
    outcome_at: str | None
    executed_digest: str | None
    message_id: str | None
    #: Who asked from outside, as claimed.
    asker: AskerReply | None
    #: What says the title, the reason and the error in other languages, by field.
    said: JsonObject = Field(default_factory=dict)


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
    key_id: str | None
    ledger: LedgerLine


class AuditReply(Reply):
    entries: list[AuditEntryReply]
    next: int | None


class BrokenReply(Reply):
    chat_id: str
    number: int
    detail: str


class VerifiedReply(Reply):
    intact: bool
    broken: list[BrokenReply]
    result: AuditResult
    lines: int
    unsealed: int
    without_key: int
    missing_keys: list[str]
    older_than_key: int
    older_unsealed: int
    sealed_at: str | None
    head: str | None


class AuditHeadReply(Reply):
    head: str | None
    number: int
    sealed_at: str | None


class ToolUiReply(Reply):
    tool_call_id: str
    tool_name: str
    ui: ToolUi
    ui_content: str | None
    tool_input: JsonObject
    #: The whole result as its server gave it, for the UI alone.
    tool_result: JsonValue


class ToolUiFrameReply(Reply):
    src: str | None


class UiCallReply(Reply):
    """A call that a UI has made. `cards` are the interactions that it waits for; `result` is what
    the UI is told once it has ended."""

    id: str
    tool: str
    state: UiCallState
    cards: list[str]
    result: JsonObject | None


class UiRpcReply(Reply):
    """The result, or the call that is not at its end yet."""

    result: JsonObject | None
    call: UiCallReply | None


class UiCallsReply(Reply):
    calls: list[UiCallReply]


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
    detail: str | None
    fix: str | None
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


class LastChoiceReply(Reply):
    """`values`: `selected_option`, or fields of the form; empty where nothing is remembered."""

    values: JsonObject


class RememberedReply(Reply):
    interaction_id: str
    chat_id: str
    agent_name: str
    question: str
    chosen: str
    at: str | None


class LastChoicesReply(Reply):
    choices: list[RememberedReply]


class HeldToolReply(Reply):
    tool: str
    #: Of what it is now: the agreement names it.
    digest: str
    is_new: bool
    changes: list[str]
    #: Lines that were taken away (`- `), and those that were added (`+ `).
    difference: list[str]


class ToolServerReply(Reply):
    name: str
    state: str
    problem: str
    protocol: str
    #: The tools that were agreed to.
    tools: list[str]
    held: list[HeldToolReply]


class ToolServersReply(Reply):
    servers: list[ToolServerReply]


class PushKeyReply(Reply):
    public_key: str | None


class PushSubscriptionReply(Reply):
    id: str


class NoticeAddressReply(Reply):
    id: str
    address: str
    by: Literal["mail", "webhook"]


class NoticePlacesReply(Reply):
    #: This server sends mails.
    mail: bool
    places: list[NoticeAddressReply]


class NoticePlaceReply(Reply):
    id: str
    by: Literal["mail", "webhook"]
    #: What a webhook's notices are signed with, as Standard Webhooks write it.
    secret: str | None


class PreferencesReply(Reply):
    """Whatever this person's console keeps."""

    model_config = ConfigDict(extra="allow")
