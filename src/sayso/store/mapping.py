"""Rows to the models of core, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import sqlalchemy as sa
from pydantic import BaseModel, TypeAdapter

from sayso.core.audit import AuditEntry, ChatEnd, Seal
from sayso.core.cards import CARD, CardKind, Change, Display
from sayso.core.chat_view import ArtifactItem, Head, Item, MessageItem, ToolCallItem
from sayso.core.effects import Effect, EffectState
from sayso.core.interactions import (
    Interaction,
    InteractionResponse,
    InteractionState,
    InteractionType,
    OnExpiry,
    Proposal,
)
from sayso.core.record import Allowed
from sayso.core.sessions import Run, RunState, SavedState
from sayso.core.tasks import TaskRequest
from sayso.core.usage import ModelCall
from sayso.store import tables
from sayso.store.codec import dump, dump_model, instant, load, micros, optional
from sayso.store.search_text import searchable, words_of
from sayso.store.transaction import Row, param

T = TypeVar("T")


def prefixed(table: sa.Table, prefix: str) -> list[sa.Label[object]]:
    """Return all columns of a table, named so that a join can be read: `r_state`, `i_state`."""
    return [c.label(f"{prefix}_{c.name}") for c in table.c]


RUN_COLUMNS = prefixed(tables.run, "r")
CHAT_COLUMNS = prefixed(tables.chat, "c")
INTERACTION_COLUMNS = [
    # Some only serve a WHERE; a search's words would be a copy of the whole card.
    column
    for column in prefixed(tables.interaction, "i")
    if column.name not in ("i_tool_name", "i_decision", "i_search_text")
]
ITEM_COLUMNS = prefixed(tables.item, "m")
_MODEL_CALLS: TypeAdapter[tuple[ModelCall, ...]] = TypeAdapter(tuple[ModelCall, ...])
_CHANGES: TypeAdapter[tuple[Change, ...]] = TypeAdapter(tuple[Change, ...])


#: The attempts of one call.
OF_CALL = (
    tables.effect.c.app_id == param("app"),
    tables.effect.c.run_id == param("of_run"),
    tables.effect.c.key == param("of_key"),
)

#: Some columns of a table, each with what it holds of a T.
Columns = Mapping[str, Callable[[T], object]]


def values_of(columns: Columns[T], of: T) -> dict[str, object]:
    return {name: column(of) for name, column in columns.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRow:
    """A chat's head, and where its hash chain stands."""

    app_id: str
    id: str
    head: Head
    audit_number: int
    audit_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """A run, and what of it only the store needs."""

    run: Run
    number: int
    message_id: str | None = None
    resume_each: bool = False
    #: How many child runs it has started.
    children: int = 0
    output: str | None = None
    applied_fence: int | None = None
    #: What the run's saved state lacks of its agent's memory (moves/saved_states.py).
    saved_base: str | None = None


def chat_from(row: Row) -> ChatRow:
    return ChatRow(
        app_id=row["c_app_id"],
        id=row["c_id"],
        head=Head.model_validate(load(row["c_head"])),
        audit_number=row["c_audit_number"],
        audit_hash=row["c_audit_hash"],
    )


def run_from(row: Row) -> RunRow:
    run = Run(
        id=row["r_id"],
        app_id=row["r_app_id"],
        chat_id=row["r_chat_id"],
        agent=row["r_agent"],
        task=TaskRequest.model_validate(load(row["r_task"])),
        state=RunState(row["r_state"]),
        created_at=instant(row["r_created_at"]),
        updated_at=instant(row["r_updated_at"]),
        owner=row["r_owner"],
        fence=row["r_fence"],
        lease_until=optional(instant, row["r_lease_until"]),
        takeovers=row["r_takeovers"],
        saved=_saved_from(row),
        due_at=optional(instant, row["r_due_at"]),
        tries=row["r_tries"] or 0,
        trouble_since=optional(instant, row["r_trouble_since"]),
        model_calls=_MODEL_CALLS.validate_json(row["r_model_calls"] or "[]"),
        parent_run_id=row["r_parent_run_id"],
        parent_call_key=row["r_parent_call_key"],
        error=optional(load, row["r_error"]),
        person=row["r_person"],
    )
    return RunRow(
        run=run,
        message_id=row["r_message_id"],
        number=row["r_number"],
        resume_each=bool(row["r_resume_each"]),
        children=row["r_children"] or 0,
        output=row["r_output"],
        applied_fence=row["r_applied_fence"],
        saved_base=row["r_saved_base"],
    )


def _saved_from(row: Row) -> SavedState | None:
    if row["r_saved_adapter"] is None:
        return None
    return SavedState(
        adapter=row["r_saved_adapter"],
        version=row["r_saved_version"],
        blob=bytes(row["r_saved_blob"]),
        journal=bytes(row["r_saved_journal"]),
    )


def run_record(row: RunRow) -> dict[str, object]:
    """Return a new row of `run`."""
    run = row.run
    return {
        "app_id": run.app_id,
        "id": run.id,
        "chat_id": run.chat_id,
        "task_id": run.task.task_id,
        "task_digest": run.task.content_digest(),
        "task": dump(run.task.stored()),
        "agent": run.agent,
        "person": run.person,
        "message_id": row.message_id,
        "number": row.number,
        **values_of(MOVED, run),
        "resume_each": row.resume_each,
        **saved_record(run.saved),
        "parent_run_id": run.parent_run_id,
        "parent_call_key": run.parent_call_key,
        "created_at": micros(run.created_at),
        "children": row.children,
        "output": row.output,
        "applied_fence": row.applied_fence,
    }


#: What a move changes in a row of `run`.
MOVED: Columns[Run] = {
    "state": lambda run: run.state.value,
    "owner": lambda run: run.owner,
    "fence": lambda run: run.fence,
    "lease_until": lambda run: optional(micros, run.lease_until),
    "takeovers": lambda run: run.takeovers,
    "error": lambda run: optional(dump, run.error),
    "updated_at": lambda run: micros(run.updated_at),
    "due_at": lambda run: optional(micros, run.due_at),
    "tries": lambda run: run.tries or None,
    "trouble_since": lambda run: optional(micros, run.trouble_since),
    "model_calls": lambda run: _dump_all(run.model_calls, exclude_defaults=True),
}

SAVED_COLUMNS = ("saved_adapter", "saved_version", "saved_blob", "saved_journal", "saved_base")


def saved_record(saved: SavedState | None, *, base: str | None = None) -> dict[str, object]:
    return {
        "saved_adapter": saved.adapter if saved else None,
        "saved_version": saved.version if saved else None,
        "saved_blob": saved.blob if saved else None,
        "saved_journal": saved.journal if saved else None,
        "saved_base": base,
    }


def interaction_from(row: Row) -> Interaction:
    return Interaction(
        id=row["i_id"],
        app_id=row["i_app_id"],
        chat_id=row["i_chat_id"],
        run_id=row["i_run_id"],
        task_id=row["i_task_id"],
        call_key=row["i_call_key"],
        batch_id=row["i_batch_id"],
        type=InteractionType(row["i_type"]),
        state=InteractionState(row["i_state"]),
        card=CARD.validate_python(load(row["i_card"])),
        ui_tool_id=row["i_ui_tool_id"],
        agent_name=row["i_agent_name"],
        display=Display(row["i_display"]),
        created_at=instant(row["i_created_at"]),
        tool_call_id=row["i_tool_call_id"],
        proposal=optional(Proposal.model_validate, optional(load, row["i_proposal"])),
        expires_at=optional(instant, row["i_expires_at"]),
        on_expiry=OnExpiry.model_validate(load(row["i_on_expiry"])),
        assignees=tuple(load(row["i_assignees"])),
        salt=row["i_salt"] or "",
        digest=row["i_digest"],
        revision=row["i_revision"] or 1,
        changes=_CHANGES.validate_python(load(row["i_changes"])) if row["i_changes"] else (),
        response=optional(InteractionResponse.model_validate, optional(load, row["i_response"])),
        answer_key=row["i_answer_key"],
        settled_at=optional(instant, row["i_settled_at"]),
        settled_by=row["i_settled_by"],
        applied_fence=row["i_applied_fence"],
    )


def interaction_record(it: Interaction, *, opened_seq: int) -> dict[str, object]:
    """Return a new row of `interaction`."""
    return {
        "app_id": it.app_id,
        "id": it.id,
        "chat_id": it.chat_id,
        "run_id": it.run_id,
        "task_id": it.task_id,
        "call_key": it.call_key,
        "batch_id": it.batch_id,
        "type": it.type.value,
        "kind": CardKind(it.card.card).value,
        **values_of({**ASKED, **SETTLED}, it),
        "created_at": micros(it.created_at),
        "opened_seq": opened_seq,
    }


#: What asking again may change in the row of a card that is still open.
ASKED: Columns[Interaction] = {
    "card": lambda it: dump_model(it.card),
    "ui_tool_id": lambda it: it.ui_tool_id,
    "agent_name": lambda it: it.agent_name,
    "display": lambda it: it.display.value,
    "tool_call_id": lambda it: it.tool_call_id,
    "proposal": lambda it: optional(dump_model, it.proposal),
    "salt": lambda it: it.salt,
    "digest": lambda it: it.digest,
    "revision": lambda it: it.revision,
    "changes": lambda it: _dump_all(it.changes),
    "assignees": lambda it: dump(list(it.assignees)),
    "on_expiry": lambda it: dump_model(it.on_expiry),
    "expires_at": lambda it: optional(micros, it.expires_at),
    "tool_name": lambda it: it.tool_name,
    "search_text": words_of,
}
#: What settling changes in a row of `interaction`.
SETTLED: Columns[Interaction] = {
    "state": lambda it: it.state.value,
    "response": lambda it: optional(dump_model, it.response),
    "answer_key": lambda it: it.answer_key,
    "settled_at": lambda it: optional(micros, it.settled_at),
    "settled_by": lambda it: it.settled_by,
    "applied_fence": lambda it: it.applied_fence,
    "decision": lambda it: it.response.decision if it.response is not None else None,
    "search_text": words_of,
}


def effect_from(row: Row) -> Effect:
    return Effect(
        key=row["key"],
        attempt=row["attempt"],
        state=EffectState(row["state"]),
        tool_name=row["tool_name"],
        arguments=load(row["arguments"]),
        started_at=instant(row["started_at"]),
        ended_at=optional(instant, row["ended_at"]),
        result=optional(load, row["result"]),
        error=row["error"],
        shown_digest=row["shown_digest"],
        executed_digest=row["executed_digest"],
        allowed=_allowed_from(row),
        business_key=row["business_key"],
    )


def allowed_record(allowed: Allowed) -> dict[str, object]:
    rest = allowed.model_dump(mode="json", exclude={"interaction_id"}, exclude_defaults=True)
    return {
        "interaction_id": allowed.interaction_id,
        "allowed": dump(rest) if rest else None,
    }


def _allowed_from(row: Row) -> Allowed:
    rest = load(row["allowed"]) if row["allowed"] is not None else {}
    return Allowed.model_validate({**rest, "interaction_id": row["interaction_id"]})


_ITEMS: dict[str, type[MessageItem] | type[ToolCallItem] | type[ArtifactItem]] = {
    "message": MessageItem,
    "tool_call": ToolCallItem,
    "artifact": ArtifactItem,
}


def item_from(row: Row) -> Item:
    return _ITEMS[row["m_kind"]].model_validate(load(row["m_body"]))


def item_record(app_id: str, chat_id: str, item: Item) -> dict[str, object]:
    return {
        "app_id": app_id,
        "chat_id": chat_id,
        "kind": item.kind,
        "id": item.id,
        "sequence": item.sequence,
        "as_of": item.as_of,
        "is_open": item.is_open,
        "run_id": item.run_id if not isinstance(item, ArtifactItem) else None,
        "search_text": searchable(item.content) if isinstance(item, MessageItem) else None,
        "body": dump_model(item),
    }


def audit_from(row: Row) -> AuditEntry:
    return AuditEntry(
        position=row["position"],
        chat_id=row["chat_id"],
        number=row["number"],
        at=instant(row["at"]),
        actor=row["actor"],
        action=row["action"],
        subject=row["subject"],
        body=load(row["body"]),
        hash=row["hash"],
        key_id=row["key_id"],
    )


def newest_attempts(found: Sequence[Row]) -> dict[str, Effect]:
    """Return the newest attempt of each effect, by key; the rows come in the order of attempts."""
    return {row["key"]: effect_from(row) for row in found}


def seal_from(row: Row) -> Seal:
    heads = load(row["heads"])
    return Seal(
        app_id=row["app_id"],
        number=row["number"],
        at=instant(row["at"]),
        heads={chat: ChatEnd(number, hash) for chat, (number, hash) in heads.items()},
        key_id=row["key_id"],
        hash=row["hash"],
    )


def _dump_all(models: Sequence[BaseModel], *, exclude_defaults: bool = False) -> str | None:
    if not models:
        return None
    return dump([one.model_dump(mode="json", exclude_defaults=exclude_defaults) for one in models])
