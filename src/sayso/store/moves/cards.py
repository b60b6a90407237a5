"""One interaction opens, and leaves `pending` once: by compare-and-set, with its event and audit
line."""

from __future__ import annotations

from dataclasses import replace

import sqlalchemy as sa
from pydantic import ValidationError

from sayso.core.decisions import Settle, expiry_of, settled_summary, tool_to_remember
from sayso.core.digest import JsonObject, new_salt
from sayso.core.errors import InvalidInput, StoreBusy
from sayso.core.events import (
    EventData,
    UiToolCompleted,
    UiToolDismissed,
    UiToolExpired,
    UiToolOpened,
)
from sayso.core.interactions import (
    CardRequest,
    Interaction,
    InteractionResponse,
    InteractionState,
)
from sayso.core.ports import Clock
from sayso.core.requirements import SpokenYes
from sayso.core.sessions import Run
from sayso.store import audited_rows, tables
from sayso.store.chat_log import ChatLog
from sayso.store.mapping import (
    ASKED,
    INTERACTION_COLUMNS,
    SETTLED,
    interaction_from,
    interaction_record,
    values_of,
)
from sayso.store.moves.chats import set_preference
from sayso.store.moves.webhooks import tell_answer
from sayso.store.transaction import (
    Statement,
    Transaction,
    db_now,
    execute,
    literal,
    one,
    param,
    rows,
    update,
)

_i = tables.interaction.c

_THIS_ONE = (_i.app_id == param("app"), _i.id == param("interaction"))
_STILL_PENDING = (*_THIS_ONE, _i.state == literal("pending"))

_OPEN = Statement(sa.insert(tables.interaction))
_REDRAW = Statement(update(tables.interaction, ASKED).where(*_STILL_PENDING))
_SETTLE = Statement(
    update(tables.interaction, SETTLED)
    .where(*_STILL_PENDING)
    .returning(*audited_rows.INTERACTION_COLUMNS)
)
_SETTLE_OVERDUE = Statement(
    update(tables.interaction, SETTLED)
    .where(*_STILL_PENDING, _i.expires_at <= db_now())
    .returning(*audited_rows.INTERACTION_COLUMNS)
)
_SETTLE_IN_WORDS = Statement(
    update(tables.interaction, SETTLED)
    .where(*_THIS_ONE, _i.state == literal("superseded"))
    .returning(*audited_rows.INTERACTION_COLUMNS)
)
_SUPERSEDED = Statement(
    sa.select(*INTERACTION_COLUMNS).where(
        *_THIS_ONE, _i.chat_id == param("chat"), _i.state == literal("superseded")
    )
)
_IN_ORDER = sa.select(*INTERACTION_COLUMNS).order_by(_i.opened_seq).with_for_update()
_OF_RUN = _IN_ORDER.where(_i.app_id == param("app"), _i.run_id == param("run_id"))
OF_RUN = Statement(_OF_RUN)
PENDING_OF_RUN = Statement(_OF_RUN.where(_i.state == literal("pending")))
_PENDING_IN_CHAT = Statement(
    _IN_ORDER.where(
        _i.app_id == param("app"), _i.chat_id == param("chat"), _i.state == literal("pending")
    )
)


def pending_of(run: Run) -> Transaction[list[Interaction]]:
    found = yield from rows(PENDING_OF_RUN, app=run.app_id, run_id=run.id)
    return [interaction_from(row) for row in found]


def pending_in(app_id: str, chat_id: str) -> Transaction[list[Interaction]]:
    """Return the open cards of a chat: of its open run and that run's children."""
    found = yield from rows(_PENDING_IN_CHAT, app=app_id, chat=chat_id)
    return [interaction_from(row) for row in found]


def new_interaction(
    request: CardRequest,
    run: Run,
    log: ChatLog,
    clock: Clock,
    *,
    batch_id: str,
    revision: int = 1,
) -> Interaction:
    """Return the pending interaction that this request opens."""
    it = request.opened(
        interaction_id=clock.new_id(),
        app_id=run.app_id,
        chat_id=run.chat_id,
        run_id=run.id,
        task_id=run.task.task_id,
        batch_id=batch_id,
        now=log.now,
        steady=clock.steady(),
        salt=new_salt(),
        revision=revision,
    )
    _check_expiry(it)
    return it


def open_card(
    log: ChatLog, it: Interaction, *, by: str | None = None, metadata: JsonObject | None = None
) -> Transaction[None]:
    """Write a new card, and tell it."""
    yield from execute(_OPEN, **interaction_record(it, opened_seq=log.next_seq))
    log.add(opened_event(it, metadata), by=by, new=True)


def redraw_card(log: ChatLog, it: Interaction, *, by: str | None) -> Transaction[None]:
    """Write an open card that is asked again in other words, and tell it."""
    yield from execute(_REDRAW, app=it.app_id, interaction=it.id, **values_of(ASKED, it))
    log.add(opened_event(it), by=by)


def opened_event(it: Interaction, metadata: JsonObject | None = None) -> UiToolOpened:
    return UiToolOpened(
        ui_tool_id=it.ui_tool_id,
        eventId=it.id,
        workflow_name=it.agent_name,
        display=it.display,
        payload=it.payload,
        metadata=metadata or None,
    )


def settle(
    log: ChatLog,
    it: Interaction,
    to: Settle,
    *,
    by: str | None,
    key: str | None = None,
    applied_fence: int | None = None,
    reason: str | None = None,
    overdue: bool = False,
) -> Transaction[Interaction]:
    """Move a pending interaction to its end; `overdue` repeats the test of its time."""
    settled = replace(
        it,
        state=to.state,
        response=to.response,
        answer_key=key,
        settled_at=log.now,
        settled_by=by,
        applied_fence=applied_fence,
    )
    yield from _move(log, _SETTLE_OVERDUE if overdue else _SETTLE, settled, reason=reason)
    _remember(log, settled, by)
    return settled


def settle_in_words(log: ChatLog, yes: SpokenYes, *, by: str | None) -> Transaction[None]:
    """Complete a card by the message that had taken its place, which was read as its yes. Leave it
    alone if something else had superseded it."""
    row = yield from one(
        _SUPERSEDED, app=log.chat.app_id, chat=log.chat.id, interaction=yes.interaction_id
    )
    if row is None:
        return
    it = interaction_from(row)
    metadata: JsonObject = {"message_id": yes.message_id, "digest": it.digest}
    said = InteractionResponse(
        interaction_id=it.id, approved=True, user_message=yes.words, metadata=metadata
    )
    settled = replace(
        it,
        state=InteractionState.COMPLETED,
        response=said,
        answer_key=yes.message_id,
        settled_at=log.now,
        settled_by=by,
    )
    yield from _move(log, _SETTLE_IN_WORDS, settled)


def _move(
    log: ChatLog,
    statement: Statement,
    settled: Interaction,
    *,
    reason: str | None = None,
) -> Transaction[None]:
    """Write the end of an interaction, and tell it."""
    by = settled.settled_by
    moved = yield from one(
        statement,
        app=settled.app_id,
        interaction=settled.id,
        **values_of(SETTLED, settled),
    )
    if moved is None:
        # The row is locked or the database has one writer: only a broken driver comes here.
        raise StoreBusy(f"Interaction '{settled.id}' moved while it was being settled.")
    if settled.asker is not None:
        yield from tell_answer(settled)
    log.add(_settled_event(settled), by=by)
    log.audit(
        f"interaction.{settled.state.value}",
        settled.id,
        actor=by,
        body=_settled_line(settled, reason),
        row=audited_rows.interaction(moved),
    )


def _remember(log: ChatLog, it: Interaction, by: str | None) -> None:
    """Keep the tool's name where the answer says that it need not ask again in this chat."""
    if it.state is not InteractionState.COMPLETED or it.response is None:
        return
    tool_name = tool_to_remember(it, it.response)
    known = log.chat.head.preferences.get("always_allow")
    allowed = known if isinstance(known, list) else []
    if tool_name is not None and tool_name not in allowed:
        set_preference(log, "always_allow", [*allowed, tool_name], by=by)


def _settled_event(it: Interaction) -> EventData:
    summary = settled_summary(it, it.state, it.response)
    match it.state:
        case InteractionState.DISMISSED:
            return UiToolDismissed(
                eventId=it.id, ui_tool_id=it.ui_tool_id, display=it.display, summary=summary
            )
        case InteractionState.EXPIRED:
            return UiToolExpired(
                eventId=it.id, ui_tool_id=it.ui_tool_id, display=it.display, summary=summary
            )
        case state:
            return UiToolCompleted.model_validate(
                {
                    "eventId": it.id,
                    "ui_tool_id": it.ui_tool_id,
                    "display": it.display,
                    "status": state.value,
                    "summary": summary,
                }
            )


def _settled_line(it: Interaction, reason: str | None) -> JsonObject:
    response = it.response
    line: JsonObject = {
        "run_id": it.run_id,
        "task_id": it.task_id,
        "card": it.card.card.value,
        "title": it.title,
        "ui_tool_id": it.ui_tool_id,
        "state": it.state.value,
        "reason": reason if reason is not None else response.user_message if response else None,
    }
    if it.tool_call_id is not None:
        line["tool_call_id"] = it.tool_call_id
    if it.proposal is not None:
        line["tool_name"] = it.proposal.tool_name
    if it.digest is not None:
        line |= {"shown_digest": it.digest, "revision": it.revision}
    if response is not None:
        line["response"] = response.model_dump(mode="json", exclude_none=True)
    return line


def _check_expiry(it: Interaction) -> None:
    """Refuse a default answer that cannot be read now, not when nobody is there."""
    try:
        expiry_of(it)
    except ValidationError as exc:
        raise InvalidInput(
            f"The default answer of card '{it.title}' cannot be read: {exc}"
        ) from exc
