"""Which process provides what another one needs, by openLCA's own rules, and why that one."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from sayso.packs.openlca.backend import Provider, View
from sayso.packs.openlca.model import (
    LCI_RESULT,
    PRODUCT,
    UNIT_PROCESS,
    WASTE,
    Exchange,
    Flow,
    Process,
)


class ProviderLinking(StrEnum):
    IGNORE_DEFAULTS = "IGNORE_DEFAULTS"
    PREFER_DEFAULTS = "PREFER_DEFAULTS"
    ONLY_DEFAULTS = "ONLY_DEFAULTS"


class Why(StrEnum):
    """Why a provider was taken, or none."""

    DEFAULT = "default provider"
    ONLY_ONE = "the only provider"
    PREFERRED_TYPE = "the first of the preferred type"
    FIRST = "the first of several"
    NO_PROVIDER = "no process provides it"
    NO_DEFAULT = "it has no default provider"


@dataclass(frozen=True, slots=True)
class Rules:
    linking: ProviderLinking = ProviderLinking.PREFER_DEFAULTS
    prefer_unit_processes: bool = True


@dataclass(frozen=True, slots=True)
class Link:
    """One need of a process, and what was found for it."""

    process: Process
    exchange: Exchange
    flow: Flow
    provider: Provider | None
    why: Why
    candidates: int

    @property
    def is_ambiguous(self) -> bool:
        return self.why in (Why.FIRST, Why.PREFERRED_TYPE)


@dataclass(frozen=True, slots=True)
class Network:
    """All processes that a product system needs, and their links."""

    processes: list[Process] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)

    @property
    def linked(self) -> list[Link]:
        return [link for link in self.links if link.provider is not None]

    @property
    def unlinked(self) -> list[Link]:
        return [link for link in self.links if link.provider is None]

    @property
    def ambiguous(self) -> list[Link]:
        return [link for link in self.links if link.is_ambiguous]


def choose(
    default_id: str | None, candidates: Sequence[Provider], rules: Rules
) -> tuple[Provider | None, Why]:
    """Return the provider that openLCA takes: its `ProviderSearch.find`."""
    if rules.linking is not ProviderLinking.IGNORE_DEFAULTS:
        default = next((one for one in candidates if one.id == default_id), None)
        if default is not None:
            return default, Why.DEFAULT
        if rules.linking is ProviderLinking.ONLY_DEFAULTS:
            return None, Why.NO_DEFAULT
    if not candidates:
        return None, Why.NO_PROVIDER
    if len(candidates) == 1:
        return candidates[0], Why.ONLY_ONE
    wanted = UNIT_PROCESS if rules.prefer_unit_processes else LCI_RESULT
    preferred = next((one for one in candidates if one.process_type == wanted), None)
    if preferred is not None:
        return preferred, Why.PREFERRED_TYPE
    return candidates[0], Why.FIRST


def needs_provider(exchange: Exchange, flow: Flow) -> bool:
    """Return whether the linker looks for a provider: of products that go in, of wastes that leave.
    An avoided product is stored as an input and is linked like one."""
    if exchange.is_quantitative_reference:
        return False
    return flow.flow_type == (PRODUCT if exchange.is_input else WASTE)


def is_provided(exchange: Exchange, flow: Flow) -> bool:
    """Return whether a process makes this product, or takes this waste in."""
    if exchange.is_avoided_product or flow.flow_type not in (PRODUCT, WASTE):
        return False
    return exchange.is_input != (flow.flow_type == PRODUCT)


def links_of(source: View, process: Process, rules: Rules) -> Iterator[Link]:
    """Yield a link for each need of a process."""
    for exchange in process.exchanges:
        flow = source.flow_of(exchange)
        if flow is None or not needs_provider(exchange, flow):
            continue
        candidates = source.providers(flow.id)
        provider, why = choose(exchange.provider_id, candidates, rules)
        yield Link(process, exchange, flow, provider, why, len(candidates))


def link_network(source: View, process: Process, rules: Rules) -> Network:
    """Follow every need from this process on, breadth first."""
    network = Network()
    seen, waiting = {process.id}, deque([process])
    while waiting:
        current = waiting.popleft()
        network.processes.append(current)
        for link in links_of(source, current, rules):
            network.links.append(link)
            provider = link.provider
            if provider is not None and provider.id not in seen:
                seen.add(provider.id)
                found = source.read(Process, provider.id)
                if found is not None:
                    waiting.append(found)
    return network
