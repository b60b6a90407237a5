"""Rules of a product system, as one comes from a zip or from another hand: its links and its
reference lead to what is there."""

from __future__ import annotations

from sayso.packs.openlca.backend import View
from sayso.packs.openlca.linking import is_provided, needs_provider
from sayso.packs.openlca.model import Exchange, Flow, Process, ProcessLink, ProductSystem
from sayso.packs.openlca.rules.codes import Issues, broken
from sayso.packs.openlca.units import UnitMistake, measure


def check_system(view: View, system: ProductSystem) -> Issues:
    yield from _reference(view, system)
    for link in system.process_links:
        yield from _link(view, link)


def _reference(view: View, system: ProductSystem) -> Issues:
    process = view.read(Process, system.ref_process.id) if system.ref_process else None
    made = system.reference_of(process) if process is not None else None
    flow = view.flow_of(made) if made is not None else None
    if process is None or made is None or flow is None or not is_provided(made, flow):
        yield broken("SYS_QREF")
        return
    if system.target_amount == 0:
        yield broken("SYS_TARGET_ZERO")
    unit, held = system.target_unit, system.target_flow_property
    try:
        measure(view, flow, unit.id or unit.name if unit else None, held.id if held else None)
    except UnitMistake:
        yield broken("SYS_UNIT")
    if not system.process_links and any(_needs(view, one) for one in process.exchanges):
        yield broken("SYS_NO_LINKS")


def _link(view: View, link: ProcessLink) -> Issues:
    process, provider = view.read(Process, link.process.id), view.read(Process, link.provider.id)
    if process is None:
        yield broken("SYS_LINK_PROCESS", process=link.process.id)
    else:
        number = link.exchange.get("internalId")
        if not any(one.internal_id == number and _is_of(one, link) for one in process.exchanges):
            yield broken("SYS_LINK_EXCHANGE", number=number, process=process.name)
    if provider is None:
        yield broken("SYS_LINK_PROVIDER", provider=link.provider.id)
        return
    flow = view.read(Flow, link.flow.id)
    makes = (one for one in provider.exchanges if _is_of(one, link))
    if flow is None or not any(is_provided(one, flow) for one in makes):
        yield broken("SYS_LINK_FLOW", provider=provider.name)


def _needs(view: View, exchange: Exchange) -> bool:
    flow = view.flow_of(exchange)
    return flow is not None and needs_provider(exchange, flow)


def _is_of(exchange: Exchange, link: ProcessLink) -> bool:
    return exchange.flow is not None and exchange.flow.id == link.flow.id
