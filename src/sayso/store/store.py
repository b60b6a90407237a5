"""The Store port on a database: each verb of `sayso.core.ports`, bound once."""

from __future__ import annotations

import asyncio
from pathlib import Path

from sayso.clock import SystemClock, steady_time
from sayso.core.audit import AuditKeys
from sayso.core.ports import Clock
from sayso.store import verbs
from sayso.store.binding import (
    read,
    read_with_clock,
    write,
    write_blocking,
    write_in_time,
    write_with_clock,
)
from sayso.store.codec import micros
from sayso.store.moves import content as contents
from sayso.store.moves import open_texts as texts_of
from sayso.store.moves import segment_start
from sayso.store.sqlite import SqliteDriver
from sayso.store.transaction import Driver


class SqlStore:
    """The rows, on SQLite: `SqlStore.sqlite(path)`, or `SqlStore.in_memory()`."""

    def __init__(self, driver: Driver, clock: Clock) -> None:
        self.driver, self.clock = driver, clock

    @classmethod
    def sqlite(
        cls, path: Path, *, clock: Clock | None = None, keys: AuditKeys | None = None
    ) -> SqlStore:
        """Return a store on this file, which is made with its folder where there is none. Without
        `keys` its audit is written with a key that ends with this object; `app.open_store` gives
        the user's."""
        return cls._on_sqlite(path, clock, keys)

    @classmethod
    def in_memory(cls, *, clock: Clock | None = None) -> SqlStore:
        """Return a store that keeps nothing beyond the process, for tests and for a library."""
        return cls._on_sqlite(None, clock, None)

    @classmethod
    def _on_sqlite(cls, path: Path | None, clock: Clock | None, keys: AuditKeys | None) -> SqlStore:
        chosen = clock or SystemClock()
        return cls(SqliteDriver(path, time=lambda: micros(chosen.steady()), keys=keys), chosen)

    async def open(self) -> None:
        await asyncio.to_thread(self.driver.open)
        if isinstance(self.clock, SystemClock) and (boot_id := steady_time.boot_id) is not None:
            since = verbs.boot.count_from(boot_id, steady_time.anchor_micros)
            steady_time.keep(await self.driver.write(since))

    async def close(self) -> None:
        await asyncio.to_thread(self.driver.close)

    async def check(self) -> None:
        await self.driver.check(verbs.boot.touch)

    def look(self) -> None:
        self.driver.look()

    def hold_worker_role(self) -> bool:
        return self.driver.hold_worker_role()

    async def others_wrote(self) -> bool:
        return await self.driver.others_wrote()

    # ── chats ──
    create_chat = write_with_clock(verbs.chats.create_chat)
    rename_chat = write_with_clock(verbs.chats.rename_chat)
    list_chats = read(verbs.chats.list_chats)
    chat_titles = read(verbs.chats.chat_titles)
    load_view = read(verbs.chats.load_view)
    events_after = read(verbs.chats.events_after)
    last_events = read(verbs.chats.last_events)
    open_texts = read(texts_of.open_texts)
    set_chat_preference = write_with_clock(verbs.chats.set_chat_preference)
    chats_preferring = read(verbs.chats.chats_preferring)

    # ── runs ──
    post_message = write_with_clock(verbs.messages.post_message)
    run = read(verbs.runs.run)
    open_runs = read(verbs.runs.open_runs)
    history = read(segment_start.history)
    family = read(verbs.runs.family)
    claim = write_with_clock(verbs.runs.claim)
    claim_due = write_with_clock(verbs.runs.claim_due)
    renew_blocking = write_blocking(verbs.runs.renew)
    record = write_with_clock(verbs.runs.record)
    keep_texts = write(texts_of.keep_texts)
    wait = write_with_clock(verbs.suspend.wait)
    finish = write_with_clock(verbs.runs.finish)
    postpone = write_with_clock(verbs.retries.postpone)
    seconds_to_next_due = read(verbs.retries.seconds_to_next_due)
    retry_run = write_with_clock(verbs.retries.retry_run)
    cancel_run = write_with_clock(verbs.cancel.cancel_run)
    withdraw_message = write_with_clock(verbs.cancel.withdraw_message)
    start_over = write_with_clock(verbs.cancel.start_over)

    # ── calls of tools' own UIs ──
    open_ui_call = write_with_clock(verbs.ui_calls.open_ui_call)
    open_ui_calls = read(verbs.ui_calls.open_ui_calls)
    ui_call = read(verbs.ui_calls.ui_call)

    # ── effects and requirements ──
    start_effect = write_with_clock(verbs.effects.start_effect)
    end_effect = write_with_clock(verbs.effect_end.end_effect)
    effect_under = read(verbs.effects.effect_under)
    tool_call = read(verbs.effects.tool_call)
    requirements = read(verbs.chats.requirements)
    change_requirements = write_with_clock(verbs.chats.change_requirements)

    # ── interactions ──
    answer = write_in_time(verbs.answers.answer)
    dismiss = write_in_time(verbs.answers.dismiss)
    extend = write_in_time(verbs.answers.extend)
    expire_one = write(verbs.answers.expire_one)
    expire_now = write_with_clock(verbs.answers.expire_now)
    next_expiry = read(verbs.answers.next_expiry)
    interaction = read(verbs.inbox.interaction)
    interactions = read(verbs.inbox.interactions)
    chosen_by = read(verbs.inbox.chosen_by)
    count_pending = read(verbs.inbox.count_pending)
    accounts = read(verbs.accounts.accounts)

    # ── who is looking at what ──
    put_claim = write_with_clock(verbs.attention.put_claim)
    drop_claim = write(verbs.attention.drop_claim)
    put_snooze = write_with_clock(verbs.attention.put_snooze)
    drop_snooze = write(verbs.attention.drop_snooze)
    attention = read_with_clock(verbs.attention.attention)
    count_snoozed = read_with_clock(verbs.attention.count_snoozed)

    # ── asks from outside ──
    open_ask = write_with_clock(verbs.asks.open_ask)
    ask = read(verbs.asks.ask)
    asks = read(verbs.asks.asks)
    start_ask = write_with_clock(verbs.asks.start_ask)
    unclear_ask = write_with_clock(verbs.asks.unclear_ask)
    overdue_ask = write_with_clock(verbs.asks.overdue_ask)
    withdraw_ask = write_with_clock(verbs.asks.withdraw_ask)
    claim_webhook = write(verbs.webhooks.claim_webhook)
    next_webhook = read(verbs.webhooks.next_webhook)
    end_delivery = write_with_clock(verbs.webhooks.end_delivery)

    # ── beside the chat ──
    put_draft = write_with_clock(verbs.personal.put_draft)
    drafts = read(verbs.personal.drafts)
    artifact = read(verbs.artifacts.artifact)
    put_artifact = write_with_clock(verbs.artifacts.put_artifact)
    preferences = read(verbs.personal.preferences)
    put_preferences = write_with_clock(verbs.personal.put_preferences)

    keep_content = write_with_clock(contents.keep_content)
    content = read(contents.content)

    # ── rules that people write ──
    put_rule = write_with_clock(verbs.standing_rules.put_rule)
    revoke_rule = write_with_clock(verbs.standing_rules.revoke_rule)
    rules = read(verbs.standing_rules.rules)
    rules_in_force = read_with_clock(verbs.standing_rules.rules_in_force)

    # ── where people who are away are told ──
    put_push_subscription = write(verbs.pushes.put_push_subscription)
    forget_push_subscription = write(verbs.pushes.forget_push_subscription)
    push_subscriptions = read(verbs.pushes.push_subscriptions)
    due_pushes = read_with_clock(verbs.pushes.due_pushes)
    take_push = write_with_clock(verbs.pushes.take_push)
    told_push = write_with_clock(verbs.pushes.told_push)
    tell_push_later = write_with_clock(verbs.pushes.tell_push_later)

    # ── browsers that are signed in ──
    begin_sign_in = write(verbs.sign_ins.begin_sign_in)
    sign_in = read(verbs.sign_ins.sign_in)
    note_sign_in = write(verbs.sign_ins.note_sign_in)
    end_sign_in = write(verbs.sign_ins.end_sign_in)

    # ── who allowed what ──
    audit = read(verbs.audit.audit)
    verify_audit = read_with_clock(verbs.audit_check.verify_audit)
    audit_head = read(verbs.audit.last_seal)
    sign_export = read(verbs.audit.sign_export)
    check_export = read(verbs.audit.check_export)

    async def seal_audit(self) -> None:
        if await self.driver.read(verbs.audit.is_behind()):
            await self.driver.write(verbs.audit.seal_what_moved(self.clock.now()))
