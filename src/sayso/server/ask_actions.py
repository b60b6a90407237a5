"""What an asker can do: open an ask, take its approval, report, withdraw. It reads its own asks."""

from __future__ import annotations

from sayso.core.asks import AskOpened, AskRecord, AskStart, NewAsk
from sayso.core.errors import InvalidInput, NotFound
from sayso.engine.engine import Engine
from sayso.server.ask_presence import AskPresence
from sayso.server.auth import Principal, Role
from sayso.server.outgoing import check_url
from sayso.server.rate_limits import RateLimits
from sayso.server.requests import AskBody, ReportBody, StartBody, WithdrawBody


class AskActions:
    """Each checks whose ask it is, and the asker's rate."""

    def __init__(self, engine: Engine, rate_limits: RateLimits) -> None:
        self._engine, self._rate_limits = engine, rate_limits
        self.presence = AskPresence()

    async def open(self, who: Principal, body: AskBody, *, key: str | None) -> AskOpened:
        self._rate_limits.count_action(who)
        now = self._engine.clock.now()
        if body.expires_at is not None and body.expires_at <= now:
            raise InvalidInput(
                "expires_at: is over.",
                context={"errors": [{"path": "expires_at", "message": "is over"}]},
            )
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
