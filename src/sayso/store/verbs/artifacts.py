"""Artifacts: read one, and keep a person's edit of it."""

from __future__ import annotations

import sqlalchemy as sa
from pydantic import JsonValue

from sayso.core.chat_view import ArtifactItem
from sayso.core.errors import NotFound, VersionConflict
from sayso.core.events import ArtifactChanged
from sayso.core.feed import Frame
from sayso.core.ports import Clock
from sayso.store import tables
from sayso.store.chat_log import ChatLog
from sayso.store.codec import clean
from sayso.store.mapping import ITEM_COLUMNS, item_from
from sayso.store.moves.chats import log_of
from sayso.store.transaction import Statement, Transaction, literal, one, param

_m = tables.item.c

_ARTIFACT = Statement(
    sa.select(*ITEM_COLUMNS)
    .where(_m.app_id == param("app"), _m.id == param("artifact"), _m.kind == literal("artifact"))
    .order_by(_m.sequence.desc())
    .limit(1)
)


def artifact(app_id: str, artifact_id: str) -> Transaction[ArtifactItem | None]:
    row = yield from one(_ARTIFACT, app=app_id, artifact=artifact_id)
    item = item_from(row) if row is not None else None
    return item if isinstance(item, ArtifactItem) else None


def put_artifact(
    clock: Clock,
    app_id: str,
    artifact_id: str,
    *,
    content: JsonValue,
    title: str | None,
    if_version: int,
    by: str | None,
) -> Transaction[tuple[ArtifactItem, list[Frame]]]:
    found = yield from one(_ARTIFACT, app=app_id, artifact=artifact_id)
    if found is None:
        raise NotFound(f"There is no artifact '{artifact_id}'.")
    log = yield from log_of(clock, app_id, found["m_chat_id"])
    # Read again under the chat's lock: every change of an artifact is made under it.
    yield from log.read([artifact_id])
    current = _artifact_in(log, artifact_id)
    if current.version != if_version:
        raise VersionConflict(
            f"Artifact '{artifact_id}' is at version {current.version}, not {if_version}.",
            context={"version": current.version},
        )
    log.add(
        ArtifactChanged(
            id=artifact_id,
            ui_tool_id=current.ui_tool_id,
            title=current.title if title is None else clean(title),
            content=content,
            version=current.version + 1,
        ),
        by=by,
    )
    frames = yield from log.flush()
    return _artifact_in(log, artifact_id), frames


def _artifact_in(log: ChatLog, artifact_id: str) -> ArtifactItem:
    item = log.item("artifact", artifact_id)
    assert isinstance(item, ArtifactItem)
    return item
