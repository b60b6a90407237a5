"""The state that a run goes on from, kept without what its agent's memory has already: the memory
of a long chat is written once, when a turn ends.

Nothing changes that memory while the run is open: only the end of the chat's run writes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, dataclass, replace

import sqlalchemy as sa

from sayso.core.sessions import Run, SavedState
from sayso.store import tables
from sayso.store.codec import dump, load
from sayso.store.mapping import SAVED_COLUMNS, RunRow, saved_record
from sayso.store.transaction import Statement, Transaction, execute, one, param, update

#: Less than this is not worth the look at the memory when it is read.
LEAST_BYTES = 1024
#: How much has to be alike for the rest to be compared, and where that is looked for.
_PROBE_BYTES = 64
_CHUNK = 4096

_r, _a = tables.run.c, tables.agent_state.c

_SAVE = Statement(
    update(tables.run, SAVED_COLUMNS).where(_r.app_id == param("app"), _r.id == param("run_id"))
)
_FORGET_RETRYABLE = Statement(
    update(tables.run, SAVED_COLUMNS).where(
        _r.app_id == param("app"), _r.chat_id == param("chat"), sa.text(tables.RETRYABLE)
    )
)
_MEMORY = Statement(
    sa.select(_a.version, _a.blob)
    .join_from(
        tables.run,
        tables.agent_state,
        sa.and_(_a.app_id == _r.app_id, _a.chat_id == _r.chat_id, _a.agent == _r.agent),
    )
    .where(_r.app_id == param("app"), _r.id == param("run_id"), _r.parent_run_id.is_(None))
)


@dataclass(frozen=True, slots=True)
class SharedPart:
    """`length` bytes that stand at `start` in the memory, and at `at` in the state."""

    start: int
    length: int
    at: int


def save_state(app_id: str, run_id: str, saved: SavedState) -> Transaction[None]:
    """Keep the state to go on from; that the run is ours has been checked."""
    record = yield from state_record(app_id, run_id, saved)
    yield from execute(_SAVE, app=app_id, run_id=run_id, **record)


def state_record(app_id: str, run_id: str, saved: SavedState) -> Transaction[dict[str, object]]:
    """Return the columns of this state."""
    memory = yield from one(_MEMORY, app=app_id, run_id=run_id)
    part = shared_part(memory["blob"], saved.blob) if memory is not None else None
    if memory is None or part is None:
        return saved_record(saved)
    rest = replace(saved, blob=without_part(saved.blob, part))
    return saved_record(rest, base=dump([memory["version"], *astuple(part)]))


def with_whole_state(row: RunRow) -> Transaction[RunRow]:
    """Return the run with all of the state that it goes on from."""
    run, saved = row.run, row.run.saved
    if row.saved_base is None or saved is None:
        return row
    version, *place = load(row.saved_base)
    memory = yield from one(_MEMORY, app=run.app_id, run_id=run.id)
    # Should another have taken its place, the adapter says that it cannot read what is left.
    known = memory is not None and memory["version"] == version
    blob = with_part(saved.blob, SharedPart(*place), memory["blob"]) if memory and known else b""
    return replace(row, run=replace(run, saved=replace(saved, blob=blob)), saved_base=None)


def keep_state(ended: Run, saved: SavedState | None) -> Transaction[None]:
    """Keep this of a run that has ended, or forget what it was to go on from."""
    if saved is not None:
        yield from save_state(ended.app_id, ended.id, saved)
    elif ended.saved is not None:
        yield from execute(_SAVE, app=ended.app_id, run_id=ended.id, **saved_record(None))


def forget_failed_states(app_id: str, chat_id: str) -> Transaction[None]:
    """Clear what the failed runs of a chat were to go on from: the chat has gone on."""
    yield from execute(_FORGET_RETRYABLE, app=app_id, chat=chat_id, **saved_record(None))


def shared_part(memory: bytes, state: bytes) -> SharedPart | None:
    """Return a long part that both have; None where there is none that is worth it."""
    for place in _places(len(memory)):
        found = state.find(memory[place : place + _PROBE_BYTES])
        if found < 0:
            continue
        before = _alike(memory[:place][::-1], state[:found][::-1])
        length = before + _alike(memory[place:], state[found:])
        if length >= max(LEAST_BYTES, len(memory) // 2):
            return SharedPart(place - before, length, found - before)
    return None


def without_part(state: bytes, part: SharedPart) -> bytes:
    return state[: part.at] + state[part.at + part.length :]


def with_part(rest: bytes, part: SharedPart, memory: bytes) -> bytes:
    """Return the state that `without_part` was given."""
    return rest[: part.at] + memory[part.start : part.start + part.length] + rest[part.at :]


def _places(size: int) -> Iterator[int]:
    """Yield where to look: behind what names a format, and farther in, where what comes first has
    changed."""
    for place in (32, size // 4, size // 2):
        if place + _PROBE_BYTES <= size:
            yield place


def _alike(a: bytes, b: bytes) -> int:
    """Return how many bytes at their beginnings are alike."""
    size, at = min(len(a), len(b)), 0
    while at < size and a[at : at + _CHUNK] == b[at : at + _CHUNK]:
        at += _CHUNK
    return next((n for n in range(min(at, size), size) if a[n] != b[n]), size)
