"""A person's message, and what it means: a start, a place in the queue, an answer, a new turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import sqlalchemy as sa

from sayso.core import messages as texts
from sayso.core.asks import ASK_AGENT
from sayso.core.cards import Card, FormCard, OptionsCard, RequirementsCard
from sayso.core.decisions import Settle, decide_answer
from sayso.core.errors import NotSupportedError
from sayso.core.events import ChatTitled, MessageStatus, MessageWritten
from sayso.core.fitting import check_answer
from sayso.core.interactions import (
    Interaction,
    InteractionResponse,
    InteractionState,
    InteractionType,
    ResponseData,
)
from sayso.core.ports import Clock
from sayso.core.sessions import Run, RunState
from sayso.core.store_results import Lease, NewMessage, Posted
from sayso.core.ui_calls import is_of_ui
from sayso.store.chat_log import OPEN_ROOT, ChatLog
from sayso.store.mapping import RUN_COLUMNS, RunRow, chat_from, run_from
from sayso.store.moves.cards import pending_in
from sayso.store.moves.chats import lock_chat
from sayso.store.moves.error_cards import fold_error_cards
from sayso.store.moves.repeated_messages import already_posted, remember_message
from sayso.store.moves.resume import settle_and_resume
from sayso.store.moves.run_end import cancel
from sayso.store.moves.runs import add_run_event, begun, fence_of, insert_run, lock_run
from sayso.store.moves.segment_start import claimed_if_running
from sayso.store.transaction import Statement, Transaction, one

# What a sidebar shows in one or two lines.
LONGEST_TITLE = 60

_OPEN_RUN = Statement(sa.select(*RUN_COLUMNS).where(OPEN_ROOT).with_for_update())


def post_message(
    clock: Clock, app_id: str, chat_id: str, message: NewMessage, lease: Lease | None
) -> Transaction[Posted]:
    found_run = yield from one(_OPEN_RUN, app=app_id, chat=chat_id)
    found = yield from lock_chat(app_id, chat_id)
    if found["c_agent"] == ASK_AGENT:
        raise NotSupportedError(
            "Nobody reads messages in the chat of an ask.", fix="Answer its card, or dismiss it."
        )
    posted = yield from already_posted(app_id, chat_id, message)
    if posted is not None:
        return posted
    log = ChatLog(chat_from(found), clock.now())
    said = _UserMessage(message, clock.new_id())
    open_run = run_from(found_run) if found_run is not None else None
    if message.retry_of is not None:
        yield from fold_error_cards(log, message.retry_of, by=message.by)
    if open_run is None:
        row = yield from _start(log, clock, said, lease, found["db_now"])
        return (yield from _posted(log, said, "started", row))
    if message.retry_of is not None:
        # A button on the card of an earlier run is no word to what is open now.
        return (yield from _queue(log, clock, said))
    # A card of a tool's own UI is no business of the chat's run.
    pending = [it for it in (yield from pending_in(app_id, chat_id)) if not is_of_ui(it.task_id)]
    if message.supersede or _only_the_gate_waits(pending):
        yield from cancel(
            log,
            open_run,
            by=message.by,
            reason=texts.message("run.superseded"),
            cards=InteractionState.SUPERSEDED,
        )
        row = yield from _start(log, clock, said, lease, found["db_now"])
        posted = yield from _posted(log, said, "superseded", row)
        return replace(posted, cancelled=fence_of(open_run.run), stopped=log.stopped)
    question = _the_free_question(clock, pending, message)
    if question is not None:
        return (
            yield from _answer(log, said, open_run, question, lease=lease, time=found["db_now"])
        )
    return (yield from _queue(log, clock, said))


class _UserMessage:
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


def _start(
    log: ChatLog, clock: Clock, said: _UserMessage, lease: Lease | None, time: int
) -> Transaction[RunRow]:
    run = begun(_new_run(log, clock, said, RunState.READY), lease, time)
    row = RunRow(run=run, message_id=said.id, number=log.next_seq)
    log.add(said.written(run.id, MessageStatus.COMPLETE), by=said.message.by, new=True)
    add_run_event(log, run)
    if not log.chat.head.title and (title := _title_from(said.message.content)):
        log.add(ChatTitled(title=title))
    yield from insert_run(row)
    return row


def _title_from(words: str) -> str:
    """Return the first line of what was asked first, as a sentence: the title of a chat that nobody
    named."""
    line = next((line.strip() for line in words.splitlines() if line.strip()), "")
    line = line[:1].upper() + line[1:]
    return line if len(line) <= LONGEST_TITLE else f"{line[: LONGEST_TITLE - 1].rstrip()}…"


def _queue(log: ChatLog, clock: Clock, said: _UserMessage) -> Transaction[Posted]:
    run = _new_run(log, clock, said, RunState.QUEUED)
    row = RunRow(run=run, message_id=said.id, number=log.next_seq)
    log.add(said.written(run.id, MessageStatus.QUEUED), by=said.message.by, new=True)
    yield from insert_run(row)
    return (yield from _posted(log, said, "queued", row))


def _new_run(log: ChatLog, clock: Clock, said: _UserMessage, state: RunState) -> Run:
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


def _posted(log: ChatLog, said: _UserMessage, status: str, row: RunRow) -> Transaction[Posted]:
    yield from remember_message(log, said.message, message_id=said.id, run_id=row.run.id)
    frames = yield from log.flush()
    claimed = yield from claimed_if_running(log, row)
    return Posted(
        status=status, message_id=said.id, run_id=row.run.id, frames=frames, claimed=claimed
    )


def _only_the_gate_waits(pending: Sequence[Interaction]) -> bool:
    """Return whether nothing but cards of the gate is open. Such a card does not block other
    messages: what is said beside it ("yes", "make it 12 days") is read with it, and opens it anew
    where that is needed."""
    return bool(pending) and all(_is_of_the_gate(it.card) for it in pending)


def _is_of_the_gate(card: Card) -> bool:
    return isinstance(card, RequirementsCard) or (
        isinstance(card, FormCard) and card.for_gate is True
    )


def _the_free_question(
    clock: Clock, pending: Sequence[Interaction], message: NewMessage
) -> tuple[Interaction, Settle] | None:
    """Return the one open question of the run or its children that plain words answer, if this
    person may answer it."""
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
        # Words in a chat are to the question as it stands there.
        metadata={"digest": it.digest} if it.digest is not None else {},
    )
    if check_answer(it.card, response, reason_required=False):
        return None
    decision = decide_answer(it, response, key=None, now=clock.steady())
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
    said: _UserMessage,
    root: RunRow,
    question: tuple[Interaction, Settle],
    *,
    lease: Lease | None,
    time: int,
) -> Transaction[Posted]:
    it, to = question
    by = said.message.by
    log.add(said.written(root.run.id, MessageStatus.COMPLETE, answers=it.id), by=by, new=True)
    asking = root
    if it.run_id != root.run.id:
        found = yield from lock_run(it.app_id, it.run_id)
        assert found is not None
        asking = found
    yield from remember_message(log, said.message, message_id=said.id, run_id=root.run.id)
    settled = yield from settle_and_resume(log, asking, it, to, by=by, lease=lease, time=time)
    return Posted(
        status="answered",
        message_id=said.id,
        run_id=root.run.id,
        frames=settled.frames,
        claimed=settled.claimed,
    )
