"""What lies beside a chat: drafts, artifacts, and a person's preferences."""

from __future__ import annotations

import sqlalchemy as sa
from pydantic import JsonValue

from sayso.core.digest import JsonObject
from sayso.core.errors import NotFound, VersionConflict
from sayso.core.events import ArtifactChanged, Draft
from sayso.core.feed import Frame
from sayso.core.ports import Clock
from sayso.core.view import ArtifactItem
from sayso.store import tables
from sayso.store.codec import clean, dump, encode, load, micros
from sayso.store.log import ChatLog
from sayso.store.queries_chats import LOCKED_CHAT
from sayso.store.rows import ITEM_COLUMNS, chat_from, item_from
from sayso.store.script import (
    Row,
    Script,
    Statement,
    do,
    insert,
    one,
    p,
    rows,
    upsert,
    word,
)

_d, _i, _m = tables.draft.c, tables.interaction.c, tables.item.c

_PUT_DRAFT = Statement(upsert(insert(tables.draft), tables.draft))
_OPEN_CARD = Statement(
    sa.select(_i.chat_id, _i.run_id).where(
        _i.app_id == p("app"), _i.id == p("interaction"), _i.state == word("pending")
    )
)
# An expired card keeps what was typed, so that it can be sent as a message instead.
_DRAFTS = Statement(
    sa.select(_d.interaction_id, _d.content)
    .join_from(
        tables.draft,
        tables.interaction,
        sa.and_(_i.app_id == _d.app_id, _i.id == _d.interaction_id),
    )
    .where(
        _d.app_id == p("app"),
        _d.chat_id == p("chat"),
        _d.person == p("who"),
        _i.state.in_([word("pending"), word("expired")]),
    )
    .order_by(_i.opened_seq)
)
_ARTIFACT = Statement(
    sa.select(*ITEM_COLUMNS)
    .where(
        _m.app_id == p("app"),
        _m.id == p("artifact"),
        _m.kind == word("artifact"),
    )
    .order_by(_m.sequence.desc())
    .limit(1)
)
_ARTIFACT_IN_CHAT = Statement(
    sa.select(*ITEM_COLUMNS).where(
        _m.app_id == p("app"),
        _m.chat_id == p("chat"),
        _m.kind == word("artifact"),
        _m.id == p("artifact"),
    )
)
_PREFERENCES = Statement(
    sa.select(tables.preference.c.content).where(
        tables.preference.c.app_id == p("app"), tables.preference.c.person == p("who")
    )
)
_PUT_PREFERENCES = Statement(upsert(insert(tables.preference), tables.preference))


def put_draft(clock: Clock, app_id: str, draft: Draft) -> Script[Frame | None]:
    """Keep what a person has typed; nothing where the card is no longer open."""
    card = yield from one(_OPEN_CARD, app=app_id, interaction=draft.interaction_id)
    if card is None:
        return None
    yield from do(
        _PUT_DRAFT,
        app_id=app_id,
        interaction_id=draft.interaction_id,
        person=draft.person,
        chat_id=card["chat_id"],
        run_id=card["run_id"],
        content=dump(draft.content),
        updated_at=micros(clock.now()),
    )
    return Frame(card["chat_id"], None, draft, encode(draft.as_json()))


def drafts(app_id: str, chat_id: str, person: str) -> Script[list[Draft]]:
    found = yield from rows(_DRAFTS, app=app_id, chat=chat_id, who=person)
    return [Draft(row["interaction_id"], person, load(row["content"])) for row in found]


def artifact(app_id: str, artifact_id: str) -> Script[ArtifactItem | None]:
    row = yield from one(_ARTIFACT, app=app_id, artifact=artifact_id)
    return _artifact_from(row) if row is not None else None


def put_artifact(
    clock: Clock,
    app_id: str,
    artifact_id: str,
    *,
    content: JsonValue,
    title: str | None,
    if_version: int,
    by: str | None,
) -> Script[tuple[ArtifactItem, list[Frame]]]:
    """A person's edit of an artifact, on top of the version they saw."""
    found = yield from one(_ARTIFACT, app=app_id, artifact=artifact_id)
    if found is None:
        raise NotFound(f"There is no artifact '{artifact_id}'.")
    chat = yield from one(LOCKED_CHAT, app=app_id, chat=found["m_chat_id"])
    assert chat is not None
    # Read again under the chat's lock: every change of an artifact is made under it.
    row = yield from one(
        _ARTIFACT_IN_CHAT, app=app_id, chat=found["m_chat_id"], artifact=artifact_id
    )
    assert row is not None
    current = _artifact_from(row)
    if current.version != if_version:
        raise VersionConflict(
            f"Artifact '{artifact_id}' is at version {current.version}, not {if_version}.",
            context={"version": current.version},
        )
    log = ChatLog(chat_from(chat), clock.now())
    log.know(current)
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
    changed = log.known("artifact", artifact_id)
    assert isinstance(changed, ArtifactItem)
    return changed, frames


def _artifact_from(row: Row) -> ArtifactItem:
    item = item_from(row)
    assert isinstance(item, ArtifactItem)
    return item


def preferences(app_id: str, person: str) -> Script[JsonObject]:
    row = yield from one(_PREFERENCES, app=app_id, who=person)
    kept: JsonObject = load(row["content"]) if row is not None else {}
    return kept


def put_preferences(
    clock: Clock, app_id: str, person: str, values: JsonObject
) -> Script[JsonObject]:
    before = yield from preferences(app_id, person)
    merged: JsonObject = {**before, **values}
    kept: JsonObject = {key: value for key, value in merged.items() if value is not None}
    yield from do(
        _PUT_PREFERENCES,
        app_id=app_id,
        person=person,
        content=dump(kept),
        updated_at=micros(clock.now()),
    )
    return kept
