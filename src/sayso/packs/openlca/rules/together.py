"""Rules of what a process makes as a whole: allocation, and mass in against mass out."""

from __future__ import annotations

from collections import defaultdict

from sayso.core.digest import JsonObject
from sayso.packs.openlca.backend import View
from sayso.packs.openlca.model import MASS
from sayso.packs.openlca.rules.codes import broken
from sayso.packs.openlca.rules.subject import CheckedExchange, Subject
from sayso.packs.openlca.validation import Issues

#: How far mass in and mass out may lie apart.
_MASS_TOLERANCE = 0.05
_SUM_TOLERANCE = 1e-4


def allocation(it: Subject) -> Issues:
    products = [line for line in it.lines if line.is_product_out]
    method = it.process.default_allocation_method
    if len(products) < 2 or it.process.allocation_factors:
        return
    if method in (None, "NO_ALLOCATION"):
        yield broken("MULTI_OUTPUT_NO_ALLOC", count=len(products))
    if method == "PHYSICAL_ALLOCATION":
        for line in products:
            if line.flow is not None and line.flow.factor(MASS) is None:
                yield broken("ALLOC_PROPERTY", line)


def allocation_factors(it: Subject) -> Issues:
    known = {line.flow.id for line in it.lines if line.is_product_out and line.flow}
    numbers = {line.id for line in it.lines}
    sums: dict[tuple[str, str], float] = defaultdict(float)
    for factor in it.process.allocation_factors:
        number = (factor.exchange or {}).get("internalId")
        product = factor.product.id if factor.product else ""
        if product not in known or (number is not None and number not in numbers):
            yield broken("ALLOC_REF")
            continue
        sums[factor.allocation_type or "", str(number or "")] += factor.value
    for (kind, _), total in sums.items():
        if abs(total - 1) > _SUM_TOLERANCE:
            yield broken("ALLOC_SUM", kind=kind, total=total)


def mass(it: Subject) -> Issues:
    found = mass_balance(it)
    into, out = _number(found.get("input_kg")), _number(found.get("output_kg"))
    apart = abs(into - out) / max(into, out) if into and out else 0.0
    if apart > _MASS_TOLERANCE:
        yield broken("MASS_BALANCE", into=into, out=out, apart=apart)


def mass_balance(it: Subject) -> JsonObject:
    """Return the mass on both sides, and the flows whose mass is not known."""
    into = out = 0.0
    unknown: list[str] = []
    for line in it.lines:
        weight = _mass(it.database, line)
        if weight is None:
            unknown.append(line.name)
        elif line.exchange.is_input:
            into += weight
        else:
            out += weight
    return {"input_kg": into, "output_kg": out, "not_counted": [*dict.fromkeys(unknown)]}


def _mass(database: View, line: CheckedExchange) -> float | None:
    if line.flow is None or line.amount is None:
        return None
    factor, group = line.flow.factor(MASS), database.unit_group_of(MASS)
    kilogram = group.unit("kg") if group else None
    if factor is None or kilogram is None:
        return None
    return line.amount * factor.conversion_factor / kilogram.conversion_factor


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
