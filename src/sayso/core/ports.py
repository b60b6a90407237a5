"""What the engine needs from outside: a clock and a store. (The third port is core/feed.py.)

A verb of the store is one whole transaction. It returns the frames that a client should now see;
the engine publishes them after the commit. Every verb takes the tenant's `app_id` first, or a
Fence, which carries it. The verbs are documented here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol

from pydantic import JsonValue

from sayso.core.asks import (
    AskMoved,
    AskOpened,
    AskRecord,
    AskStart,
    NewAsk,
    Webhook,
    WebhookState,
)
from sayso.core.attention import Attention, Claim
from sayso.core.audit import AuditEntry, AuditReport, ExportResult, KeptHead, Seal
from sayso.core.chat_view import ArtifactItem, ChatSummary, ChatView, Head
from sayso.core.children import Request
from sayso.core.digest import JsonObject
from sayso.core.effects import Effect, EffectEnd, EffectStart, ToolCallRecord
from sayso.core.events import Draft, EventData, OpenText
from sayso.core.feed import Frame
from sayso.core.inbox import InteractionFilter, InteractionOrder, PendingCount
from sayso.core.interactions import Interaction
from sayso.core.model_trouble import TryAgain
from sayso.core.pushes import DuePushes, PushNotice, PushSubscription
from sayso.core.record import Account
from sayso.core.requirements import SpokenYes
from sayso.core.sessions import Run, RunState, SavedState
from sayso.core.sign_ins import SignIn, SignInLength
from sayso.core.standing_rules import StandingRule
from sayso.core.store_results import (
    CancelledRun,
    Checked,
    Claimed,
    Fence,
    Finished,
    Lease,
    Moved,
    NewMessage,
    Posted,
    Postponed,
    Retried,
    Settled,
    TextPiece,
    Waited,
)
from sayso.core.tasks import UniversalMessage
from sayso.core.ui_calls import UiCall, UiCallOpened, UiCallRecord
from sayso.core.usage import ModelCall


class Clock(Protocol):
    """Time and ids come in through here, so that tests move them by hand."""

    def now(self) -> datetime:
        """Return the time of the machine's clock, timezone-aware, in UTC."""

    def steady(self) -> datetime:
        """Return a time to measure durations with: it goes on as time does, whatever the clock is
        set to. It equals `now` where nobody has set the clock."""

    def new_id(self) -> str:
        """Return a fresh UUIDv7."""


#: What a chat's row says of its requirements → what it says once they are forgotten.
Forget = Callable[[JsonObject | None], JsonObject]


class Store(Protocol):
    """The rows. SQLite is embedded; PostgreSQL is for more than one node, and will have to pass the
    same contract suite."""

    async def open(self) -> None:
        """Connect and migrate. Raises DatabaseTooNew, StoreReadOnly, StoreBusy."""

    async def close(self) -> None:
        """Finish what was asked for, and disconnect."""

    # ── chats ──
    async def create_chat(
        self,
        app_id: str,
        *,
        agent: str,
        title: str = "",
        by: str | None = None,
        chat_id: str | None = None,
    ) -> ChatView:
        """Open a chat; where `chat_id` is there already, return that one."""

    async def rename_chat(
        self, app_id: str, chat_id: str, title: str, *, by: str | None
    ) -> Sequence[Frame]:
        """Give a chat a title. Raises NotFound."""

    async def list_chats(
        self, app_id: str, *, q: str = "", before: datetime | None = None, limit: int = 50
    ) -> list[ChatSummary]:
        """Return the chats last changed first; `q` is found in titles and messages, `before` is the
        time of the last one seen. Chats changed at one moment stay on one page, which may make it
        longer than `limit`."""

    async def chat_titles(self, app_id: str, chat_ids: Sequence[str]) -> dict[str, str]:
        """Return the titles of these chats, of those that have one."""

    async def load_view(
        self, app_id: str, chat_id: str, *, before: int | None = None, limit: int = 50
    ) -> ChatView | None:
        """Return one snapshot, None without such a chat: the newest `limit` items (or those below
        `before`), and on the first page every open item, all artifacts and the open texts."""

    async def events_after(
        self, app_id: str, chat_id: str, seq: int, *, limit: int = 1000
    ) -> list[Frame]:
        """Return the events after this seq, oldest first."""

    async def last_events(self, since: datetime) -> list[tuple[str, Frame]]:
        """Return the last event of each chat that has changed since then, with its tenant."""

    async def open_texts(self, app_id: str, chat_id: str) -> list[OpenText]:
        """Return the texts that are still being written, as far as they are stored."""

    # ── runs ──
    async def post_message(
        self, app_id: str, chat_id: str, message: NewMessage, lease: Lease | None
    ) -> Posted:
        """Store the message and, in the same transaction, what it means: the
        start of a run, a place in the queue, the answer to the one open free question, or a run
        that supersedes. Raises NotFound, MessageIdReused."""

    async def run(self, app_id: str, run_id: str) -> Run | None:
        """Return this run, or None."""

    async def open_runs(self, app_id: str, *, limit: int = 1000) -> list[Run]:
        """Return the runs of tasks that have not ended, the last changed first; no child runs."""

    async def history(
        self, app_id: str, chat_id: str, run_id: str, at: int
    ) -> list[UniversalMessage]:
        """Return what was said in a chat before this run began, when its log stood at `at`."""

    async def family(self, app_id: str, run_id: str) -> list[str]:
        """Return the ids of the child runs of this run, and of theirs."""

    async def claim(self, app_id: str, run_id: str, lease: Lease) -> Claimed | None:
        """Claim a ready run that is due, or one whose lease is over, and close what an earlier
        owner left open. Return None if it cannot be claimed."""

    async def claim_due(
        self, lease: Lease, *, limit: int, not_mine: Sequence[str], at_once: bool
    ) -> list[Claimed]:
        """Claim ready runs that are due and runs with expired leases, of every tenant, oldest
        first. `not_mine` are runs that this process still has tasks for. `at_once` (the file lock
        is ours) claims the running runs of other `lock:` owners whatever their lease: they are
        dead."""

    def renew_blocking(self, owner: str, fences: Sequence[Fence], seconds: float) -> frozenset[str]:
        """Prolong leases, from the heartbeat's thread, under this owner's name, which changes once
        the file lock is ours. Return the runs that are still held."""

    async def check(self) -> None:
        """Check that the database can be written now, by the last write or by one made for this.
        Raises StoreBusy, StoreReadOnly, and its kinds: StoreFull, StoreMoved, StoreDamaged."""

    def look(self) -> None:
        """Do the part of `check` that is cheap enough for every heartbeat. Raises StoreMoved."""

    def hold_worker_role(self) -> bool:
        """Try for the worker's file lock (SQLite); True once it is held. False on stores that have
        none."""

    async def others_wrote(self) -> bool:
        """Return whether another process has written since this was last asked. It is cheap."""

    async def record(
        self, fence: Fence, events: Sequence[EventData], *, saved: SavedState | None = None
    ) -> Sequence[Frame]:
        """Append a segment's events. Raises LeaseLost."""

    async def keep_texts(self, pieces: Sequence[TextPiece]) -> None:
        """Append to open texts, of many runs, in one transaction. Pieces of lost fences are
        dropped."""

    async def wait(
        self,
        fence: Fence,
        saved: SavedState,
        requests: Sequence[Request],
        *,
        resume_each: bool,
        events: Sequence[EventData] = (),
        usage: Sequence[ModelCall] = (),
        lease: Lease | None = None,
    ) -> Waited:
        """Save the state, open the cards and begin the child runs that are asked for. The run is
        let go, or goes on at once with what has come already."""

    async def finish(
        self,
        fence: Fence,
        state: RunState,
        *,
        events: Sequence[EventData] = (),
        error: JsonObject | None = None,
        reason: str | None = None,
        memory: bytes | None = None,
        output: str = "",
        saved: SavedState | None = None,
        usage: Sequence[ModelCall] = (),
        lease: Lease | None = None,
    ) -> Finished:
        """End a run, keep the agent's memory, append its events and RunMoved, start the queued
        message's run. The end of a child run lets its parent go on, with this output; a child keeps
        no memory. What it was to go on from is forgotten, but for the `saved` of a failed run: that
        stays until it is tried again or the chat's next run ends."""

    async def postpone(
        self,
        fence: Fence,
        saved: SavedState | None,
        again: TryAgain,
        *,
        reason: str,
        events: Sequence[EventData] = (),
        usage: Sequence[ModelCall] = (),
    ) -> Postponed:
        """Let a run go, to be claimed again when it is due. `reason` is told in the chat."""

    async def seconds_to_next_due(self) -> float | None:
        """Return how long it is until the next postponed run is due, of any tenant."""

    async def retry_run(
        self, app_id: str, run_id: str, *, by: str | None, lease: Lease | None
    ) -> Retried:
        """Let a run go on that failed since its model was not available, from where it was. Raises
        NotFound, and AlreadySettled where it did not fail so or the chat has gone on since."""

    async def cancel_run(
        self,
        app_id: str,
        *,
        reason: str,
        by: str | None,
        chat_id: str | None = None,
        run_id: str | None = None,
        lease: Lease | None = None,
    ) -> CancelledRun:
        """Cancel the open run of a chat (or this run): cards settle, open text is marked
        interrupted, fence + 1."""

    async def withdraw_message(
        self, app_id: str, chat_id: str, message_id: str, *, by: str | None
    ) -> CancelledRun:
        """Take back words that still wait for their turn: their run never begins. Raises NotFound;
        Forbidden where somebody else said them; AlreadySettled where the agent has them."""

    async def start_over(
        self,
        app_id: str,
        chat_id: str,
        forget: Forget,
        *,
        reason: str,
        by: str | None,
        lease: Lease | None = None,
    ) -> CancelledRun:
        """Cancel the open run of a chat and forget its requirements: the next in the queue begins
        with what `forget` leaves. Raises NotFound."""

    async def start_effect(
        self, fence: Fence, start: EffectStart, saved: SavedState | None
    ) -> Sequence[Frame]:
        """Commit that an attempt begins; where it has a grant, use that up. Raises GrantVoid,
        RuleOver where the rule that allows it holds no longer, and KeyHeld where another effect of
        the tenant holds its business key."""

    async def effect_under(self, app_id: str, business_key: str) -> Effect | None:
        """Return the effect that holds this business key: begun, unclear or done."""

    async def requirements(self, app_id: str, chat_id: str) -> JsonObject | None:
        """Return what the chat's row says of its requirements. Raises NotFound."""

    async def change_requirements(
        self,
        app_id: str,
        chat_id: str,
        requirements: JsonObject,
        *,
        by: str | None,
        fence: Fence | None = None,
        yes: SpokenYes | None = None,
    ) -> Sequence[Frame]:
        """Write the next version; a run writes it under its fence. With `yes`, the words that had
        taken a card's place were its yes: they complete the card. Raises VersionConflict where its
        `version` is not the next, LeaseLost, NotFound."""

    async def end_effect(
        self,
        fence: Fence,
        key: str,
        attempt: int,
        end: EffectEnd,
        events: Sequence[EventData],
        *,
        saved: SavedState | None = None,
        lease: Lease | None = None,
    ) -> Settled | Sequence[Frame]:
        """Record how an attempt ended; not fenced. A true result settles an open uncertain card of
        that attempt, and its run goes on as after an answer. `saved` is kept with it where the
        fence still holds."""

    # ── interactions ──
    async def answer(
        self,
        app_id: str,
        checked: Checked,
        *,
        key: str | None,
        by: str | None,
        lease: Lease | None,
    ) -> Settled | Moved:
        """Settle with a person's answer, if the interaction still asks what the answer was checked
        against; else it is to be checked again. Raises NotFound, StaleDigest, AlreadySettled,
        IdempotencyKeyReused, AnsweredTooLate."""

    async def dismiss(
        self,
        app_id: str,
        interaction_id: str,
        *,
        reason: str | None,
        by: str | None,
        lease: Lease | None,
    ) -> Settled:
        """Settle without an answer. Raises NotFound, AlreadySettled, AnsweredTooLate."""

    async def extend(
        self,
        app_id: str,
        interaction_id: str,
        *,
        seconds: float,
        seen: datetime | None,
        by: str | None,
    ) -> Settled:
        """Give a card more time, by compare-and-set on the `expires_at` that was seen. Raises
        NotFound, InvalidInput, VersionConflict, AlreadySettled, AnsweredTooLate."""

    async def expire_one(self, *, now: datetime, lease: Lease | None) -> Settled | None:
        """Settle the interaction that has been overdue longest; None when none is."""

    async def expire_now(self, app_id: str, interaction_id: str, *, lease: Lease | None) -> Settled:
        """Expire a card whose asker waits no longer, whatever its time; one that is settled stays
        as it is. Raises NotFound."""

    async def next_expiry(self) -> datetime | None:
        """Return the first `expires_at` of an open card, of any tenant."""

    async def interaction(self, app_id: str, interaction_id: str) -> Interaction | None:
        """Return this interaction, or None."""

    async def accounts(self, app_id: str, settled: Sequence[Interaction]) -> dict[str, Account]:
        """Return what became of each of these that let something run, by id. One that nothing is
        known of (an older version wrote it) has none."""

    async def interactions(
        self,
        app_id: str,
        wanted: InteractionFilter,
        *,
        order: InteractionOrder = InteractionOrder.NEWEST,
        before: str | None = None,
        limit: int = 50,
    ) -> list[Interaction]:
        """Return those that the filter wants, in this order; `before` is the id of the last one
        seen."""

    async def chosen_by(
        self, app_id: str, person: str, *, since: datetime | None = None, limit: int = 50
    ) -> list[Interaction]:
        """Return the questions and forms that this person has answered, the last one first; after
        `since` alone, where it is given."""

    async def count_pending(self, app_id: str) -> list[PendingCount]:
        """Return how many cards are open, by kind and agent."""

    # ── calls of tools' own UIs ──
    async def open_ui_call(self, app_id: str, call: UiCall, lease: Lease | None) -> UiCallOpened:
        """Begin the run of a call that a UI makes, or return the one that is open already. Raises
        NotFound, RateLimited."""

    async def open_ui_calls(self, app_id: str, tool_call_id: str) -> list[UiCallRecord]:
        """Return the calls of a UI that have not ended, oldest first."""

    async def ui_call(self, app_id: str, tool_call_id: str, run_id: str) -> UiCallRecord | None:
        """Return one call of this UI, or None."""

    # ── asks from outside ──
    async def open_ask(self, app_id: str, new: NewAsk) -> AskOpened:
        """Open a chat, with a run that waits, and its card; or return the ask of this key, whose
        open card shows other words as its next revision. Raises InvalidInput,
        IdempotencyKeyReused."""

    async def ask(self, app_id: str, interaction_id: str) -> AskRecord | None:
        """Return this ask, or None."""

    async def asks(
        self,
        app_id: str,
        *,
        by: str | None = None,
        session: str | None = None,
        before: str | None = None,
        limit: int = 50,
    ) -> list[AskRecord]:
        """Return the asks of this asker, or of all, newest first; `before` is the id of the last
        one seen."""

    async def start_ask(
        self, app_id: str, interaction_id: str, start: AskStart, *, by: str
    ) -> AskMoved:
        """Use an approval: its attempt begins, once. An idempotent asker that has begun is let
        through. Raises NotFound, NotApproved, AlreadyStarted."""

    async def unclear_ask(self, app_id: str, interaction_id: str, *, error: str | None) -> AskMoved:
        """Ask a person what became of what was started. Changes nothing where that is known."""

    async def overdue_ask(self) -> AskMoved | None:
        """Do the same for one whose asker has not reported in the time it stated; None when there
        is none, of any tenant."""

    async def withdraw_ask(
        self, app_id: str, interaction_id: str, *, reason: str, by: str
    ) -> CancelledRun:
        """Withdraw an ask that is open, or an approval that is not used. Raises NotFound,
        AlreadySettled, AlreadyStarted."""

    async def claim_webhook(self, *, seconds: float) -> Webhook | None:
        """Claim the webhook that has been due longest, of any tenant; it is due again after this
        time, should nobody tell how its delivery ended."""

    async def next_webhook(self) -> float | None:
        """Return in how many seconds the next one is due; None where none is."""

    async def end_delivery(
        self,
        app_id: str,
        interaction_id: str,
        state: WebhookState,
        *,
        error: str | None = None,
        again_in: float | None = None,
    ) -> None:
        """Write how a delivery ended: done, due again, or given up, which the audit tells."""

    # ── beside the chat ──
    async def put_draft(self, app_id: str, draft: Draft) -> Frame | None:
        """Keep what a person has typed into a card; return None where it is no longer open."""

    async def drafts(self, app_id: str, chat_id: str, person: str) -> list[Draft]:
        """Return what this person has typed into cards that are open, or that have expired: it can
        still be sent as a message."""

    async def artifact(self, app_id: str, artifact_id: str) -> ArtifactItem | None:
        """Return the newest version of this artifact, or None."""

    async def put_artifact(
        self,
        app_id: str,
        artifact_id: str,
        *,
        content: JsonValue,
        title: str | None,
        if_version: int,
        by: str | None,
    ) -> tuple[ArtifactItem, Sequence[Frame]]:
        """Write a person's edit over the version they saw. Raises NotFound, VersionConflict."""

    async def tool_call(self, app_id: str, tool_call_id: str) -> ToolCallRecord | None:
        """Return a call as its chat tells it, with its newest effect; None where there is none."""

    async def set_chat_preference(
        self, app_id: str, chat_id: str, key: str, value: JsonValue, *, by: str | None
    ) -> Sequence[Frame]:
        """Set a preference of one chat, with its line in the audit. Raises NotFound."""

    async def chats_preferring(self, app_id: str, key: str, *, by: str) -> list[Head]:
        """Return the chats with a preference of this name that this person, or nobody in
        particular, has opened; the last changed first."""

    async def preferences(self, app_id: str, person: str) -> JsonObject:
        """Return a person's preferences, the same in all chats."""

    async def put_preferences(self, app_id: str, person: str, values: JsonObject) -> JsonObject:
        """Set these keys and keep the others; null removes a key. Return all of them."""

    # ── who is looking at what ──
    async def put_claim(self, app_id: str, claim: Claim, *, take_over: bool) -> Frame:
        """Keep who is looking at a card. Raises AlreadyClaimed where somebody else is, unless it is
        taken over; NotFound."""

    async def drop_claim(self, app_id: str, interaction_id: str, person: str) -> Frame:
        """End a claim that this person holds or gave; another's stays. Raises NotFound."""

    async def put_snooze(
        self, app_id: str, interaction_id: str, person: str, until: datetime
    ) -> Frame:
        """Put a card off for this person alone. Raises NotFound."""

    async def drop_snooze(self, app_id: str, interaction_id: str, person: str) -> Frame:
        """Have a card back. Raises NotFound."""

    async def attention(
        self, app_id: str, interaction_ids: Sequence[str], person: str
    ) -> Attention:
        """Return what holds now for these cards: their claims, and this person's snoozes."""

    async def count_snoozed(self, app_id: str, person: str) -> int:
        """Return how many waiting cards this person has put off."""

    # ── rules that people write ──
    async def put_rule(self, app_id: str, rule: StandingRule) -> None:
        """Write a rule, with its line in the audit. Raises InvalidInput where MOST_RULES hold."""

    async def revoke_rule(self, app_id: str, rule_id: str, *, by: str) -> StandingRule:
        """End a rule now; one that was revoked before stays as it is. Raises NotFound."""

    async def rules(self, app_id: str, *, limit: int = 200) -> list[StandingRule]:
        """Return the rules, also those that hold no longer; the newest first."""

    async def rules_in_force(self, app_id: str) -> list[StandingRule]:
        """Return the rules that hold now."""

    # ── where people who are away are told ──
    async def put_push_subscription(self, new: PushSubscription) -> None:
        """Keep this place, over what was kept of it; a person's oldest beyond MOST_BROWSERS is
        forgotten."""

    async def forget_push_subscription(
        self, app_id: str, subscription_id: str, person: str
    ) -> None:
        """Forget this place, if it is this person's."""

    async def push_subscriptions(self, app_id: str, person: str) -> list[PushSubscription]:
        """Return where this person is told, the first one first."""

    async def due_pushes(self, *, mail_after: float) -> DuePushes:
        """Return what every place, of any tenant, has yet to be told, and may be told now: outside
        its person's quiet hours, and by mail what has waited for these seconds."""

    async def take_push(self, notice: PushNotice, *, seconds: float) -> bool:
        """Keep others from telling this for so long; False where somebody has or did."""

    async def told_push(self, notice: PushNotice, *, rests: float) -> None:
        """Note that this place was told these cards, and is due again after these seconds at the
        soonest."""

    async def tell_push_later(self, app_id: str, subscription_id: str, *, again_in: float) -> None:
        """Note that telling failed; this place is due again after these seconds."""

    # ── browsers that are signed in ──
    async def keep_content(self, app_id: str, body: bytes) -> str:
        """Keep these bytes, once however often they are kept. Returns their digest."""

    async def content(self, app_id: str, digest: str) -> bytes | None:
        """Return what was kept under this digest, or None."""

    async def begin_sign_in(self, new: SignIn, length: SignInLength) -> None:
        """Keep a sign-in, and forget those that are over."""

    async def sign_in(self, sign_in_id: str) -> SignIn | None:
        """Return this sign-in, or None."""

    async def note_sign_in(self, sign_in_id: str, at: datetime) -> None:
        """Note that it was used; one that has been ended stays ended."""

    async def end_sign_in(self, sign_in_id: str) -> None:
        """Forget this sign-in."""

    # ── who allowed what ──
    async def audit(
        self,
        app_id: str,
        *,
        chat_id: str | None = None,
        before: int | None = None,
        limit: int = 100,
    ) -> list[AuditEntry]:
        """Return audit lines, newest first; `before` is the position of the last one seen."""

    async def verify_audit(self, app_id: str, *, against: KeptHead | None = None) -> AuditReport:
        """Check every seal, line and row of a tenant, and that its seals lead to a head that was
        kept elsewhere."""

    async def seal_audit(self) -> None:
        """Chain the heads of the chats that moved, of every tenant. Does nothing where none did."""

    async def sign_export(self, app_id: str, document: JsonObject) -> JsonObject:
        """Return the document with a signature of the audit's key."""

    async def check_export(self, app_id: str, document: JsonObject) -> ExportResult:
        """Return whether a document of this tenant is as it was signed."""

    async def audit_head(self, app_id: str) -> Seal | None:
        """Return the last seal."""
