"""What a validation looks at: a process, and all that is known of its exchanges, looked up once."""

from __future__ import annotations

from dataclasses import dataclass

from sayso.core.digest import JsonObject
from sayso.packs.guided import object_of
from sayso.packs.openlca.backend import Provider, View
from sayso.packs.openlca.linking import needs_provider
from sayso.packs.openlca.model import PRODUCT, WASTE, Exchange, Flow, Process
from sayso.packs.openlca.units import UnitMistake, measure


@dataclass(frozen=True, slots=True)
class CheckedExchange:
    """An exchange, with what is known of it."""

    exchange: Exchange
    flow: Flow | None = None
    providers: tuple[Provider, ...] = ()
    #: In the flow's reference unit; None where that cannot be said.
    amount: float | None = None
    mistake: UnitMistake | None = None

    @property
    def id(self) -> int | None:
        return self.exchange.internal_id

    @property
    def name(self) -> str:
        flow = self.flow or self.exchange.flow
        return (flow.name if flow else None) or "?"

    @property
    def flow_id(self) -> str:
        return self.flow.id if self.flow else ""

    @property
    def kind(self) -> str:
        return self.flow.flow_type if self.flow else ""

    @property
    def is_product_out(self) -> bool:
        return self.kind == PRODUCT and not self.exchange.is_input

    @property
    def enters(self) -> bool:
        """Return whether it goes into the process. What is avoided is stored on the other side."""
        return self.kind == WASTE if self.exchange.is_avoided_product else self.exchange.is_input

    @property
    def is_linked(self) -> bool:
        return self.flow is not None and needs_provider(self.exchange, self.flow)


@dataclass(frozen=True, slots=True)
class Subject:
    """A process, and all that its rules look at."""

    process: Process
    lines: list[CheckedExchange]
    database: View

    @classmethod
    def of(cls, process: Process, database: View) -> Subject:
        return cls(process, [_line(database, one) for one in process.exchanges], database)

    @property
    def references(self) -> list[CheckedExchange]:
        return [line for line in self.lines if line.exchange.is_quantitative_reference]

    @property
    def documentation(self) -> JsonObject:
        return object_of((self.process.model_extra or {}).get("processDocumentation"))


def _line(database: View, exchange: Exchange) -> CheckedExchange:
    flow = database.flow_of(exchange)
    if flow is None:
        return CheckedExchange(exchange)
    linked = needs_provider(exchange, flow)
    providers = tuple(database.providers(flow.id)) if linked else ()
    unit = exchange.unit.id or exchange.unit.name if exchange.unit else None
    held = exchange.flow_property.id if exchange.flow_property else None
    try:
        found = measure(database, flow, unit, held)
    except UnitMistake as exc:
        return CheckedExchange(exchange, flow, providers, mistake=exc)
    amount = exchange.amount
    known = found.to_reference(amount) if amount is not None else None
    return CheckedExchange(exchange, flow, providers, known)
