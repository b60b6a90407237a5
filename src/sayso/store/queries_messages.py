"""A person's message, and what it means: a start, a place in the queue, an answer, a new turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import sqlalchemy as sa

from sayso.core.cards import CardKind, OptionsCard, RequirementsCard
from sayso.core.decisions import Settle, decide_answer
from sayso.core.digest import digest
from sayso.core.errors import MessageIdReused, NotFound, TaskIdReused
from sayso.core.events import ChatTitled, MessageStatus, MessageWritten, UiToolCompleted
from sayso.core.ids import derived_id
from sayso.core.interactions import (
    Interaction,
    InteractionResponse,
    InteractionState,
    InteractionType,
    ResponseData,
)
from sayso.core.ports import Clock
from sayso.core.sessions import Run, RunState
from sayso.core.transactions import Lease, NewMessage, Posted
from sayso.core.view import MessageItem
from sayso.store import tables
from sayso.store.children import children_of
from sayso.store.ending import cancel
from sayso.store.log import ChatLog
from sayso.store.rows import (
    CHAT_COLUMNS,
    ITEM_COLUMNS,
    RUN_COLUMNS,
    RunRow,
    chat_from,
    item_from,
    run_from,
    run_record,
)
from sayso.store.running import fence_of, knows, set_going, tell, with_lease
from sayso.store.script import Script, Statement, db_now, do, one, p, rows, word
from sayso.store.settling import pending_in, pending_of, settle
from sayso.store.starting import claimed_if_running

# What a sidebar shows in one or two lines.
LONGEST_TITLE = 60

_r, _c, _d, _m = tables.run.c, tables.chat.c, tables.message_dedupe.c, tables.item.c

_OPEN_RUN = Statement(
    sa.select(*RUN_COLUMNS)
    .where(
        _r.app_id == p("app"),
        _r.chat_id == p("chat"),
        _r.state.in_([word("ready"), word("running"), word("waiting")]),
        _r.parent_run_id.is_(None),
    )
    .with_for_update()
)
_RUN = Statement(
    sa.select(*RUN_COLUMNS).where(_r.app_id == p("app"), _r.id == p("run_id")).with_for_update()
)
_CHAT = Statement(
    sa.select(*CHAT_COLUMNS, db_now().label("db_now"))
    .where(_c.app_id == p("app"), _c.id == p("chat"))
    .with_for_update()
)
_SENT = Statement(
    sa.select(_d.message_id, _d.run_id, _d.digest).where(
        _d.app_id == p("app"), _d.chat_id == p("chat"), _d.client_message_id == p("client_id")
    )
)
_SAME_TASK = Statement(
    sa.select(_r.id, _r.message_id, _r.task_digest).where(
        _r.app_id == p("app"), _r.chat_id == p("chat"), _r.task_id == p("task_id")
    )
)
_RETRIES = Statement(
    sa.select(*RUN_COLUMNS).where(
        _r.app_id == p("app"),
        _r.chat_id == p("chat"),
        _r.state.in_([word("queued"), word("ready"), word("running"), word("waiting")]),
        _r.parent_run_id.is_(None),
    )
)
_ERROR_CARDS = (CardKind.CRITICAL_FAILURE.value, CardKind.RECOVERABLE_ERROR.value)
_CARDS = Statement(
    sa.select(*ITEM_COLUMNS).where(
        _m.app_id == p("app"),
        _m.chat_id == p("chat"),
        _m.kind == word("message"),
        _m.id.in_([p("one"), p("other")]),
    )
)
_REMEMBER = Statement(sa.insert(tables.message_dedupe))
_NEW_RUN = Statement(sa.insert(tables.run))


def post_message(
    clock: Clock, app_id: str, chat_id: str, message: NewMessage, lease: Lease | None
) -> Script[Posted]:
    found_run = yield from one(_OPEN_RUN, app=app_id, chat=chat_id)
    found = yield from one(_CHAT, app=app_id, chat=chat_id)
    if found is None:
        raise NotFound(f"There is no chat '{chat_id}'.")
    sent = yield from _sent_before(app_id, chat_id, message)
    if sent is None and message.retry_of is not None:
        sent = yield from _same_retry(app_id, chat_id, message)
    if sent is not None:
        return sent
    log = ChatLog(chat_from(found), clock.now())
    said = _Said(message, clock.new_id())
    open_run = run_from(found_run) if found_run is not None else None
    yield from _put_errors_away(log, message)
    if open_run is None:
        row = yield from _start(log, clock, said, lease, found["db_now"])
        return (yield from _posted(log, said, "started", row))
    pending = yield from pending_in(app_id, chat_id)
    if message.retry_of is not None:
        # A button on the card of an earlier run is no word to what is open now.
        row = yield from _queue(log, clock, said)
        return (yield from _posted(log, said, "queued", row))
    if message.supersede or _only_the_gate_waits(pending):
        yield from cancel(
            log,
            open_run,
            by=message.by,
            reason="A new message superseded it.",
            cards=InteractionState.SUPERSEDED,
        )
        row = yield from _start(log, clock, said, lease, found["db_now"])
        posted = yield from _posted(log, said, "superseded", row)
        return replace(posted, cancelled=fence_of(open_run.run), stopped=log.stopped)
    question = _the_free_question(log, pending, message)
    if question is not None:
        return (
            yield from _answer(log, said, open_run, question, lease=lease, time=found["db_now"])
        )
    row = yield from _queue(log, clock, said)
    return (yield from _posted(log, said, "queued", row))


def _put_errors_away(log: ChatLog, message: NewMessage) -> Script[None]:
    """A call that is tried again needs no second offer to try it again: its error cards fold."""
    if message.retry_of is None:
        return
    ids = [derived_id(message.retry_of, kind) for kind in _ERROR_CARDS]
    found = yield from rows(_CARDS, app=log.chat.app_id, chat=log.chat.id, one=ids[0], other=ids[1])
    for row in found:
        item = item_from(row)
        tool = item.metadata.get("ui_tool") if isinstance(item, MessageItem) else None
        if not isinstance(tool, dict) or tool.get("ui_tool_completed") is True:
            continue
        log.know(item)
        payload = tool.get("payload")
        title = payload.get("title") if isinstance(payload, dict) else None
        log.add(
            UiToolCompleted.model_validate(
                {
                    "eventId": item.id,
                    "ui_tool_id": tool.get("ui_tool_id"),
                    "display": tool.get("display"),
                    "status": "superseded",
                    "summary": f"{title or tool.get('ui_tool_id')} superseded: tried again",
                }
            ),
            by=message.by,
        )


class _Said:
    """The message as the chat will know it."""

    def __init__(self, message: NewMessage, message_id: str) -> None:
        self.message, self.id = message, message_id

    def written(self, run_id: str, status: MessageStatus, **metadata: str) -> MessageWritten:
        return MessageWritten(
            message_id=self.id,
            role="user",
            content=self.message.content,
            run_id=run_id,
            client_message_id=self.message.client_message_id,
            status=status,
            metadata={**self.message.metadata, **metadata},
        )

    @property
    def digest(self) -> str:
        return _digest_of(self.message)


def _digest_of(message: NewMessage) -> str:
    """Two messages with one id are the same message exactly when this is equal."""
    return digest({"content": message.content, "context": message.task.context})


def _sent_before(app_id: str, chat_id: str, message: NewMessage) -> Script[Posted | None]:
    """What became of the same message, or of the same task under another message id."""
    sent = yield from one(_SENT, app=app_id, chat=chat_id, client_id=message.client_message_id)
    if sent is not None:
        if sent["digest"] != _digest_of(message):
            raise MessageIdReused(
                f"The client_message_id '{message.client_message_id}' was used for other words."
            )
        return Posted(status="repeated", message_id=sent["message_id"], run_id=sent["run_id"])
    task = yield from one(_SAME_TASK, app=app_id, chat=chat_id, task_id=message.task.task_id)
    if task is None:
        return None
    if task["task_digest"] != message.task.content_digest():
        raise TaskIdReused(f"The task_id '{message.task.task_id}' was used for another task.")
    return Posted(status="repeated", message_id=task["message_id"], run_id=task["id"])


def _same_retry(app_id: str, chat_id: str, message: NewMessage) -> Script[Posted | None]:
    """The same call is being tried again already, or about to be: a second press of the button."""
    found = yield from rows(_RETRIES, app=app_id, chat=chat_id)
    for row in map(run_from, found):
        task = row.run.task
        if (task.task_type, task.context) == (message.task.task_type, message.task.context):
            assert row.message_id is not None
            return Posted(status="repeated", message_id=row.message_id, run_id=row.run.id)
    return None


def _start(
    log: ChatLog, clock: Clock, said: _Said, lease: Lease | None, time: int
) -> Script[RunRow]:
    run = _new_run(log, clock, said, RunState.READY)
    if lease is not None and knows(lease, run):
        run = with_lease(run, lease, time)
    row = RunRow(run=run, message_id=said.id, number=log.next_seq)
    log.add(said.written(run.id, MessageStatus.COMPLETE), by=said.message.by, new=True)
    tell(log, run)
    if not log.chat.head.title and (title := _title_from(said.message.content)):
        log.add(ChatTitled(title=title))
    yield from _insert(row)
    return row


def _title_from(words: str) -> str:
    """A chat that nobody named is called by the first line of what was asked first."""
    line = next((line.strip() for line in words.splitlines() if line.strip()), "")
    return line if len(line) <= LONGEST_TITLE else f"{line[: LONGEST_TITLE - 1].rstrip()}…"


def _queue(log: ChatLog, clock: Clock, said: _Said) -> Script[RunRow]:
    run = _new_run(log, clock, said, RunState.QUEUED)
    row = RunRow(run=run, message_id=said.id, number=log.next_seq)
    log.add(said.written(run.id, MessageStatus.QUEUED), by=said.message.by, new=True)
    yield from _insert(row)
    return row


def _new_run(log: ChatLog, clock: Clock, said: _Said, state: RunState) -> Run:
    return Run(
        id=clock.new_id(),
        app_id=log.chat.app_id,
        chat_id=log.chat.id,
        agent=log.chat.head.agent,
        task=said.message.task,
        state=state,
        created_at=log.now,
        updated_at=log.now,
        person=said.message.by,
    )


def _insert(row: RunRow) -> Script[None]:
    digest_of_task = row.run.task.content_digest()
    yield from do(_NEW_RUN, **run_record(row, task_digest=digest_of_task))


def _posted(log: ChatLog, said: _Said, status: str, row: RunRow) -> Script[Posted]:
    yield from _remember(log, said, row.run.id)
    frames = yield from log.flush()
    claimed = yield from claimed_if_running(log, row)
    return Posted(
        status=status, message_id=said.id, run_id=row.run.id, frames=frames, claimed=claimed
    )


def _remember(log: ChatLog, said: _Said, run_id: str) -> Script[None]:
    yield from do(
        _REMEMBER,
        app_id=log.chat.app_id,
        chat_id=log.chat.id,
        client_message_id=said.message.client_message_id,
        message_id=said.id,
        run_id=run_id,
        digest=said.digest,
    )


def _only_the_gate_waits(pending: Sequence[Interaction]) -> bool:
    """A card of the gate holds nobody's tongue: what is said beside it ("yes", "make it 12 days")
    is read with it, and opens it anew where that is needed."""
    return bool(pending) and all(isinstance(it.card, RequirementsCard) for it in pending)


def _the_free_question(
    log: ChatLog, pending: Sequence[Interaction], message: NewMessage
) -> tuple[Interaction, Settle] | None:
    """The one open question of the run or its children that plain words answer, if this person may
    answer it."""
    free = [it for it in pending if _is_free_question(it)]
    if len(free) != 1:
        return None
    it = free[0]
    if it.assignees and message.by not in it.assignees:
        return None
    response = InteractionResponse(
        interaction_id=it.id,
        approved=True,
        response_data=ResponseData(additional_notes=message.content),
    )
    decision = decide_answer(it, response, key=None, now=log.now)
    # Too late to be its answer: the timer settles the card, and the message waits its turn.
    return (it, decision) if isinstance(decision, Settle) else None


def _is_free_question(it: Interaction) -> bool:
    return (
        isinstance(it.card, OptionsCard)
        and it.card.is_free_question
        and it.type is InteractionType.USER_INPUT
    )


def _answer(
    log: ChatLog,
    said: _Said,
    root: RunRow,
    question: tuple[Interaction, Settle],
    *,
    lease: Lease | None,
    time: int,
) -> Script[Posted]:
    it, to = question
    by = said.message.by
    log.add(said.written(root.run.id, MessageStatus.COMPLETE, answers=it.id), by=by, new=True)
    asking = root
    if it.run_id != root.run.id:
        found = yield from one(_RUN, app=it.app_id, run_id=it.run_id)
        assert found is not None
        asking = run_from(found)
    goes_on = yield from _was_all(asking, it)
    starts = goes_on and knows(lease, asking.run)
    yield from settle(log, it, to, by=by, applied_fence=asking.run.fence + 1 if starts else None)
    if goes_on:
        asking = yield from set_going(log, asking, lease, time)
    elif asking.children:
        log.tree_moved = True
    yield from _remember(log, said, root.run.id)
    frames = yield from log.flush()
    claimed = yield from claimed_if_running(log, asking if goes_on else None)
    return Posted(
        status="answered",
        message_id=said.id,
        run_id=root.run.id,
        frames=frames,
        claimed=claimed,
    )


def _was_all(row: RunRow, it: Interaction) -> Script[bool]:
    """Whether the run that asked this goes on with its answer."""
    if row.run.state is not RunState.WAITING:
        return False
    if row.resume_each:
        return True
    pending = yield from pending_of(row.run)
    children = yield from children_of(row)
    return all(other.id == it.id for other in pending) and not any(c.is_open for c in children)
