"""A person ends the open run of a chat: the run alone, or with all that was known of its
requirements; or takes back words whose run has not begun."""

from __future__ import annotations

import sqlalchemy as sa

from sayso.core.errors import AlreadySettled, Forbidden, NotFound
from sayso.core.ports import Clock, Forget
from sayso.core.sessions import RunState
from sayso.core.store_results import CancelledRun, Lease
from sayso.store import tables
from sayso.store.chat_log import OPEN_ROOT, ChatLog
from sayso.store.mapping import RunRow, chat_from, run_from
from sayso.store.moves.chats import add_requirements, log_of
from sayso.store.moves.run_end import cancel, start_next
from sayso.store.moves.runs import fence_of, lock_with_chat
from sayso.store.moves.segment_start import claimed_if_running
from sayso.store.transaction import Statement, Transaction, one, param

_r = tables.run.c

_OPEN_OF_CHAT = Statement(sa.select(_r.id).where(OPEN_ROOT))
_RUN_OF_MESSAGE = Statement(
    sa.select(_r.id).where(
        _r.app_id == param("app"),
        _r.chat_id == param("chat"),
        _r.message_id == param("message"),
    )
)
_CHAT_EXISTS = Statement(
    sa.select(tables.chat.c.id).where(
        tables.chat.c.app_id == param("app"), tables.chat.c.id == param("chat")
    )
)


def cancel_run(
    clock: Clock,
    app_id: str,
    *,
    reason: str,
    by: str | None,
    chat_id: str | None = None,
    run_id: str | None = None,
    lease: Lease | None = None,
) -> Transaction[CancelledRun]:
    wanted = run_id
    if wanted is None:
        wanted = yield from _open_run_of(app_id, chat_id or "")
        if wanted is None:
            return CancelledRun(run=None)
    found = yield from lock_with_chat(app_id, wanted)
    if chat_id is not None and found["r_chat_id"] != chat_id:
        raise NotFound(f"There is no run '{wanted}'.")
    row = run_from(found)
    if row.run.state.is_final:
        return CancelledRun(run=None)
    log = ChatLog(chat_from(found), clock.now())
    ended = yield from cancel(log, row, by=by, reason=reason)
    return (yield from _finish_cancelling(log, row, ended, lease, found["db_now"]))


def withdraw_message(
    clock: Clock, app_id: str, chat_id: str, message_id: str, *, by: str | None
) -> Transaction[CancelledRun]:
    said = yield from one(_RUN_OF_MESSAGE, app=app_id, chat=chat_id, message=message_id)
    if said is None:
        raise NotFound(f"There are no words '{message_id}' that started a run in this chat.")
    found = yield from lock_with_chat(app_id, said["id"])
    row = run_from(found)
    if row.run.person != by:
        raise Forbidden("Only who wrote these words may take them back.")
    if row.run.state is not RunState.QUEUED:
        raise AlreadySettled("These words wait no more.", fix="Stop the run, or write again.")
    log = ChatLog(chat_from(found), clock.now())
    withdrawn = yield from cancel(log, row, by=by, reason="withdrawn")
    return CancelledRun(run=withdrawn.run, frames=(yield from log.flush()))


def start_over(
    clock: Clock,
    app_id: str,
    chat_id: str,
    forget: Forget,
    *,
    reason: str,
    by: str | None,
    lease: Lease | None = None,
) -> Transaction[CancelledRun]:
    wanted = yield from _open_run_of(app_id, chat_id)
    if wanted is None:
        log = yield from log_of(clock, app_id, chat_id)
        add_requirements(log, forget(log.chat.head.requirements), by=by)
        return CancelledRun(run=None, frames=(yield from log.flush()))
    found = yield from lock_with_chat(app_id, wanted)
    row = run_from(found)
    log = ChatLog(chat_from(found), clock.now())
    ended = yield from cancel(log, row, by=by, reason=reason)
    # Before the next one begins: it is read against what is left.
    add_requirements(log, forget(log.chat.head.requirements), by=by)
    return (yield from _finish_cancelling(log, row, ended, lease, found["db_now"]))


def _finish_cancelling(
    log: ChatLog, row: RunRow, ended: RunRow, lease: Lease | None, time: int
) -> Transaction[CancelledRun]:
    """Write the end of a run, with what starts in the place of an open one."""
    following = None
    if row.run.state.is_open:
        following = yield from start_next(log, row.run, lease, time)
    frames = yield from log.flush()
    claimed = yield from claimed_if_running(log, following)
    return CancelledRun(
        run=ended.run,
        fence=fence_of(row.run) if row.run.state is RunState.RUNNING else None,
        frames=frames,
        next_run_id=following.run.id if following else None,
        claimed=claimed,
        stopped=log.stopped,
    )


def _open_run_of(app_id: str, chat_id: str) -> Transaction[str | None]:
    row = yield from one(_OPEN_OF_CHAT, app=app_id, chat=chat_id)
    if row is not None:
        return str(row["id"])
    if (yield from one(_CHAT_EXISTS, app=app_id, chat=chat_id)) is None:
        raise NotFound(f"There is no chat '{chat_id}'.")
    return None
