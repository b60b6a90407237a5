"""Rules of each exchange: its flow and measure, its amount, its number, its side."""

from __future__ import annotations

import math
from collections import Counter

from sayso.core.digest import JsonObject
from sayso.packs.openlca.model import ELEMENTARY, PRODUCT, WASTE, Currency, Exchange
from sayso.packs.openlca.rules.codes import Issues, Severity, broken
from sayso.packs.openlca.rules.subject import Subject
from sayso.packs.openlca.solver import gwp100

_OUTLIER = 1e6


def flows(it: Subject) -> Issues:
    for line in it.lines:
        flow = line.flow
        if flow is None:
            yield broken("FLOW_MISSING", line)
        elif flow.flow_type not in (PRODUCT, WASTE, ELEMENTARY) or flow.reference is None:
            yield broken("FLOW_TYPE_NONE", line)
        elif flow.reference.conversion_factor != 1:
            yield broken("FPF_REF_NOT_1", line)


def measures(it: Subject) -> Issues:
    for line in it.lines:
        wrong = line.mistake
        if wrong is not None:
            yield broken(wrong.code, line, mistake=wrong, remedy=wrong.fix.rstrip("."))
        elif line.flow is not None and line.exchange.unit is None:
            yield broken("UNIT_MISSING", line)


def units(it: Subject) -> Issues:
    held = {f.flow_property.id for line in it.lines if line.flow for f in line.flow.flow_properties}
    groups = (it.database.unit_group_of(property_id) for property_id in sorted(held))
    for group in groups:
        if group is None:
            continue
        for unit in group.units:
            if unit.conversion_factor <= 0:
                yield broken("UNIT_FACTOR", unit=unit.name, group=group.name)
        words = Counter(word for unit in group.units for word in {unit.name, *unit.synonyms})
        for word, times in words.items():
            if times > 1:
                yield broken("UNIT_AMBIGUOUS", unit=word, times=times, group=group.name)


def amounts(it: Subject) -> Issues:
    scale = next((abs(line.amount) for line in it.references if line.amount), None)
    for line in it.lines:
        amount, exchange = line.exchange.amount, line.exchange
        if amount is None or not math.isfinite(amount):
            yield broken("AMOUNT_NAN", line)
        elif exchange.is_quantitative_reference:
            continue
        elif amount == 0 and not exchange.amount_formula:
            yield broken("AMOUNT_ZERO", line)
        elif amount < 0:
            yield broken("AMOUNT_NEG", line)
        elif scale and line.kind == PRODUCT and (line.amount or 0) > _OUTLIER * scale:
            yield broken("AMOUNT_OUTLIER", line)


def currencies(it: Subject) -> Issues:
    for line in it.lines:
        held = line.exchange.currency
        if held is not None and it.database.read(Currency, held.id) is None:
            yield broken("CURRENCY", line)


def uncertainties(it: Subject) -> Issues:
    for line in it.lines:
        said = line.exchange.uncertainty
        if said is not None and not _is_sound(said):
            yield broken("UNCERT_BAD", line)
    without = [line for line in it.lines if not _is_uncertain(line.exchange)]
    if without:
        yield broken("UNCERT_NONE", count=len(without), of=len(it.lines))


def internal_ids(it: Subject) -> Issues:
    seen: set[int] = set()
    last = it.process.last_internal_id
    for line in it.lines:
        number = line.id
        if number is None or number < 1:
            yield broken("INTERNAL_ID_NONE", line)
            continue
        if number in seen:
            yield broken("INTERNAL_ID_DUP", line, number=number)
        seen.add(number)
        if last is not None and number > last:
            yield broken("INTERNAL_ID_GT_LAST", line, number=number, last=last)


def repeated(it: Subject) -> Issues:
    seen: set[tuple[str, bool, str | None]] = set()
    for line in it.lines:
        exchange = line.exchange
        key = (exchange.flow_id, exchange.is_input, exchange.provider_id)
        if key in seen:
            yield broken("DUP_EXCHANGE", line, side="input" if exchange.is_input else "output")
        seen.add(key)


def loops(it: Subject) -> Issues:
    products = {line.flow.id: line for line in it.references if line.flow}
    outputs = {line.flow.id for line in it.lines if line.flow and not line.exchange.is_input}
    for line in it.lines:
        if line.flow is None or not line.exchange.is_input or line.exchange.is_avoided_product:
            continue
        made = products.get(line.flow.id)
        if made is not None and not made.exchange.is_input:
            is_known = line.amount is not None and made.amount is not None
            uses_it_up = is_known and (line.amount or 0) >= (made.amount or 0)
            yield broken("SELF_INPUT", line, severity=Severity.ERROR if uses_it_up else None)
        elif line.flow.id in outputs:
            yield broken("SAME_FLOW_IN_OUT", line)


def directions(it: Subject) -> Issues:
    for line in it.lines:
        exchange = line.exchange
        if exchange.is_avoided_product and exchange.is_input == (line.kind == WASTE):
            yield broken("AVOIDED_SIGN", line)
        if line.kind != ELEMENTARY or line.flow is None:
            continue
        category = (line.flow.category or "").lower()
        if "resource" in category and not exchange.is_input:
            yield broken("ELEM_DIRECTION", line, what="resource is an output")
        elif "emission" in category and exchange.is_input:
            yield broken("ELEM_DIRECTION", line, what="emission is an input")


def characterized(it: Subject) -> Issues:
    """Name emissions that count nothing in an impact, since no factor has their id."""
    method = gwp100()
    factors = method.by_flow
    names = [
        line.name
        for line in it.lines
        if line.kind == ELEMENTARY and not line.enters and line.flow_id not in factors
    ]
    if names:
        said = ", ".join(f"'{name}'" for name in dict.fromkeys(names))
        yield broken("ELEM_NOT_IN_METHOD", names=said, method=method.name)


def _is_uncertain(exchange: Exchange) -> bool:
    said = exchange.uncertainty or {}
    return exchange.is_quantitative_reference or said.get("distributionType") not in (
        None,
        "NO_DISTRIBUTION",
    )


def _is_sound(said: JsonObject) -> bool:
    def number(key: str) -> float | None:
        value = said.get(key)
        return float(value) if isinstance(value, int | float) else None

    match said.get("distributionType"):
        case "LOG_NORMAL_DISTRIBUTION":
            spread = number("geomSd")
            return spread is None or spread >= 1
        case "NORMAL_DISTRIBUTION":
            spread = number("sd")
            return spread is None or spread >= 0
        case "TRIANGLE_DISTRIBUTION" | "UNIFORM_DISTRIBUTION":
            known = [v for v in map(number, ("minimum", "mode", "maximum")) if v is not None]
            return known == sorted(known)
        case _:
            return True
