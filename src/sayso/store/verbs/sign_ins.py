"""The browsers that are signed in."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa

from sayso.core.sign_ins import SignIn, SignInLength
from sayso.store import tables
from sayso.store.codec import instant, micros
from sayso.store.transaction import Statement, Transaction, execute, one, param

_s = tables.sign_in.c

_INSERT = Statement(sa.insert(tables.sign_in))
_FORGET_ENDED = Statement(
    sa.delete(tables.sign_in).where(
        sa.or_(_s.seen_at <= param("seen_before"), _s.began_at <= param("began_before"))
    )
)
_FIND = Statement(sa.select(tables.sign_in).where(_s.id == param("of")))
_SEEN = Statement(
    sa.update(tables.sign_in).where(_s.id == param("of")).values(seen_at=param("seen_at"))
)
_END = Statement(sa.delete(tables.sign_in).where(_s.id == param("of")))


def begin_sign_in(new: SignIn, length: SignInLength) -> Transaction[None]:
    yield from execute(
        _FORGET_ENDED,
        seen_before=micros(new.began_at - length.idle),
        began_before=micros(new.began_at - length.total),
    )
    yield from execute(
        _INSERT,
        id=new.id,
        app_id=new.app_id,
        token=new.token,
        began_at=micros(new.began_at),
        seen_at=micros(new.seen_at),
    )


def sign_in(sign_in_id: str) -> Transaction[SignIn | None]:
    row = yield from one(_FIND, of=sign_in_id)
    if row is None:
        return None
    return SignIn(
        id=row["id"],
        app_id=row["app_id"],
        token=row["token"],
        began_at=instant(row["began_at"]),
        seen_at=instant(row["seen_at"]),
    )


def note_sign_in(sign_in_id: str, at: datetime) -> Transaction[None]:
    yield from execute(_SEEN, of=sign_in_id, seen_at=micros(at))


def end_sign_in(sign_in_id: str) -> Transaction[None]:
    yield from execute(_END, of=sign_in_id)
