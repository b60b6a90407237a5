"""Asks from outside: born waiting with their card, taken once, found unclear, withdrawn."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import cache

import sqlalchemy as sa

from sayso.core.asks import (
    ASK_AGENT,
    ASK_TASK,
    CARD_KEY,
    AskMoved,
    AskOpened,
    AskRecord,
    AskStart,
    AskState,
    NewAsk,
    Webhook,
    WebhookState,
    card_request,
    standing_arguments,
)
from sayso.core.decisions import already_settled
from sayso.core.digest import JsonObject, new_salt
from sayso.core.effects import (
    EffectEnd,
    EffectStart,
    EffectState,
    executed_digest,
    uncertain_request,
)
from sayso.core.errors import AlreadyStarted, NotApproved, NotFound
from sayso.core.events import ChatTitled, ToolCalled, ToolCallStatus, ToolReturned
from sayso.core.ids import derived_id
from sayso.core.interactions import CardRequest, Interaction
from sayso.core.messages import message
from sayso.core.ports import Clock
from sayso.core.record import Allowed
from sayso.core.sessions import Run, RunState
from sayso.core.store_results import CancelledRun
from sayso.core.tasks import TaskRequest, UniversalMessage
from sayso.store import tables
from sayso.store.chat_log import ChatLog
from sayso.store.codec import dump, instant
from sayso.store.mapping import (
    CHAT_COLUMNS,
    INTERACTION_COLUMNS,
    RUN_COLUMNS,
    RunRow,
    chat_from,
    interaction_from,
    run_from,
)
from sayso.store.moves.asks import end_newest, move_ask, newest_effect
from sayso.store.moves.cards import new_interaction, open_card, redraw_card
from sayso.store.moves.chats import open_chat
from sayso.store.moves.content import keep_files
from sayso.store.moves.effect_start import begin_attempt
from sayso.store.moves.run_end import cancel
from sayso.store.moves.runs import add_run_event, fence_of, insert_run, move
from sayso.store.moves.webhooks import WEBHOOK_COLUMNS, add_webhook, webhook_from
from sayso.store.search_text import like_pattern
from sayso.store.transaction import (
    Row,
    Statement,
    Transaction,
    db_now,
    execute,
    in_state,
    literal,
    one,
    param,
    rows,
)

_r, _i, _c, _w = tables.run.c, tables.interaction.c, tables.chat.c, tables.webhook.c

_IS_ASK = (_r.agent == literal(ASK_AGENT), _i.call_key == literal(CARD_KEY))
_CARD_OF_RUN = sa.and_(_i.app_id == _r.app_id, _i.run_id == _r.id)
_HOOK_OF_CARD = sa.and_(_w.app_id == _i.app_id, _w.interaction_id == _i.id)
_READ = (
    sa.select(*RUN_COLUMNS, *INTERACTION_COLUMNS, *WEBHOOK_COLUMNS)
    .join_from(tables.run, tables.interaction, _CARD_OF_RUN)
    .outerjoin(tables.webhook, _HOOK_OF_CARD)
)
_ONE = Statement(_READ.where(_i.app_id == param("app"), _i.id == param("interaction"), *_IS_ASK))
_LOCKED = (
    _READ.add_columns(*CHAT_COLUMNS, db_now().label("db_now"))
    .join(tables.chat, sa.and_(_c.app_id == _r.app_id, _c.id == _r.chat_id))
    .with_for_update(of=[tables.run, tables.interaction, tables.chat])
)
_LOCK_CARD = Statement(
    _LOCKED.where(_i.app_id == param("app"), _i.id == param("interaction"), *_IS_ASK)
)
_LOCK_RUN = Statement(_LOCKED.where(_r.app_id == param("app"), _r.id == param("run_id"), *_IS_ASK))
_OVERDUE = Statement(
    sa.select(_r.app_id, _r.id)
    .where(
        # As the partial index says it.
        in_state(_r.state, "ready", "running"),
        _r.state == literal("running"),
        _r.agent == literal(ASK_AGENT),
        _r.lease_until <= db_now(),
    )
    .order_by(_r.updated_at)
    .limit(1)
)
_RENEW = Statement(
    sa.update(tables.run)
    .where(_r.app_id == param("app"), _r.id == param("run_id"))
    .values(lease_until=db_now() + param("micros", sa.BigInteger))
)


def ask(app_id: str, interaction_id: str) -> Transaction[AskRecord | None]:
    found = yield from one(_ONE, app=app_id, interaction=interaction_id)
    return (yield from _record(found)) if found is not None else None


def asks(
    app_id: str,
    *,
    by: str | None = None,
    session: str | None = None,
    before: str | None = None,
    limit: int = 50,
) -> Transaction[list[AskRecord]]:
    # The session stands in the card as JSON, where other words may look like it.
    wanted = like_pattern(f'"session":{dump(session)}') if session is not None else None
    given = {"by": by, "session": f"%{wanted}%" if wanted else None, "before": before}
    params = {name: value for name, value in given.items() if value is not None}
    listed: list[AskRecord] = []
    for row in (yield from rows(_listed(frozenset(params)), app=app_id, most=limit, **params)):
        listed.append((yield from _record(row)))
    return listed


def open_ask(clock: Clock, app_id: str, new: NewAsk) -> Transaction[AskOpened]:
    run_id = new.run_id(clock.new_id())
    request = card_request(new.ask, call_id=derived_id(run_id, CARD_KEY))
    found = yield from one(_LOCK_RUN, app=app_id, run_id=run_id)
    if found is not None:
        return (yield from _open_again(clock, found, new, request))
    chat_id = run_id if new.key is None else derived_id(run_id, "chat")
    log = yield from open_chat(clock, app_id, chat_id=chat_id, agent=ASK_AGENT, by=new.by)
    run = _born(log, run_id, new)
    row = RunRow(run=run, number=log.next_seq)
    it = new_interaction(request, run, log, clock, batch_id=run_id)
    yield from keep_files(clock, app_id, [request])
    yield from insert_run(row)
    hook = yield from _add_webhook(it, new)
    if it.tool_call_id is not None:
        _show_call(log, it)
    yield from open_card(log, it, by=new.by)
    log.add(ChatTitled(title=new.ask.title))
    add_run_event(log, run)
    log.audit(
        "ask.opened",
        it.id,
        actor=new.by,
        body={
            "run_id": run.id,
            "title": it.title,
            "tool_name": it.tool_name,
            "shown_digest": it.digest,
            "asker": new.ask.asker.model_dump(),
        },
    )
    frames = yield from log.flush()
    return AskOpened(record=AskRecord(run=run, card=it, webhook=hook), is_new=True, frames=frames)


def start_ask(
    clock: Clock, app_id: str, interaction_id: str, start: AskStart, *, by: str
) -> Transaction[AskMoved]:
    found = yield from _locked(app_id, interaction_id)
    record = yield from _record(found)
    if record.state in (AskState.STARTED, AskState.UNKNOWN) and start.idempotent:
        if record.run.state is RunState.RUNNING:
            micros = int(start.seconds * 1_000_000)
            yield from execute(_RENEW, app=app_id, run_id=record.run.id, micros=micros)
        return AskMoved(record=record)
    if record.state is not AskState.APPROVED:
        raise _not_startable(record)
    log, row, it = ChatLog(chat_from(found), clock.now()), run_from(found), record.card
    until = instant(found["db_now"]) + timedelta(seconds=start.seconds)
    run = replace(
        row.run,
        state=RunState.RUNNING,
        owner=f"ask:{by}",
        fence=row.run.fence + 1,
        lease_until=until,
    )
    row = yield from move(log, row, run)
    arguments = standing_arguments(it)
    tool_name = it.tool_name or ""
    begun = EffectStart(
        key=CARD_KEY,
        attempt=record.next_attempt,
        tool_name=tool_name,
        arguments=arguments,
        tool_call_id=it.tool_call_id,
        shown_digest=it.digest,
        executed_digest=executed_digest(tool_name, arguments),
        allowed=Allowed(interaction_id=it.id),
    )
    assert (yield from begin_attempt(fence_of(row.run), begun, now=log.now))
    assert it.tool_call_id is not None
    log.add(
        ToolReturned(
            tool_call_id=it.tool_call_id, status=ToolCallStatus.RUNNING, arguments=arguments
        ),
        by=by,
    )
    add_run_event(log, row.run)
    log.audit(
        "ask.started",
        it.id,
        actor=by,
        body={"run_id": run.id, "attempt": begun.attempt, "executed_digest": begun.executed_digest},
    )
    frames = yield from log.flush()
    effect = yield from newest_effect(app_id, run.id)
    return AskMoved(record=replace(record, run=row.run, effect=effect), frames=frames)


def unclear_ask(
    clock: Clock, app_id: str, interaction_id: str, *, error: str | None
) -> Transaction[AskMoved]:
    found = yield from _locked(app_id, interaction_id)
    return (yield from _let_go(clock, found, error))


def overdue_ask(clock: Clock) -> Transaction[AskMoved | None]:
    due = yield from one(_OVERDUE)
    if due is None:
        return None
    found = yield from one(_LOCK_RUN, app=due["app_id"], run_id=due["id"])
    assert found is not None
    return (yield from _let_go(clock, found, message("effect.not_reported")))


def withdraw_ask(
    clock: Clock, app_id: str, interaction_id: str, *, reason: str, by: str
) -> Transaction[CancelledRun]:
    found = yield from _locked(app_id, interaction_id)
    record = yield from _record(found)
    if record.run.state is RunState.CANCELLED:
        return CancelledRun(run=record.run)
    if record.effect is not None:
        raise _not_startable(record)
    if record.run.state.is_final:
        raise already_settled(record.card)
    log = ChatLog(chat_from(found), clock.now())
    ended = yield from cancel(log, run_from(found), by=by, reason=reason)
    frames = yield from log.flush()
    return CancelledRun(run=ended.run, frames=frames)


@cache
def _listed(given: frozenset[str]) -> Statement:
    query = _READ.where(_i.app_id == param("app"), *_IS_ASK)
    if "by" in given:
        query = query.where(_r.person == param("by"))
    if "session" in given:
        query = query.where(_i.card.like(param("session"), escape="\\"))
    if "before" in given:
        last = tables.interaction.alias("last")
        cursor = sa.select(last.c.created_at, last.c.id).where(
            last.c.app_id == param("app"), last.c.id == param("before")
        )
        query = query.where(sa.tuple_(_i.created_at, _i.id) < cursor.scalar_subquery())
    return Statement(
        query.order_by(_i.created_at.desc(), _i.id.desc()).limit(param("most", sa.Integer))
    )


def _open_again(
    clock: Clock, found: Row, new: NewAsk, request: CardRequest
) -> Transaction[AskOpened]:
    """Return the ask of this key; other words make an open card's next revision."""
    record = yield from _record(found)
    new.check_is(record.run)
    if record.state is not AskState.PENDING:
        return AskOpened(record=record, is_new=False)
    it = record.card.asked_again(request, salt=new_salt())
    if it == record.card:
        return AskOpened(record=record, is_new=False)
    log = ChatLog(chat_from(found), clock.now())
    yield from keep_files(clock, it.app_id, [request])
    yield from redraw_card(log, it, by=new.by)
    if new.ask.title != log.chat.head.title:
        log.add(ChatTitled(title=new.ask.title))
    frames = yield from log.flush()
    return AskOpened(record=replace(record, card=it), is_new=False, frames=frames)


def _let_go(clock: Clock, found: Row, error: str | None) -> Transaction[AskMoved]:
    """Ask a person what became of what an asker started and does not tell. Where it has told, end
    the run."""
    record = yield from _record(found)
    log, row = ChatLog(chat_from(found), clock.now()), run_from(found)
    if record.run.state is not RunState.RUNNING or record.effect is None:
        return AskMoved(record=record)
    effect = record.effect
    if effect.state is not EffectState.STARTED:
        row = yield from move_ask(log, row, RunState.COMPLETED)
        frames = yield from log.flush()
        return AskMoved(record=replace(record, run=row.run), frames=frames)
    call_id = record.card.tool_call_id
    end = EffectEnd(state=EffectState.UNCERTAIN, error=error)
    yield from end_newest(log, row.run, effect, end, call_id=call_id)
    request = uncertain_request(
        effect,
        message("effect.was_approved", tool=effect.tool_name),
        arguments=effect.arguments,
        agent_name=record.card.agent_name,
        call_id=call_id,
    )
    request = replace(request, assignees=record.card.assignees)
    it = new_interaction(request, row.run, log, clock, batch_id=row.run.id)
    yield from open_card(log, it)
    row = yield from move_ask(log, row, RunState.WAITING)
    frames = yield from log.flush()
    effect = replace(effect, state=EffectState.UNCERTAIN, error=error, ended_at=log.now)
    return AskMoved(record=replace(record, run=row.run, effect=effect), frames=frames)


def _born(log: ChatLog, run_id: str, new: NewAsk) -> Run:
    kept: JsonObject = {"kind": new.ask.kind.value, "binding": new.ask.binding}
    task = TaskRequest(
        task_id=new.key or run_id,
        task_type=ASK_TASK,
        messages=[UniversalMessage(role="user", content=new.ask.title)],
        context={ASK_TASK: kept},
    )
    return Run(
        id=run_id,
        app_id=log.chat.app_id,
        chat_id=log.chat.id,
        agent=ASK_AGENT,
        task=task,
        state=RunState.WAITING,
        created_at=log.now,
        updated_at=log.now,
        person=new.by,
    )


def _show_call(log: ChatLog, it: Interaction) -> None:
    assert it.tool_call_id is not None
    log.add(
        ToolCalled(
            tool_call_id=it.tool_call_id,
            name=it.tool_name or "",
            arguments=standing_arguments(it),
            run_id=it.run_id,
            agent_name=it.agent_name,
        ),
        new=True,
    )
    log.add(ToolReturned(tool_call_id=it.tool_call_id, status=ToolCallStatus.WAITING))


def _add_webhook(it: Interaction, new: NewAsk) -> Transaction[Webhook | None]:
    if new.callback_url is None:
        return None
    hook = Webhook(
        app_id=it.app_id,
        interaction_id=it.id,
        url=new.callback_url,
        state=WebhookState.WAITING,
        attempts=0,
        created_at=it.created_at,
    )
    yield from add_webhook(hook)
    return hook


def _locked(app_id: str, interaction_id: str) -> Transaction[Row]:
    found = yield from one(_LOCK_CARD, app=app_id, interaction=interaction_id)
    if found is None:
        raise NotFound(f"There is no ask '{interaction_id}'.")
    return found


def _record(found: Row) -> Transaction[AskRecord]:
    run, it = run_from(found).run, interaction_from(found)
    # Before its first start there is no attempt.
    effect = (yield from newest_effect(run.app_id, run.id)) if run.fence else None
    hook = webhook_from(found) if found["w_url"] is not None else None
    return AskRecord(run=run, card=it, effect=effect, webhook=hook)


def _not_startable(record: AskRecord) -> AlreadyStarted | NotApproved:
    told = {"state": record.state.value, "outcome": record.card.settlement()}
    if record.effect is None:
        return NotApproved(
            f"The ask '{record.card.id}' is {record.state.value}: there is no yes to use.",
            context=told,
        )
    effect = record.effect
    return AlreadyStarted(
        f"The approval '{record.card.id}' was used at {effect.started_at.isoformat()}.",
        context={**told, "result": effect.result, "error": effect.error},
    )
