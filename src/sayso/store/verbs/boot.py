"""How this machine counts time, and whether its database can be written: one row for both.

Time is counted from when the machine was started, so that setting its clock moves no lease and no
card. All processes on the database count from the same moment: the one that opened it first.
"""

from __future__ import annotations

import sqlalchemy as sa

from sayso.store import tables
from sayso.store.transaction import (
    Statement,
    Transaction,
    db_now,
    execute,
    insert,
    literal,
    one,
    param,
)

_b, _r = tables.boot.c, tables.run.c

_BOOT = Statement(sa.select(_b.boot_id, _b.anchor))
_new = insert(tables.boot).values(
    place=1, boot_id=param("boot_id"), anchor=param("anchor"), written_at=db_now()
)
_BEGIN = Statement(
    _new.on_conflict_do_update(
        index_elements=[_b.place],
        set_={name: _new.excluded[name] for name in ("boot_id", "anchor", "written_at")},
    )
)
_WRITTEN = Statement(
    _new.on_conflict_do_update(
        index_elements=[_b.place], set_={"written_at": _new.excluded.written_at}
    )
)
_END_LEASES = Statement(
    sa.update(tables.run).where(_r.state == literal("running")).values(lease_until=param("ended"))
)


def count_from(boot_id: str, anchor: int) -> Transaction[int]:
    """Return the moment that this start of the machine counts from: `anchor`, if nobody has
    begun."""
    row = yield from one(_BOOT)
    if row is not None and row["boot_id"] == boot_id:
        begun: int = row["anchor"]
        return begun
    yield from execute(_BEGIN, boot_id=boot_id, anchor=anchor)
    if row is not None:
        # Nobody who held a lease has lived through it.
        yield from execute(_END_LEASES, ended=0)
    return anchor


def touch() -> Transaction[None]:
    """Write what changes nothing for anybody, to show whether writing can be done."""
    yield from execute(_WRITTEN, boot_id="", anchor=0)
