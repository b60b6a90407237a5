"""The REST API in Python: a call for each operation, what goes in, and what comes out.

Written by scripts/python_client.py from the OpenAPI document. Never edited by hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, Literal, NotRequired, TypedDict, TypeVar
from urllib.parse import quote

from pydantic import JsonValue

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One request; `T` is what its reply holds."""

    method: str
    path: str
    params: Mapping[str, str | int | float] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: object = None


def _given(values: Mapping[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in values.items() if value is not None}


def _part(given: str) -> str:
    return quote(given, safe="")


class Account(TypedDict):
    """What is known now of what became of a decision, for lists and exports."""

    arguments: NotRequired[dict[str, JsonValue] | None]
    at: NotRequired[str | None]
    changed: NotRequired[list[Change]]
    code: NotRequired[str | None]
    error: NotRequired[str | None]
    executed_digest: NotRequired[str | None]
    params: NotRequired[dict[str, JsonValue] | None]
    state: KnownState
    title: NotRequired[str | None]


class AgentReply(TypedDict):
    adapter: str
    capabilities: dict[str, JsonValue]
    name: str
    starters: list[str]
    tools: list[str]


class AgentsReply(TypedDict):
    agents: list[AgentReply]
    default: str


class AgreeBody(TypedDict):
    """A held tool, as its digest says that it was shown."""

    digest: str
    tool: str


class AlwaysAllowReply(TypedDict):
    rules: list[AlwaysAllowedReply]


class AlwaysAllowedReply(TypedDict):
    chat_id: str
    title: str
    tools: list[str]


class AnswerItem(TypedDict):
    """One answer of a batch, or of a WebSocket's `answer` frame."""

    body: dict[str, JsonValue]
    interaction_id: str
    key: str


class ArtifactBody(TypedDict):
    content: JsonValue
    title: NotRequired[str | None]


class ArtifactItem(TypedDict):
    artifact_id: str
    as_of: int
    content: JsonValue
    kind: NotRequired[Literal["artifact"]]
    sequence: int
    title: str
    ui_tool_id: str
    updated_at: str
    updated_by: NotRequired[str | None]
    version: int


class AskBody(TypedDict):
    """What a script, a job or an agent outside asks. `digest_over` names the arguments that a yes
    is to (all of them, if it is left out); the rest is shown as not bound."""

    arguments: NotRequired[dict[str, JsonValue]]
    asker: NotRequired[Asker]
    assignees: NotRequired[list[str]]
    attachments: NotRequired[list[FileBody | WebLink]]
    callback_url: NotRequired[str | None]
    context: NotRequired[dict[str, JsonValue]]
    digest_over: NotRequired[list[str] | None]
    editable: NotRequired[list[str] | dict[str, dict[str, JsonValue]]]
    expires_at: NotRequired[str | None]
    kind: AskKind
    on_expiry: NotRequired[OnExpiry]
    options: NotRequired[list[Option]]
    schema: NotRequired[dict[str, JsonValue] | None]
    title: str
    tool_name: NotRequired[str]


AskKind = Literal["approve", "choose", "form", "notice"]


class AskReply(TypedDict):
    """`state` says in one word where it stands. `arguments` are those that a person allowed, as
    they edited them; `result` and `error` what was reported."""

    arguments: dict[str, JsonValue]
    asker: AskerReply
    created_at: str
    digest: str | None
    error: str | None
    expires_at: str | None
    interaction_id: str
    kind: AskKind
    response: dict[str, JsonValue] | None
    result: JsonValue
    revision: int
    settled_at: str | None
    settled_by: str | None
    started_at: str | None
    state: AskState
    title: str
    url: str
    webhook: WebhookReply | None


AskState = Literal[
    "pending",
    "answered",
    "shown",
    "rejected",
    "expired",
    "dismissed",
    "withdrawn",
    "approved",
    "started",
    "done",
    "failed",
    "not_executed",
    "unknown",
]


class Asker(TypedDict):
    """Who asks from outside, as it says itself: shown as claimed, never as known."""

    client: NotRequired[str]
    folder: NotRequired[str]
    host: NotRequired[str]
    session: NotRequired[str]


class AskerReply(TypedDict):
    """Who asks, as it says itself."""

    client: str
    folder: str
    host: str
    session: str


class AsksReply(TypedDict):
    asks: list[AskReply]
    next: str | None


class AuditEntryReply(TypedDict):
    action: str
    actor: str | None
    at: str
    body: dict[str, JsonValue]
    chat_id: str
    hash: str
    key_id: str | None
    ledger: LedgerLine
    number: int
    position: int
    subject: str


class AuditHeadReply(TypedDict):
    head: str | None
    number: int
    sealed_at: str | None


class AuditReply(TypedDict):
    entries: list[AuditEntryReply]
    next: int | None


AuditResult = Literal["whole", "broken", "unsealed_tail", "not_checkable"]


class BatchItemReply(TypedDict):
    interaction_id: str
    ok: NotRequired[SettledReply | None]
    problem: NotRequired[ProblemReply | None]


class BatchReply(TypedDict):
    results: list[BatchItemReply]


class BrokenReply(TypedDict):
    chat_id: str
    detail: str
    number: int


class CancelBody(TypedDict):
    reason: NotRequired[str | None]


class CancelReply(TypedDict):
    run_id: str | None
    status: str | None


CardKind = Literal[
    "approval",
    "options",
    "form",
    "exchanges",
    "requirements",
    "confirmation",
    "hold",
    "validation",
    "critical_failure",
    "recoverable_error",
    "uncertain_effect",
    "artifact",
    "ui_tool",
]


class Change(TypedDict):
    """One value that differs: from the revision before, or from what the agent proposed."""

    after: NotRequired[JsonValue]
    before: NotRequired[JsonValue]
    path: str


class ChatPreferenceBody(TypedDict):
    key: str
    value: JsonValue


class ChatSummaryReply(TypedDict):
    agent: str
    created_at: str
    id: str
    pending: int
    run: RunView | None
    seq: int
    title: str
    updated_at: str


class ChatView(TypedDict):
    """What a client draws. The lists are in the order of `sequence`; `before` is the cursor to
    older items."""

    agent: NotRequired[str]
    app_id: str
    artifacts: NotRequired[list[ArtifactItem]]
    before: NotRequired[int | None]
    created_at: NotRequired[str]
    id: str
    live: NotRequired[list[LiveText]]
    log_id: NotRequired[str]
    messages: NotRequired[list[MessageItem]]
    preferences: NotRequired[dict[str, JsonValue]]
    progress: NotRequired[dict[str, JsonValue] | None]
    requirements: NotRequired[dict[str, JsonValue] | None]
    run: NotRequired[RunView | None]
    seq: NotRequired[int]
    title: NotRequired[str]
    tool_calls: NotRequired[list[ToolCallItem]]


class ChatsReply(TypedDict):
    chats: list[ChatSummaryReply]
    next: str | None


class ClaimBody(TypedDict):
    """Without `person` it is one's own; with it the card is handed over, with a note."""

    note: NotRequired[str]
    person: NotRequired[str | None]
    seconds: NotRequired[float]
    take_over: NotRequired[bool]


class ClaimReply(TypedDict):
    """A person is looking at it until then; `by` differs where it was handed to them."""

    by: str
    note: str
    person: str
    until: str


class ContradictionReply(TypedDict):
    """A decision other than the rule's would have been: `changed` was approved with changes."""

    at: str | None
    by: str
    chat_id: str
    decision: Literal["approved", "changed", "rejected"]
    interaction_id: str
    title: str


class CountsReply(TypedDict):
    """`kinds` counts by card, `agents` by the agent that asks."""

    agents: dict[str, int]
    kinds: dict[str, int]
    pending: int
    snoozed: int


class DismissBody(TypedDict):
    reason: NotRequired[str | None]


class ExportCheckReply(TypedDict):
    result: ExportResult


class ExportReply(TypedDict):
    """One card or chat, signed with the key of the audit: `body` is what was exported, `head` the
    last seal when it was."""

    app_id: str
    body: dict[str, JsonValue]
    exported_at: str
    exported_by: str
    head: dict[str, JsonValue]
    key_id: str
    kind: Literal["interaction", "chat"]
    signature: str


ExportResult = Literal["genuine", "changed", "unknown_key"]


class ExtendBody(TypedDict):
    """`seen` is the `expires_at` that was on the screen; with it, two people never extend twice."""

    seconds: float
    seen: NotRequired[str | None]


class FileBody(TypedDict):
    """A file, its content in base64."""

    alt: NotRequired[str]
    content: str
    name: str


class HealthReply(TypedDict):
    detail: str | None
    engine: dict[str, JsonValue]
    fix: str | None
    status: str
    store: str


class HeldToolReply(TypedDict):
    changes: list[str]
    difference: list[str]
    digest: str
    is_new: bool
    tool: str


class HistoryEntryReply(TypedDict):
    """A decision, and what became of it. `title` names what ran, where that is known; what was
    proposed stands in `proposed_title`. New columns come at the end."""

    agent_name: str
    asked_at: str
    asker: AskerReply | None
    card: str
    changes: list[Change]
    chat_id: str
    decision: str | None
    digest: str | None
    executed_digest: str | None
    interaction_id: str
    message_id: str | None
    outcome: KnownState | None
    outcome_at: str | None
    outcome_error: str | None
    proposed_title: str
    ran_arguments: dict[str, JsonValue] | None
    reason: str | None
    revision: int | None
    run_id: str
    said: NotRequired[dict[str, JsonValue]]
    settled_at: str | None
    settled_by: str | None
    status: str
    title: str
    tool_name: str | None


class HistoryReply(TypedDict):
    entries: list[HistoryEntryReply]
    next: str | None


InteractionOrder = Literal["newest", "oldest", "expiring", "settled"]


class InteractionReply(TypedDict):
    agent_name: str
    asker_waits: NotRequired[bool | None]
    assignees: list[str]
    card: str
    chat_id: str
    chat_title: NotRequired[str | None]
    claim: NotRequired[ClaimReply | None]
    created_at: str
    display: str
    expires_at: str | None
    interaction_id: str
    interaction_type: str
    outcome: Account | None
    payload: dict[str, JsonValue]
    response: dict[str, JsonValue] | None
    run_id: str
    settled_at: str | None
    settled_by: str | None
    snoozed_until: NotRequired[str | None]
    status: str
    task_id: str
    title: str
    tool_call_id: str | None
    ui_tool_id: str


InteractionState = Literal[
    "pending", "completed", "rejected", "dismissed", "expired", "cancelled", "superseded"
]


class InteractionsReply(TypedDict):
    interactions: list[InteractionReply]
    next: str | None


KnownState = Literal["ran", "failed", "not_run", "unclear", "running", "not_yet", "not_used"]


class LastChoiceReply(TypedDict):
    """`values`: `selected_option`, or fields of the form; empty where nothing is remembered."""

    values: dict[str, JsonValue]


class LastChoicesReply(TypedDict):
    choices: list[RememberedReply]


class LedgerLine(TypedDict):
    """One line, so that nobody has to join ids by hand."""

    decision: NotRequired[str | None]
    outcome: NotRequired[str | None]
    what: str
    who: str | None


class LiveText(TypedDict):
    agent_name: NotRequired[str | None]
    message_id: str
    text: str


class MessageBody(TypedDict):
    client_message_id: str
    content: str
    context: NotRequired[dict[str, JsonValue]]
    mode: NotRequired[Literal["queue", "supersede"]]


class MessageItem(TypedDict):
    """A message of the chat. `event_id` is its identity; a card's is its interaction's."""

    agent_name: NotRequired[str | None]
    as_of: int
    content: str
    event_id: str
    kind: NotRequired[Literal["message"]]
    metadata: NotRequired[dict[str, JsonValue]]
    role: str
    run_id: NotRequired[str | None]
    sequence: int
    status: NotRequired[MessageStatus]
    timestamp: str


MessageStatus = Literal["complete", "queued", "interrupted"]


class ModelCall(TypedDict):
    """One call of a model, as its framework tells it."""

    agent_name: NotRequired[str | None]
    cached_tokens: NotRequired[int]
    calls: NotRequired[int]
    input_tokens: NotRequired[int]
    model: NotRequired[str | None]
    output_tokens: NotRequired[int]
    reasoning_tokens: NotRequired[int]


class NewChatBody(TypedDict):
    agent: NotRequired[str | None]
    title: NotRequired[str]


class NoticeAddressReply(TypedDict):
    address: str
    by: Literal["mail", "webhook"]
    id: str


class NoticePlaceBody(TypedDict):
    """A mail address, or the URL of a webhook, and the language that its person reads."""

    address: str
    language: NotRequired[str]


class NoticePlaceReply(TypedDict):
    by: Literal["mail", "webhook"]
    id: str
    secret: str | None


class NoticePlacesReply(TypedDict):
    mail: bool
    places: list[NoticeAddressReply]


class OnExpiry(TypedDict):
    """What passing `expires_at` means: a rejection, the end of the run, or a default answer."""

    action: NotRequired[Literal["reject", "cancel", "answer"]]
    answer: NotRequired[dict[str, JsonValue] | None]


class Option(TypedDict):
    description: NotRequired[str | None]
    id: str
    label: str


class PendingReply(TypedDict):
    next: str | None
    pending: list[InteractionReply]


class PostedReply(TypedDict):
    message_id: str
    run_id: str | None
    status: str


class PreferencesReply(TypedDict):
    """Whatever this person's console keeps."""

    pass


class ProblemReply(TypedDict):
    """RFC 9457. Some carry more: `outcome`, `digest`, `revision`."""

    code: str
    detail: str
    detail_code: NotRequired[str | None]
    errors: NotRequired[list[dict[str, JsonValue]] | None]
    fix: NotRequired[str | None]
    params: NotRequired[dict[str, JsonValue] | None]
    status: int
    title: str
    type: str


class PushKeyReply(TypedDict):
    public_key: str | None


class PushKeysBody(TypedDict):
    auth: str
    p256dh: str


class PushSubscriptionBody(TypedDict):
    """A browser's `PushSubscription` as it writes itself, and the language of its page."""

    endpoint: str
    expirationTime: NotRequired[float | None]
    keys: PushKeysBody
    language: NotRequired[str]


class PushSubscriptionReply(TypedDict):
    id: str


class RememberedReply(TypedDict):
    agent_name: str
    at: str | None
    chat_id: str
    chosen: str
    interaction_id: str
    question: str


class RenameBody(TypedDict):
    title: str


class ReportBody(TypedDict):
    error: NotRequired[str | None]
    result: NotRequired[JsonValue]
    state: ReportState


ReportState = Literal["done", "failed", "not_executed", "unknown"]


class RequirementBody(TypedDict):
    """A field of an action and its value; null clears it."""

    field: str
    value: NotRequired[JsonValue]


class RetriedReply(TypedDict):
    run_id: str
    status: str


class RetryBody(TypedDict):
    arguments: NotRequired[dict[str, JsonValue] | None]


class RuleBody(TypedDict):
    ends_at: NotRequired[str | None]
    interaction_id: str
    then: Literal["allow", "ask", "deny"]
    when: NotRequired[dict[str, JsonValue]]


class RuleReply(TypedDict):
    """A rule that a person wrote. It holds until `ends_at`, or until it is revoked."""

    agent_name: str
    chat_id: str
    conditions: dict[str, JsonValue]
    ends_at: str | None
    holds: bool
    id: str
    interaction_id: str
    last_used_at: str | None
    revoked_at: str | None
    revoked_by: str | None
    then: Literal["allow", "ask", "deny"]
    tool_name: str
    uses: int
    when: dict[str, JsonValue]
    written_at: str
    written_by: str


class RulesReply(TypedDict):
    rules: list[RuleReply]


class RunRecordReply(TypedDict):
    """A run as its row has it, with what its models were asked for."""

    agent: str
    chat_id: str
    created_at: str
    error: dict[str, JsonValue] | None
    model_calls: list[ModelCall]
    parent_run_id: str | None
    run_id: str
    status: str
    task_id: str
    updated_at: str
    usage: Usage | None


class RunReply(TypedDict):
    error: NotRequired[dict[str, JsonValue] | None]
    interactions: list[InteractionReply]
    message_id: str
    run_id: str
    status: str


class RunView(TypedDict):
    code: NotRequired[str | None]
    error: NotRequired[dict[str, JsonValue] | None]
    params: NotRequired[dict[str, JsonValue] | None]
    reason: NotRequired[str | None]
    run_id: str
    since: str
    status: str
    task_id: str
    usage: NotRequired[Usage | None]


class SessionBody(TypedDict):
    token: str


class SessionReply(TypedDict):
    app_id: str
    needs_login: bool
    person: str
    role: str


class SettledReply(TypedDict):
    interaction_id: str
    repeated: bool
    response: dict[str, JsonValue] | None
    settled_at: str | None
    settled_by: str | None
    status: str


class SimilarDecisionsReply(TypedDict):
    """Decisions on calls of one tool, with `argument` up to `at_most`."""

    approved: int
    approved_by_me: int
    argument: str | None
    at_most: float | None
    decided: int
    rejected: int
    tool_name: str


class SimilarReply(TypedDict):
    days: int
    similar: SimilarDecisionsReply | None


class SnoozeBody(TypedDict):
    until: str


class StartBody(TypedDict):
    """`report_within` is how long the asker may take to report; `idempotent` says that it may be
    done twice, so that an asker which has died in between may go on."""

    idempotent: NotRequired[bool]
    report_within: NotRequired[float]


class ToolCallItem(TypedDict):
    agent_name: NotRequired[str | None]
    arguments: dict[str, JsonValue]
    as_of: int
    asked_arguments: NotRequired[dict[str, JsonValue] | None]
    code: NotRequired[str | None]
    error: NotRequired[str | None]
    finished_at: NotRequired[str | None]
    kind: NotRequired[Literal["tool_call"]]
    name: str
    params: NotRequired[dict[str, JsonValue] | None]
    ran_seconds: NotRequired[float | None]
    result: NotRequired[JsonValue]
    rule: NotRequired[UsedRule | None]
    run_id: str
    sequence: int
    status: NotRequired[ToolCallStatus]
    timestamp: str
    tool_call_id: str
    ui: NotRequired[ToolUi | None]


ToolCallStatus = Literal[
    "running",
    "waiting",
    "done",
    "failed",
    "rejected",
    "denied",
    "uncertain",
    "not_executed",
    "cancelled",
]


class ToolServerReply(TypedDict):
    held: list[HeldToolReply]
    name: str
    problem: str
    protocol: str
    state: str
    tools: list[str]


class ToolServersReply(TypedDict):
    servers: list[ToolServerReply]


class ToolUi(TypedDict):
    content: NotRequired[str]
    detail: NotRequired[str]
    format: NotRequired[Literal["html", "schema"]]
    has_ui: NotRequired[bool]
    origins: NotRequired[UiOrigins]
    permissions: NotRequired[list[str]]
    prefers_border: NotRequired[bool]
    problem: NotRequired[str]
    resource_uri: str
    result: NotRequired[str]
    round: NotRequired[int]
    server: str
    size: NotRequired[int]
    url: NotRequired[str]


class ToolUiFrameReply(TypedDict):
    src: str | None


class ToolUiReply(TypedDict):
    tool_call_id: str
    tool_input: dict[str, JsonValue]
    tool_name: str
    tool_result: JsonValue
    ui: ToolUi
    ui_content: str | None


class TrialReply(TypedDict):
    """What a rule would have done in the last `days`: it speaks of `matched` of `decided` calls;
    `agreed` were decided as it would have, `mine` of them by the reader, and `against` not."""

    against: int
    agreed: int
    contradictions: list[ContradictionReply]
    days: int
    decided: int
    matched: int
    mine: int
    toml: str


class TriedRuleBody(TypedDict):
    """A rule in the words of the policy file: `when` compares arguments of the card's call."""

    interaction_id: str
    then: Literal["allow", "ask", "deny"]
    when: NotRequired[dict[str, JsonValue]]


class TurnReply(TypedDict):
    """With `Prefer: wait=N`: what came of the message."""

    message_id: str
    messages: list[MessageItem]
    run: RunReply
    run_id: str | None
    status: str
    tool_calls: list[ToolCallItem]


class UiCallReply(TypedDict):
    """A call that a UI has made. `cards` are the interactions that it waits for; `result` is what
    the UI is told once it has ended."""

    cards: list[str]
    id: str
    result: dict[str, JsonValue] | None
    state: UiCallState
    tool: str


UiCallState = Literal["running", "waiting", "ended"]


class UiCallsReply(TypedDict):
    calls: list[UiCallReply]


class UiOrigins(TypedDict):
    """Where a UI may load from and send to, each an origin; nowhere where it names none."""

    base_uri: NotRequired[list[str]]
    connect: NotRequired[list[str]]
    frame: NotRequired[list[str]]
    resource: NotRequired[list[str]]


class UiRequestBody(TypedDict):
    """A JSON-RPC request of a tool's own UI, as its page passes it on."""

    method: str
    params: NotRequired[dict[str, JsonValue]]


class UiRpcReply(TypedDict):
    """The result, or the call that is not at its end yet."""

    call: UiCallReply | None
    result: dict[str, JsonValue] | None


class Usage(TypedDict):
    """The sum of a run's calls of models."""

    cached_tokens: NotRequired[int]
    input_tokens: int
    model_calls: int
    output_tokens: int
    reasoning_tokens: NotRequired[int]


class UsedRule(TypedDict):
    """The rule of a person that answered for them (core.standing_rules)."""

    by: str
    conditions: dict[str, JsonValue]
    rule_id: str


class VerifiedReply(TypedDict):
    broken: list[BrokenReply]
    head: str | None
    intact: bool
    lines: int
    missing_keys: list[str]
    older_than_key: int
    older_unsealed: int
    result: AuditResult
    sealed_at: str | None
    unsealed: int
    without_key: int


class VersionReply(TypedDict):
    python: str
    version: str
    wire: int


class WebLink(TypedDict):
    """An address to be shown beside a card, whole. Nobody but the reader opens it."""

    url: str


class WebhookReply(TypedDict):
    """`state`: waiting, due, delivered or given_up."""

    attempts: int
    error: str | None
    id: str
    state: str
    url: str


class WithdrawBody(TypedDict):
    reason: NotRequired[str | None]


def pending(*, before: str | None = None, limit: int | None = None) -> Call[PendingReply]:
    """All pending UI tools of this tenant, newest first, for debugging."""
    return Call("GET", "/api/admin/pending", params=_given({"before": before, "limit": limit}))


def tool_servers() -> Call[ToolServersReply]:
    """How each server stands, and which of its tools wait for an agreement."""
    return Call("GET", "/api/admin/tool-servers")


def agree(server: str, body: AgreeBody) -> Call[ToolServersReply]:
    """Agree to a tool as its difference showed it: one that has changed since is refused."""
    return Call("POST", f"/api/admin/tool-servers/{_part(server)}/agree", body=body)


def agents() -> Call[AgentsReply]:
    """The agents, what they can do, their tools, and what people may begin with."""
    return Call("GET", "/api/agents")


def get_artifact(
    artifact_id: str, *, format: str | None = None, if_none_match: str | None = None
) -> Call[ArtifactItem]:
    """An artifact; its ETag is its version. `format=json` or `text` gives the content alone; other
    formats ("markdown", "csv", "ics") are the application's own, to be saved as a file."""
    return Call(
        "GET",
        f"/api/artifacts/{_part(artifact_id)}",
        params=_given({"format": format}),
        headers=_given({"if-none-match": if_none_match}),
    )


def put_artifact(
    artifact_id: str, body: ArtifactBody, *, if_match: str | None = None
) -> Call[ArtifactItem]:
    """The next version of an artifact. If-Match names the version it was made from."""
    return Call(
        "PUT",
        f"/api/artifacts/{_part(artifact_id)}",
        headers=_given({"if-match": if_match}),
        body=body,
    )


def list_asks(
    *, session: str | None = None, before: str | None = None, limit: int | None = None
) -> Call[AsksReply]:
    """Your asks, newest first; `session` are those of one piece of work."""
    return Call(
        "GET", "/api/asks", params=_given({"session": session, "before": before, "limit": limit})
    )


def open_ask(
    body: AskBody, *, idempotency_key: str | None = None, prefer: str | None = None
) -> Call[AskReply]:
    """Ask a person. The same Idempotency-Key with the same kind, tool and binding arguments is the
    same ask; `Prefer: wait=N` holds the reply for the answer."""
    return Call(
        "POST",
        "/api/asks",
        headers=_given({"Idempotency-Key": idempotency_key, "prefer": prefer}),
        body=body,
    )


def withdraw_ask(interaction_id: str, body: WithdrawBody | None = None) -> Call[AskReply]:
    """Withdraw an ask that is open, or an approval that was not used."""
    return Call("DELETE", f"/api/asks/{_part(interaction_id)}", body=body)


def get_ask(interaction_id: str, *, wait: float | None = None) -> Call[AskReply]:
    """Where an ask stands. `wait` holds the reply for the answer, for so many seconds."""
    return Call("GET", f"/api/asks/{_part(interaction_id)}", params=_given({"wait": wait}))


def report_ask(interaction_id: str, body: ReportBody) -> Call[AskReply]:
    """Say what became of it, once."""
    return Call("POST", f"/api/asks/{_part(interaction_id)}/report", body=body)


def start_ask(interaction_id: str, body: StartBody | None = None) -> Call[AskReply]:
    """Use the approval, once: only then act, with these `arguments`. 409 where it was used."""
    return Call("POST", f"/api/asks/{_part(interaction_id)}/start", body=body)


def audit(
    *, chat: str | None = None, before: int | None = None, limit: int | None = None
) -> Call[AuditReply]:
    """The lines of the hash chains, newest first. `before` is the position of the last one seen."""
    return Call(
        "GET", "/api/audit", params=_given({"chat": chat, "before": before, "limit": limit})
    )


def audit_head() -> Call[AuditHeadReply]:
    """The last seal: what to keep elsewhere."""
    return Call("GET", "/api/audit/head")


def verify(*, against: str | None = None) -> Call[VerifiedReply]:
    """Check every seal, line and row of this tenant, and that the seals lead to `against`, a head
    that was kept elsewhere."""
    return Call("GET", "/api/audit/verify", params=_given({"against": against}))


def list_chats(
    *, q: str | None = None, before: str | None = None, limit: int | None = None
) -> Call[ChatsReply]:
    """The chats of this tenant, last changed first; `q` searches."""
    return Call("GET", "/api/chats", params=_given({"q": q, "before": before, "limit": limit}))


def create_chat(body: NewChatBody | None = None) -> Call[ChatView]:
    """Open a chat with an agent, the first one if none is named."""
    return Call("POST", "/api/chats", body=body)


def get_chat(
    chat_id: str, *, before: int | None = None, limit: int | None = None
) -> Call[ChatView]:
    """A page of a chat, the newest first; open cards and artifacts stand on the first page."""
    return Call(
        "GET", f"/api/chats/{_part(chat_id)}", params=_given({"before": before, "limit": limit})
    )


def rename_chat(chat_id: str, body: RenameBody) -> Call[ChatView]:
    """Rename Chat"""
    return Call("PATCH", f"/api/chats/{_part(chat_id)}", body=body)


def cancel(chat_id: str, body: CancelBody | None = None) -> Call[CancelReply]:
    """End the chat's open run, wherever it runs."""
    return Call("POST", f"/api/chats/{_part(chat_id)}/cancel", body=body)


def export_chat(chat_id: str) -> Call[ExportReply]:
    """One chat whole: messages, tool calls, cards with their answers, and its audit, signed."""
    return Call("GET", f"/api/chats/{_part(chat_id)}/export")


def post_message(
    chat_id: str,
    body: MessageBody,
    *,
    ui: Literal["inline", "reference"] | None = None,
    accept: str | None = None,
    prefer: str | None = None,
) -> Call[TurnReply]:
    """Say something. The answer comes over the chat's stream, or right here if that is preferred:
    `Prefer: stream` for JSON lines, `Accept: text/event-stream` for the same as server-sent events,
    `Accept: text/plain` for text, `Prefer: wait=N` for what came of it. `?ui=inline`, or `Prefer:
    ui=inline`, puts the page of a tool's own UI into its line."""
    return Call(
        "POST",
        f"/api/chats/{_part(chat_id)}/messages",
        params=_given({"ui": ui}),
        headers=_given({"accept": accept, "prefer": prefer}),
        body=body,
    )


def withdraw(chat_id: str, message_id: str) -> Call[CancelReply]:
    """Take back words that wait for their turn, before the agent has read them."""
    return Call("DELETE", f"/api/chats/{_part(chat_id)}/messages/{_part(message_id)}")


def set_chat_preference(chat_id: str, body: ChatPreferenceBody) -> Call[ChatView]:
    """A preference of this chat, such as `always_allow`: the tools that need not ask here."""
    return Call("PUT", f"/api/chats/{_part(chat_id)}/preferences", body=body)


def change_requirement(chat_id: str, body: RequirementBody) -> Call[ChatView]:
    """Set one value that an action needs, as the panel beside the chat does; null clears it."""
    return Call("PATCH", f"/api/chats/{_part(chat_id)}/requirements", body=body)


def start_over(chat_id: str) -> Call[ChatView]:
    """Start over: the log stays, every value and every grant is void."""
    return Call("POST", f"/api/chats/{_part(chat_id)}/requirements/reset")


def verify_export(body: dict[str, JsonValue]) -> Call[ExportCheckReply]:
    """Whether this document is as this server, or one with its key, gave it out."""
    return Call("POST", "/api/exports/verify", body=body)


def health() -> Call[HealthReply]:
    """Whether this process can take work: its database can be written, and its worker answers.
    Needs no login; 503 while it cannot, with a code in `store` and words for it."""
    return Call("GET", "/api/health")


def history(
    *,
    before: str | None = None,
    limit: int | None = None,
    chat: str | None = None,
    person: str | None = None,
    kind: CardKind | None = None,
    status: InteractionState | None = None,
    decision: Literal["approve", "reject", "partial"] | None = None,
    agent: str | None = None,
    tool: str | None = None,
    since: str | None = None,
    until: str | None = None,
    q: str | None = None,
    edited: bool | None = None,
    outcome: Literal["ran", "went_wrong"] | None = None,
) -> Call[HistoryReply]:
    """Who decided what, the last decision first."""
    return Call(
        "GET",
        "/api/history",
        params=_given(
            {
                "before": before,
                "limit": limit,
                "chat": chat,
                "person": person,
                "kind": kind,
                "status": status,
                "decision": decision,
                "agent": agent,
                "tool": tool,
                "since": since,
                "until": until,
                "q": q,
                "edited": edited,
                "outcome": outcome,
            }
        ),
    )


def list_interactions(
    *,
    status: InteractionState | None = None,
    kind: CardKind | None = None,
    chat: str | None = None,
    assignee: str | None = None,
    agent: str | None = None,
    q: str | None = None,
    expires_before: str | None = None,
    settled_after: str | None = None,
    order: InteractionOrder | None = None,
    before: str | None = None,
    limit: int | None = None,
) -> Call[InteractionsReply]:
    """The inbox. `kind` is the card; `assignee` is a person, or `me`; `q` is found in what people
    see on a card; `before` is the id of the last one seen, in any order."""
    return Call(
        "GET",
        "/api/interactions",
        params=_given(
            {
                "status": status,
                "kind": kind,
                "chat": chat,
                "assignee": assignee,
                "agent": agent,
                "q": q,
                "expires_before": expires_before,
                "settled_after": settled_after,
                "order": order,
                "before": before,
                "limit": limit,
            }
        ),
    )


def count_pending() -> Call[CountsReply]:
    """How many cards wait, of each kind and for each agent."""
    return Call("GET", "/api/interactions/counts")


def answer_many(body: list[AnswerItem]) -> Call[BatchReply]:
    """Several answers, each settled or refused by itself, in this order. Where more than one of
    them approves something, each approval needs a card that may be approved together with others
    (`sayso.bulk`), and the digest of what was seen."""
    return Call("POST", "/api/interactions/responses", body=body)


def get_interaction(interaction_id: str) -> Call[InteractionReply]:
    """Get Interaction"""
    return Call("GET", f"/api/interactions/{_part(interaction_id)}")


def release(interaction_id: str) -> Call[None]:
    """End a claim that one holds or gave."""
    return Call("DELETE", f"/api/interactions/{_part(interaction_id)}/claim")


def claim(interaction_id: str, body: ClaimBody | None = None) -> Call[InteractionReply]:
    """Say who is looking at it: oneself, or whoever it is handed to. It locks nothing."""
    return Call("PUT", f"/api/interactions/{_part(interaction_id)}/claim", body=body)


def dismiss(interaction_id: str, body: DismissBody | None = None) -> Call[SettledReply]:
    """Close a card without an answer: nothing runs, and the agent is told that it was dismissed."""
    return Call("POST", f"/api/interactions/{_part(interaction_id)}/dismiss", body=body)


def export_interaction(interaction_id: str) -> Call[ExportReply]:
    """One card as it was shown and answered, with its lines of the audit, signed."""
    return Call("GET", f"/api/interactions/{_part(interaction_id)}/export")


def extend(interaction_id: str, body: ExtendBody) -> Call[InteractionReply]:
    """More time for a card that has a time."""
    return Call("POST", f"/api/interactions/{_part(interaction_id)}/extend", body=body)


def suggest(interaction_id: str) -> Call[LastChoiceReply]:
    """What this person chose when they were last asked the same, where the card still offers it: to
    be marked on the card, and changed. It answers nothing; an approval has none."""
    return Call("GET", f"/api/interactions/{_part(interaction_id)}/last-choice")


def answer(
    interaction_id: str, body: dict[str, JsonValue], *, idempotency_key: str | None = None
) -> Call[SettledReply]:
    """Settle an interaction with this person's answer, in any of the forms of wire.md."""
    return Call(
        "POST",
        f"/api/interactions/{_part(interaction_id)}/response",
        headers=_given({"idempotency-key": idempotency_key}),
        body=body,
    )


def similar(
    interaction_id: str, *, argument: str | None = None, at_most: float | None = None
) -> Call[SimilarReply]:
    """What people decided of calls of the same tool in the last 30 days."""
    return Call(
        "GET",
        f"/api/interactions/{_part(interaction_id)}/similar",
        params=_given({"argument": argument, "at_most": at_most}),
    )


def unsnooze(interaction_id: str) -> Call[None]:
    """Have it back in the list now."""
    return Call("DELETE", f"/api/interactions/{_part(interaction_id)}/snooze")


def snooze(interaction_id: str, body: SnoozeBody) -> Call[InteractionReply]:
    """Put it off until then, for oneself alone."""
    return Call("PUT", f"/api/interactions/{_part(interaction_id)}/snooze", body=body)


def open_calls(tool_call_id: str) -> Call[UiCallsReply]:
    """The calls of this UI that are not at their end."""
    return Call("GET", f"/api/mcp/apps/{_part(tool_call_id)}/calls")


def get_call(
    tool_call_id: str, call_id: str, *, wait: float | None = None, seen: UiCallState | None = None
) -> Call[UiCallReply]:
    """One call of this UI. `wait` holds the reply, for so many seconds, until it no longer stands
    as it was `seen`, or else as it stands now."""
    return Call(
        "GET",
        f"/api/mcp/apps/{_part(tool_call_id)}/calls/{_part(call_id)}",
        params=_given({"wait": wait, "seen": seen}),
    )


def frame_ui(tool_call_id: str) -> Call[ToolUiFrameReply]:
    """An address for one look at a tool's own UI, on another origin than the console's; null where
    this server has none, and for a schema, which is no page."""
    return Call("POST", f"/api/mcp/apps/{_part(tool_call_id)}/frame")


def ask_host(tool_call_id: str, body: UiRequestBody) -> Call[UiRpcReply]:
    """What a tool's own UI asks for: `tools/call` and `resources/read`, both of its own server. A
    call passes the same policy as a model's; one that a person has to allow, or that changes
    something, is answered with 202, and goes on whatever becomes of the UI."""
    return Call("POST", f"/api/mcp/apps/{_part(tool_call_id)}/rpc", body=body)


def get_ui(tool_call_id: str) -> Call[ToolUiReply]:
    """A tool's own UI: its page, what its tool was called with, and the result whole."""
    return Call("GET", f"/api/mcp/apps/{_part(tool_call_id)}/ui")


def notice_places() -> Call[NoticePlacesReply]:
    """Where this person is told beside browsers, and whether this server sends mails."""
    return Call("GET", "/api/notices")


def put_notice_place(body: NoticePlaceBody) -> Call[NoticePlaceReply]:
    """Tell this mail address or webhook from now on. The same one again is the same place."""
    return Call("PUT", "/api/notices", body=body)


def forget_notice_place(place_id: str) -> Call[None]:
    """Tell this place no more."""
    return Call("DELETE", f"/api/notices/{_part(place_id)}")


def get_preferences() -> Call[PreferencesReply]:
    """Get Preferences"""
    return Call("GET", "/api/preferences")


def put_preferences(body: dict[str, JsonValue]) -> Call[PreferencesReply]:
    """Set these choices of display and language and keep the others; null removes one."""
    return Call("PUT", "/api/preferences", body=body)


def always_allow() -> Call[AlwaysAllowReply]:
    """The tools that need not ask any more, in each of this person's chats. They are taken back
    with `PUT /api/chats/{id}/preferences`."""
    return Call("GET", "/api/preferences/always-allow")


def forget() -> Call[None]:
    """Forget what was chosen before now. The answers themselves stay in the history."""
    return Call("DELETE", "/api/preferences/choices")


def remembered() -> Call[LastChoicesReply]:
    """What counts as this person's last choice, the newest first."""
    return Call("GET", "/api/preferences/choices")


def push_key() -> Call[PushKeyReply]:
    """The key that a browser subscribes with; null where this server cannot push."""
    return Call("GET", "/api/push")


def put_push_subscription(body: PushSubscriptionBody) -> Call[PushSubscriptionReply]:
    """Tell this browser from now on. The same one again is the same subscription."""
    return Call("PUT", "/api/push/subscriptions", body=body)


def forget_push_subscription(subscription_id: str) -> Call[None]:
    """Tell this browser no more."""
    return Call("DELETE", f"/api/push/subscriptions/{_part(subscription_id)}")


def list_rules() -> Call[RulesReply]:
    """The rules of this tenant, also those that hold no longer; the newest first."""
    return Call("GET", "/api/rules")


def write_rule(body: RuleBody) -> Call[RuleReply]:
    """Write a rule from a card. It answers the next calls like that one, whoever would be asked;
    the card itself stays open."""
    return Call("POST", "/api/rules", body=body)


def try_rule(body: TriedRuleBody) -> Call[TrialReply]:
    """What a rule would have done with the decisions of the last 30 days. Nothing is written."""
    return Call("POST", "/api/rules/trial", body=body)


def revoke_rule(rule_id: str) -> Call[RuleReply]:
    """End a rule now: what has not begun by it asks again."""
    return Call("DELETE", f"/api/rules/{_part(rule_id)}")


def get_run(run_id: str) -> Call[RunRecordReply]:
    """A run, and what its models were asked for: a record for each call, and their sum."""
    return Call("GET", f"/api/runs/{_part(run_id)}")


def retry_run(run_id: str) -> Call[RetriedReply]:
    """Let a run go on that failed since its model was not available, from where it was."""
    return Call("POST", f"/api/runs/{_part(run_id)}/retry")


def sign_out() -> Call[None]:
    """End this browser's session; the cookie is worth nothing from here on."""
    return Call("DELETE", "/api/session")


def session() -> Call[SessionReply]:
    """Who you are here."""
    return Call("GET", "/api/session")


def sign_in(body: SessionBody) -> Call[SessionReply]:
    """Exchange a token for a session cookie, which no script of the page can read."""
    return Call("POST", "/api/session", body=body)


def retry(tool_call_id: str, body: RetryBody | None = None) -> Call[PostedReply]:
    """Make a call again, through the policy, as a new run of its chat."""
    return Call("POST", f"/api/tool-calls/{_part(tool_call_id)}/retry", body=body)


def version() -> Call[VersionReply]:
    """Version"""
    return Call("GET", "/api/version")
