"""One interaction opens, and leaves `pending` once: by compare-and-set, with its event and audit
line."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import sqlalchemy as sa
from pydantic import ValidationError

from sayso.core.cards import Card, UiToolCard
from sayso.core.digest import JsonObject
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
    InteractionState,
    Proposal,
    Settle,
    expiry_of,
    settled_summary,
)
from sayso.core.sessions import Run
from sayso.store import tables
from sayso.store.codec import dump_model, micros
from sayso.store.log import ChatLog
from sayso.store.rows import INTERACTION_COLUMNS, interaction_from
from sayso.store.script import Script, Statement, one, p, rows, word

_i = tables.interaction.c

_SETTLED = {
    "state": p("state"),
    "response": p("response"),
    "answer_key": p("answer_key"),
    "settled_at": p("settled_at"),
    "settled_by": p("settled_by"),
    "applied_fence": p("applied_fence"),
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


def pending_of(run: Run) -> Script[list[Interaction]]:
    found = yield from rows(PENDING_OF_RUN, app=run.app_id, run_id=run.id)
    return [interaction_from(row) for row in found]


def new_interaction(
    request: CardRequest, run: Run, *, interaction_id: str, batch_id: str, now: datetime
) -> Interaction:
    """The pending interaction that this request opens."""
    it = Interaction(
        id=interaction_id,
        app_id=run.app_id,
        chat_id=run.chat_id,
        run_id=run.id,
        task_id=run.task.task_id,
        call_key=request.call_key,
        batch_id=batch_id,
        type=request.interaction_type,
        state=InteractionState.PENDING,
        card=_at_stage(request.card, request.workflow_stage),
        ui_tool_id=request.ui_tool_id,
        agent_name=request.agent_name,
        display=request.display,
        created_at=now,
        tool_call_id=request.tool_call_id,
        proposal=request.proposal,
        expires_at=now + request.expires_in if request.expires_in is not None else None,
        on_expiry=request.on_expiry,
        assignees=request.assignees,
    )
    _check_expiry(it)
    return it


def asked_again(it: Interaction, request: CardRequest) -> Interaction:
    """A pending interaction as the same request draws it now. Its time goes on as it was; a changed
    proposal is a new revision, so that no answer to the old one can pass for one to the new."""
    return replace(
        it,
        card=_at_stage(request.card, request.workflow_stage),
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
    return settled


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


def _at_stage(card: Card, stage: str | None) -> Card:
    """The card with the stage of the workflow that it belongs to, where the page looks for it."""
    if stage is None:
        return card
    if isinstance(card, UiToolCard):
        context = card.payload.get("context")
        known = context if isinstance(context, dict) else {}
        payload = {**card.payload, "context": {**known, "workflow_stage": stage}}
        return card.model_copy(update={"payload": payload})
    context = getattr(card, "context", None)
    if not isinstance(context, dict):
        return card
    return card.model_copy(update={"context": {**context, "workflow_stage": stage}})


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
