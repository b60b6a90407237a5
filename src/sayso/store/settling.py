"""One interaction opens, and leaves `pending` once: by compare-and-set, with its event and audit
line."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import sqlalchemy as sa
from pydantic import JsonValue, ValidationError

from sayso.core.decisions import Settle, expiry_of, settled_summary, tool_to_remember
from sayso.core.digest import JsonObject
from sayso.core.errors import InvalidInput, StoreBusy
from sayso.core.events import (
    EventData,
    PreferenceSet,
    UiToolCompleted,
    UiToolDismissed,
    UiToolExpired,
    UiToolOpened,
)
from sayso.core.interactions import CardRequest, Interaction, InteractionState, Proposal
from sayso.core.sessions import Run
from sayso.store import tables
from sayso.store.codec import dump_model, micros
from sayso.store.log import ChatLog
from sayso.store.rows import INTERACTION_COLUMNS, interaction_from
from sayso.store.script import Script, Statement, one, p, rows, word
from sayso.store.wording import words_of

_i = tables.interaction.c

_SETTLED = {
    "state": p("state"),
    "response": p("response"),
    "answer_key": p("answer_key"),
    "settled_at": p("settled_at"),
    "settled_by": p("settled_by"),
    "applied_fence": p("applied_fence"),
    "decision": p("decision"),
    "search_text": p("search_text"),
}
_STILL_PENDING = (_i.app_id == p("app"), _i.id == p("interaction"), _i.state == word("pending"))

_SETTLE = Statement(
    sa.update(tables.interaction).where(*_STILL_PENDING).values(_SETTLED).returning(_i.id)
)
_SETTLE_OVERDUE = Statement(
    sa.update(tables.interaction)
    .where(*_STILL_PENDING, _i.expires_at <= p("due"))
    .values(_SETTLED)
    .returning(_i.id)
)
OF_RUN = Statement(
    sa.select(*INTERACTION_COLUMNS)
    .where(_i.app_id == p("app"), _i.run_id == p("run_id"))
    .order_by(_i.opened_seq)
    .with_for_update()
)
PENDING_OF_RUN = Statement(
    sa.select(*INTERACTION_COLUMNS)
    .where(_i.app_id == p("app"), _i.run_id == p("run_id"), _i.state == word("pending"))
    .order_by(_i.opened_seq)
    .with_for_update()
)


_PENDING_IN_CHAT = Statement(
    sa.select(*INTERACTION_COLUMNS)
    .where(_i.app_id == p("app"), _i.chat_id == p("chat"), _i.state == word("pending"))
    .order_by(_i.opened_seq)
    .with_for_update()
)


def pending_of(run: Run) -> Script[list[Interaction]]:
    found = yield from rows(PENDING_OF_RUN, app=run.app_id, run_id=run.id)
    return [interaction_from(row) for row in found]


def pending_in(app_id: str, chat_id: str) -> Script[list[Interaction]]:
    """The open cards of a chat: of its open run and that run's children."""
    found = yield from rows(_PENDING_IN_CHAT, app=app_id, chat=chat_id)
    return [interaction_from(row) for row in found]


def new_interaction(
    request: CardRequest, run: Run, *, interaction_id: str, batch_id: str, now: datetime
) -> Interaction:
    """The pending interaction that this request opens."""
    it = request.opened(
        interaction_id=interaction_id,
        app_id=run.app_id,
        chat_id=run.chat_id,
        run_id=run.id,
        task_id=run.task.task_id,
        batch_id=batch_id,
        now=now,
    )
    _check_expiry(it)
    return it


def asked_again(it: Interaction, request: CardRequest) -> Interaction:
    """A pending interaction as the same request draws it now. Its time goes on as it was; a changed
    proposal is a new revision, so that no answer to the old one can pass for one to the new."""
    return replace(
        it,
        card=request.shown_card,
        ui_tool_id=request.ui_tool_id,
        agent_name=request.agent_name,
        display=request.display,
        tool_call_id=request.tool_call_id,
        proposal=_next_revision(it.proposal, request.proposal),
        assignees=request.assignees,
    )


def opened_event(it: Interaction) -> UiToolOpened:
    return UiToolOpened(
        ui_tool_id=it.ui_tool_id,
        eventId=it.id,
        workflow_name=it.agent_name,
        display=it.display,
        payload=it.payload,
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
) -> Script[Interaction]:
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
    when: dict[str, object] = {"due": micros(log.now)} if overdue else {}
    moved = yield from one(
        _SETTLE_OVERDUE if overdue else _SETTLE,
        app=it.app_id,
        interaction=it.id,
        state=to.state.value,
        response=dump_model(to.response) if to.response is not None else None,
        answer_key=key,
        settled_at=micros(log.now),
        settled_by=by,
        applied_fence=applied_fence,
        decision=to.response.decision if to.response is not None else None,
        search_text=words_of(settled),
        **when,
    )
    if moved is None:
        # The row is locked or the database has one writer: only a broken driver comes here.
        raise StoreBusy(f"Interaction '{it.id}' moved while it was being settled.")
    log.add(_settled_event(settled), by=by)
    log.audit(
        f"interaction.{to.state.value}",
        it.id,
        actor=by,
        body=_settled_line(settled, reason),
    )
    _remember(log, settled, by)
    return settled


def _remember(log: ChatLog, it: Interaction, by: str | None) -> None:
    """An approval can say that its tool need not ask again in this chat."""
    if it.state is not InteractionState.COMPLETED or it.response is None:
        return
    tool_name = tool_to_remember(it, it.response)
    known = log.chat.head.preferences.get("always_allow")
    allowed = known if isinstance(known, list) else []
    if tool_name is not None and tool_name not in allowed:
        set_preference(log, "always_allow", [*allowed, tool_name], by=by)


def set_preference(log: ChatLog, key: str, value: JsonValue, *, by: str | None) -> None:
    log.add(PreferenceSet(key=key, value=value), by=by)
    # "Always allow" lets tools act unasked from here on: that too is somebody's word.
    log.audit(f"preference.{key}", log.chat.id, actor=by, body={"value": value})


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
        line |= {
            "tool_name": it.proposal.tool_name,
            "shown_digest": it.proposal.digest,
            "revision": it.proposal.revision,
        }
    if response is not None:
        line["response"] = response.model_dump(mode="json", exclude_none=True)
    return line


def _next_revision(old: Proposal | None, new: Proposal | None) -> Proposal | None:
    if old is None or new is None or old.digest == new.digest or new.revision > old.revision:
        return new
    return new.model_copy(update={"revision": old.revision + 1})


def _check_expiry(it: Interaction) -> None:
    """A default answer that cannot be read must be refused now, not when nobody is there."""
    try:
        expiry_of(it)
    except ValidationError as exc:
        raise InvalidInput(
            f"The default answer of card '{it.title}' cannot be read: {exc}"
        ) from exc
