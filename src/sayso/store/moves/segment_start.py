"""What a segment is given to start with: all there is to know, the same in whatever process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import sqlalchemy as sa
from pydantic import JsonValue

from sayso.core.chat_view import MessageItem
from sayso.core.children import ChildEnd
from sayso.core.digest import JsonObject
from sayso.core.events import MessageStatus
from sayso.core.interactions import Interaction, InteractionState
from sayso.core.segments import AgentState, SegmentStart, Spoken
from sayso.core.sessions import Run, RunState
from sayso.core.store_results import Claimed
from sayso.core.tasks import UniversalMessage
from sayso.store import tables
from sayso.store.chat_log import ChatLog
from sayso.store.mapping import (
    INTERACTION_COLUMNS,
    ITEM_COLUMNS,
    RunRow,
    interaction_from,
    item_from,
    newest_attempts,
)
from sayso.store.moves.child_runs import child_ends
from sayso.store.moves.runs import fence_of
from sayso.store.moves.saved_states import with_whole_state
from sayso.store.transaction import Statement, Transaction, execute, literal, one, param, rows

#: How much of a long chat an agent is given at the start of a run.
HISTORY_MESSAGES = 200

_i, _e = tables.interaction.c, tables.effect.c

_SETTLED_OF_RUN = Statement(
    sa.select(*INTERACTION_COLUMNS)
    .where(_i.app_id == param("app"), _i.run_id == param("run_id"), _i.state != literal("pending"))
    .order_by(_i.opened_seq)
)
_APPLY = Statement(
    sa.update(tables.interaction)
    .where(
        _i.app_id == param("app"),
        _i.run_id == param("run_id"),
        _i.state != literal("pending"),
        _i.applied_fence.is_(None),
    )
    .values(applied_fence=param("applied_fence"))
)
_EFFECTS_OF_RUN = Statement(
    sa.select(tables.effect)
    .where(_e.app_id == param("app"), _e.run_id == param("run_id"))
    .order_by(_e.key, _e.attempt)
)
_AGENT_STATE = Statement(
    sa.select(tables.agent_state.c.version, tables.agent_state.c.blob).where(
        tables.agent_state.c.app_id == param("app"),
        tables.agent_state.c.chat_id == param("chat"),
        tables.agent_state.c.agent == param("agent"),
    )
)
_HISTORY = Statement(
    sa.select(*ITEM_COLUMNS)
    .where(
        tables.item.c.app_id == param("app"),
        tables.item.c.chat_id == param("chat"),
        tables.item.c.kind == literal("message"),
        tables.item.c.sequence <= param("upto"),
    )
    .order_by(tables.item.c.sequence.desc())
    .limit(HISTORY_MESSAGES)
)


def claimed_if_running(log: ChatLog, row: RunRow | None) -> Transaction[Claimed | None]:
    """Return all that the segment of a run just claimed needs; None for one that is only ready."""
    if row is None or row.run.state is not RunState.RUNNING:
        return None
    row = yield from with_whole_state(row)
    run = row.run
    answers: dict[str, Interaction] = {}
    effects = {}
    children: dict[str, ChildEnd] = {}
    if run.fence > 1:
        answers = yield from _apply_answers(run)
        found = yield from rows(_EFFECTS_OF_RUN, app=run.app_id, run_id=run.id)
        effects = newest_attempts(found)
        children = yield from child_ends(row)
    memory, said, at = None, list[MessageItem](), log.next_seq - 1
    # A child begins with its task alone: the chat is its parent's, and so is what was said there.
    if run.saved is None and run.parent_run_id is None:
        memory = yield from _agent_state(run)
        said = yield from _said_in(run.app_id, run.chat_id, at)
    start = SegmentStart(
        run=run,
        answers=answers,
        effects=effects,
        children=children,
        agent_state=memory,
        history=_history(said, run.id, at),
        history_at=at if said else 0,
        spoken=_spoken_before(said, row.message_id),
        preferences=log.chat.head.preferences,
        requirements=log.chat.head.requirements,
        message_id=row.message_id,
    )
    return Claimed(fence=fence_of(run), start=start)


def history(app_id: str, chat_id: str, run_id: str, at: int) -> Transaction[list[UniversalMessage]]:
    return _history((yield from _said_in(app_id, chat_id, at)), run_id, at)


def _apply_answers(run: Run) -> Transaction[dict[str, Interaction]]:
    """Return every settled interaction by call key, and mark those new to this segment as given."""
    found = yield from rows(_SETTLED_OF_RUN, app=run.app_id, run_id=run.id)
    settled = [interaction_from(row) for row in found]
    if any(it.applied_fence is None for it in settled):
        yield from _mark_applied(run)
    return {
        it.call_key: it if it.applied_fence is not None else replace(it, applied_fence=run.fence)
        for it in settled
    }


def _mark_applied(claimed: Run) -> Transaction[None]:
    yield from execute(_APPLY, app=claimed.app_id, run_id=claimed.id, applied_fence=claimed.fence)


def _agent_state(run: Run) -> Transaction[AgentState | None]:
    row = yield from one(_AGENT_STATE, app=run.app_id, chat=run.chat_id, agent=run.agent)
    if row is None:
        return None
    return AgentState(agent=run.agent, version=row["version"], blob=bytes(row["blob"]))


def _said_in(app_id: str, chat_id: str, at: int) -> Transaction[list[MessageItem]]:
    """Return the last messages and cards of the chat when its log stood there, oldest first."""
    found = yield from rows(_HISTORY, app=app_id, chat=chat_id, upto=at)
    return [item for row in reversed(found) if isinstance(item := item_from(row), MessageItem)]


def _history(said: Sequence[MessageItem], run_id: str, at: int) -> list[UniversalMessage]:
    """Return what was said in the chat before this run began, which may be long after its message
    was queued; cards are not part of it, nor is what has changed since."""
    return [
        UniversalMessage.model_validate(
            {"role": item.role, "content": item.content, "name": item.agent_name}
        )
        for item in said
        if item.run_id != run_id
        and item.as_of <= at
        and "ui_tool" not in item.metadata
        and item.status is not MessageStatus.QUEUED
        and item.content
    ]


def _spoken_before(said: Sequence[MessageItem], message_id: str | None) -> list[Spoken]:
    """Return what stood between this message and the person's one before it. What was said after it
    was sent, while it was queued, it cannot answer."""
    found: list[Spoken] = []
    own = next((n for n, item in enumerate(said) if item.id == message_id), 0)
    for item in reversed(said[:own]):
        if item.role == "user":
            break
        tool = item.metadata.get("ui_tool")
        card, state = _asking(tool) if isinstance(tool, dict) else (None, None)
        if isinstance(tool, dict) and card is None:
            continue
        found.append(
            Spoken(
                message_id=item.id,
                text=item.content,
                card=card,
                was_open=state == InteractionState.SUPERSEDED,
            )
        )
    return found[::-1]


def _asking(tool: JsonObject) -> tuple[str | None, JsonValue]:
    """Return the kind and the state of a card; no kind for one that asks for nothing."""
    payload = tool.get("payload")
    meta = payload.get("sayso") if isinstance(payload, dict) else None
    if not isinstance(meta, dict) or meta.get("interaction_type") is None:
        return None, None
    return str(meta.get("card")), tool.get("ui_tool_status")
