"""The columns for which a row's audit line vouches: all that a decision or an effect is told by.

A migration must not rewrite these columns of rows that have their line: it would look like
tampering, as it should.
"""

from __future__ import annotations

import sqlalchemy as sa

from sayso.core.audit import AuditKey
from sayso.core.digest import JsonObject
from sayso.store import tables
from sayso.store.transaction import Row

_INTERACTION = (
    "id",
    "chat_id",
    "run_id",
    "task_id",
    "call_key",
    "type",
    "kind",
    "state",
    "card",
    "ui_tool_id",
    "agent_name",
    "tool_call_id",
    "proposal",
    "salt",
    "digest",
    "revision",
    "assignees",
    "response",
    "answer_key",
    "created_at",
    "settled_at",
    "settled_by",
    "tool_name",
    "decision",
)
_EFFECT = (
    "run_id",
    "key",
    "attempt",
    "chat_id",
    "state",
    "tool_call_id",
    "tool_name",
    "arguments",
    "result",
    "error",
    "shown_digest",
    "executed_digest",
    "interaction_id",
    "allowed",
    "started_at",
    "ended_at",
)
_RULE = (
    "id",
    "chat_id",
    "interaction_id",
    "agent_name",
    "rule",
    "written_by",
    "written_at",
    "ends_at",
    "revoked_by",
    "revoked_at",
)

INTERACTION_COLUMNS: list[sa.Column[object]] = [tables.interaction.c[n] for n in _INTERACTION]
EFFECT_COLUMNS: list[sa.Column[object]] = [tables.effect.c[name] for name in _EFFECT]

RULE_COLUMNS: list[sa.Column[object]] = [tables.standing_rule.c[name] for name in _RULE]


def interaction(row: Row) -> JsonObject:
    return {name: row[name] for name in _INTERACTION}


def effect(row: Row) -> JsonObject:
    return {name: row[name] for name in _EFFECT}


def rule(row: Row) -> JsonObject:
    return {name: row[name] for name in _RULE}


def seal(row: JsonObject, key: AuditKey) -> str:
    return key.hash("row", row)
