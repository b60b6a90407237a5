"""End an effect: the one write without a fence, since whoever knows what became of it may tell."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from sayso.core.cards import CardMeta, RecoverableErrorCard, payload_of
from sayso.core.decisions import Settle
from sayso.core.digest import JsonObject
from sayso.core.effects import (
    HOLDING,
    Effect,
    EffectEnd,
    EffectState,
    EndSource,
    Ruling,
    uncertain_key,
)
from sayso.core.errors import NotFound
from sayso.core.events import ErrorShown, EventData, ToolReturned
from sayso.core.feed import Frame
from sayso.core.interactions import Interaction, InteractionResponse, InteractionState, ResponseData
from sayso.core.messages import message, parts_of
from sayso.core.ports import Clock
from sayso.core.sessions import RunState, SavedState
from sayso.core.store_results import Fence, Lease, Settled
from sayso.store import audited_rows, tables
from sayso.store.chat_log import ChatLog
from sayso.store.codec import dump, optional
from sayso.store.mapping import (
    INTERACTION_COLUMNS,
    OF_CALL,
    chat_from,
    effect_from,
    interaction_from,
    run_from,
)
from sayso.store.moves.effect_outcomes import (
    audit_end,
    effect_line,
    said_of,
    with_outcome,
    write_end,
)
from sayso.store.moves.effect_start import give_up_key, holder_of
from sayso.store.moves.resume import settle_and_resume
from sayso.store.moves.runs import lock_with_chat
from sayso.store.moves.saved_states import save_state
from sayso.store.transaction import Row, Statement, Transaction, one, param

_e, _i = tables.effect.c, tables.interaction.c

_ATTEMPT = Statement(
    sa.select(*tables.effect.c).where(*OF_CALL, _e.attempt == param("of_attempt")).with_for_update()
)
_LATER = Statement(sa.select(_e.attempt).where(*OF_CALL, _e.attempt > param("of_attempt")).limit(1))
_UNCERTAIN_CARD = Statement(
    sa.select(*INTERACTION_COLUMNS)
    .where(
        _i.app_id == param("app"),
        _i.run_id == param("of_run"),
        _i.call_key == param("call_key"),
    )
    .with_for_update()
)


def end_effect(  # noqa: PLR0917  # the store's own clock goes before the port's five
    clock: Clock,
    fence: Fence,
    key: str,
    attempt: int,
    end: EffectEnd,
    events: Sequence[EventData],
    *,
    saved: SavedState | None = None,
    lease: Lease | None = None,
) -> Transaction[Settled | list[Frame]]:
    found = yield from lock_with_chat(fence.app_id, fence.run_id)
    of = {"app": fence.app_id, "of_run": fence.run_id, "of_key": key}
    before = yield from one(_ATTEMPT, **of, of_attempt=attempt)
    if before is None:
        raise NotFound(f"Attempt {attempt} of '{key}' was never started.")
    card = yield from one(
        _UNCERTAIN_CARD,
        app=fence.app_id,
        of_run=fence.run_id,
        call_key=uncertain_key(key, attempt),
    )
    it = interaction_from(card) if card is not None else None
    said = said_of(it)
    if not _tells_more(before, end, said):
        return []  # told before: its end and its events stand
    had_freed_its_key = EffectState(before["state"]) not in HOLDING
    if (
        before["business_key"] is not None
        and had_freed_its_key
        and end.state in HOLDING
        and (yield from holder_of(fence.app_id, before["business_key"])) is not None
    ):
        # It turns out to have acted, and another call has its key by now: both are facts.
        yield from give_up_key(fence.app_id, fence.run_id, key)
    log, run = ChatLog(chat_from(found), clock.now()), run_from(found).run
    row = yield from write_end(log, run, key, attempt, end)
    if saved is not None and run.fence == fence.number and run.state is RunState.RUNNING:
        yield from save_state(fence.app_id, fence.run_id, saved)
    effect = effect_from(row)
    events = with_outcome(events, row["tool_call_id"], effect)
    told = next((data for data in events if isinstance(data, ToolReturned)), None)
    if said is Ruling.RUN_AGAIN and (yield from one(_LATER, **of, of_attempt=attempt)) is not None:
        events = [data for data in events if data is not told]  # the row tells the newest attempt
    for data in events:
        log.add(data)
    yield from audit_end(log, run, row, told)
    if it is not None and it.state is InteractionState.PENDING:
        if end.state is EffectState.UNCERTAIN:
            return (yield from log.flush())
        # A person was asked what became of it; now the truth has come by itself.
        return (
            yield from settle_and_resume(
                log,
                run_from(found),
                it,
                Settle(InteractionState.COMPLETED, _true_answer(it, effect)),
                by=None,
                lease=lease,
                time=found["db_now"],
                reason=message("run.result_came"),
            )
        )
    if said is not None:
        assert it is not None
        _contradict(log, row, it, said, message_id=clock.new_id())
    return (yield from log.flush())


def _tells_more(before: Row, ended: EffectEnd, said: Ruling | None) -> bool:
    """Return whether an end tells more than is known. What a body has told stands; what a person
    has judged stands until the body tells."""
    if before["state"] == EffectState.STARTED.value:
        return True
    if before["state"] == EffectState.UNCERTAIN.value:
        return ended.state is not EffectState.UNCERTAIN or ended.result is not None
    if said is None or ended.told_by is EndSource.PERSON or ended.state is EffectState.UNCERTAIN:
        return False
    result = optional(dump, ended.result)
    return (before["state"], before["result"]) != (ended.state.value, result)


def _contradict(log: ChatLog, row: Row, it: Interaction, said: Ruling, *, message_id: str) -> None:
    """Tell that a person had said otherwise: their word stays on its card, the fact stands in the
    record, and whoever looks at the chat sees both."""
    effect = effect_from(row)
    if not said.is_contradicted_by(effect.state):
        return
    log.audit(
        "effect.contradicted",
        effect.key,
        actor=it.settled_by,
        body={**effect_line(row, None), "said": said.value, "interaction_id": it.id},
        row=audited_rows.effect(row),
    )
    ran = "ran_after_all" if effect.state is EffectState.DONE else "did_not_run"
    texts = parts_of(
        "effect.contradicted",
        happened=message(f"effect.{ran}", tool=effect.tool_name),
        said=message(f"effect.said_{said.value}"),
    )
    card = RecoverableErrorCard(
        says=texts.says,
        title=texts["title"],
        message=texts["message"],
        suggestion=texts["suggestion"],
    )
    log.add(
        ErrorShown(
            message_id=message_id,
            ui_tool_id="recoverable_error",
            agent_name=it.agent_name,
            run_id=row["run_id"],
            payload=payload_of(
                card,
                CardMeta(card=card.card, run_id=row["run_id"], tool_call_id=row["tool_call_id"]),
            ),
        )
    )


def _true_answer(it: Interaction, effect: Effect) -> InteractionResponse:
    values: JsonObject = {"state": effect.state.value, "result": effect.result}
    if effect.error is not None:
        values["error"] = effect.error
    return InteractionResponse(
        interaction_id=it.id,
        approved=True,
        response_data=ResponseData(selected_option=Ruling.MARK_DONE.value, values=values),
        metadata={"told_by": EndSource.BODY.value},
    )
