"""What an asker can do: open an ask, wait for it, take its approval, report, withdraw. It reads its
own asks."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sayso.core.asks import AskOpened, AskRecord, AskStart, NewAsk
from sayso.core.errors import NotFound
from sayso.core.interactions import Interaction, InteractionState
from sayso.engine.engine import Engine
from sayso.server.auth import Principal, Role
from sayso.server.outgoing import check_url
from sayso.server.rate_limits import RateLimits
from sayso.server.requests import AskBody, ReportBody, StartBody, WithdrawBody, invalid_field

#: Between two long polls an asker is away for a moment.
GRACE_SECONDS = 10.0


class AskActions:
    """Each checks whose ask it is, and the asker's rate."""

    def __init__(self, engine: Engine, rate_limits: RateLimits) -> None:
        self._engine, self._rate_limits = engine, rate_limits
        self.presence = AskPresence()

    async def open(self, who: Principal, body: AskBody, *, key: str | None) -> AskOpened:
        self._rate_limits.count_action(who)
        now = self._engine.clock.now()
        if body.expires_at is not None and body.expires_at <= now:
            raise invalid_field("expires_at", "is over")
        if body.callback_url is not None:
            check_url(body.callback_url, field="callback_url")
        new = NewAsk(ask=body.ask(now=now), by=who.person, key=key, callback_url=body.callback_url)
        opened = await self._engine.asks.open(who.app_id, new)
        self.presence.note(opened.record.card.id)
        return opened

    async def find(self, who: Principal, interaction_id: str) -> AskRecord:
        """Return this ask. Raises NotFound, for another's as well."""
        record = await self._engine.asks.find(who.app_id, interaction_id)
        if who.role is Role.ASKER and record.run.person != who.person:
            raise NotFound(f"There is no ask '{interaction_id}'.")
        return record

    async def list(
        self, who: Principal, *, session: str | None, before: str | None, limit: int
    ) -> list[AskRecord]:
        by = who.person if who.role is Role.ASKER else None
        return await self._engine.store.asks(
            who.app_id, by=by, session=session, before=before, limit=limit
        )

    async def wait(self, who: Principal, record: AskRecord, seconds: float) -> AskRecord:
        """Return the ask once it is no longer open, or as it stands after this time."""
        with self._rate_limits.count_stream(who), self.presence.waiting(record.card.id):
            return await self._engine.asks.settled(who.app_id, record, seconds=seconds)

    async def start(self, who: Principal, interaction_id: str, body: StartBody) -> AskRecord:
        self._rate_limits.count_action(who)
        await self.find(who, interaction_id)
        start = AskStart(seconds=body.report_within, idempotent=body.idempotent)
        return await self._engine.asks.start(who.app_id, interaction_id, start, by=who.person)

    async def report(self, who: Principal, interaction_id: str, body: ReportBody) -> AskRecord:
        self._rate_limits.count_action(who)
        await self.find(who, interaction_id)
        return await self._engine.asks.report(
            who.app_id, interaction_id, body.state, result=body.result, error=body.error
        )

    async def withdraw(self, who: Principal, interaction_id: str, body: WithdrawBody) -> AskRecord:
        self._rate_limits.count_action(who)
        await self.find(who, interaction_id)
        return await self._engine.asks.withdraw(
            who.app_id, interaction_id, reason=body.reason or "withdrawn", by=who.person
        )


class AskPresence:
    """Whether anybody waits for the answer to an ask, or did a moment ago: a fact of this process,
    and of no row."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._waiting: Counter[str] = Counter()
        self._left: dict[str, float] = {}

    @contextmanager
    def waiting(self, interaction_id: str) -> Iterator[None]:
        """Count one who waits, while they do."""
        self._waiting[interaction_id] += 1
        try:
            yield
        finally:
            self._waiting[interaction_id] -= 1
            if not self._waiting[interaction_id]:
                del self._waiting[interaction_id]
            self.note(interaction_id)

    def note(self, interaction_id: str) -> None:
        """Note that its asker is here now."""
        now = self._now()
        self._left = {it: at for it, at in self._left.items() if now - at < GRACE_SECONDS}
        self._left[interaction_id] = now

    def waits(self, it: Interaction) -> bool | None:
        """Return whether anybody waits; None for what is settled, or was not asked from outside."""
        if it.asker is None or it.state is not InteractionState.PENDING:
            return None
        left = self._left.get(it.id)
        was_here = left is not None and self._now() - left < GRACE_SECONDS
        return self._waiting[it.id] > 0 or was_here
