"""Rules of the process itself: what it says of itself, its quantitative reference, its sides,
and how it is shared out among several products."""

from __future__ import annotations

from collections import defaultdict

from sayso.packs.openlca.locations import code_of, location_id
from sayso.packs.openlca.model import MASS, PRODUCT, WASTE, DQSystem, Location
from sayso.packs.openlca.rules.codes import Issues, broken
from sayso.packs.openlca.rules.subject import Subject

#: Each part of the documentation, and the fields of which one must say something.
_DOCUMENTED = {
    "DOC_TIME": ("validFrom", "timeDescription"),
    "DOC_GEO": ("geographyDescription",),
    "DOC_TECH": ("technologyDescription",),
    "DOC_SOURCE": ("sources", "publication"),
}
_SUM_TOLERANCE = 1e-4


def identity(it: Subject) -> Issues:
    process = it.process
    if not (process.name or "").strip():
        yield broken("NAME_EMPTY")
    if not process.category:
        yield broken("CATEGORY_NONE")
    elif any(not part.strip() for part in process.category.split("/")):
        yield broken("CATEGORY_BAD", category=process.category)
    if not (process.description or "").strip():
        yield broken("DESC_MISSING")
    if process.library:
        yield broken("LIBRARY_RO", library=process.library)


def reference(it: Subject) -> Issues:
    if not it.references:
        yield broken("QREF_NONE")
    if len(it.references) > 1:
        names = ", ".join(f"'{line.name}'" for line in it.references)
        yield broken("QREF_MULTI", count=len(it.references), names=names)
    for line in it.references:
        if line.kind and line.kind != (WASTE if line.exchange.is_input else PRODUCT):
            yield broken("QREF_DIRECTION", line)
        amount = line.exchange.amount
        if amount == 0:
            yield broken("QREF_ZERO", line)
        elif amount is not None and amount < 0:
            yield broken("QREF_NEGATIVE", line)


def sides(it: Subject) -> Issues:
    if not it.lines:
        yield broken("NO_EXCHANGES")
    elif not any(line.exchange.is_input for line in it.lines):
        yield broken("NO_INPUTS")


def place(it: Subject) -> Issues:
    where = it.process.location
    if where is None or not (where.id or where.name):
        yield broken("LOCATION_NONE")
        return
    if it.database.read(Location, where.id) is not None:
        return
    code = code_of(where.name or "")
    if code is not None and location_id(code) != where.id:
        yield broken("LOCATION_TEXT", place=where.name, means=code)
    else:
        yield broken("LOCATION_INVALID", place=where.name or where.id)


def documentation(it: Subject) -> Issues:
    for code, keys in _DOCUMENTED.items():
        if not any(it.documentation.get(key) for key in keys):
            yield broken(code)


def allocation_method(it: Subject) -> Issues:
    products = [line for line in it.lines if line.is_product_out]
    chosen = it.process.default_allocation_method
    if len(products) < 2 or it.process.allocation_factors:
        return
    if chosen in (None, "NO_ALLOCATION"):
        yield broken("MULTI_OUTPUT_NO_ALLOC", count=len(products))
    if chosen == "PHYSICAL_ALLOCATION":
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


def data_quality(it: Subject) -> Issues:
    process = it.process
    for held in (process.dq_system, process.exchange_dq_system, process.social_dq_system):
        if held is not None and it.database.read(DQSystem, held.id) is None:
            yield broken("DQ_SYSTEM", system=held.name or held.id)
    scored = process.exchange_dq_system
    system = it.database.read(DQSystem, scored.id) if scored is not None else None
    if system is None:
        return
    wanted = len(system.indicators)
    for line in it.lines:
        entry = line.exchange.dq_entry
        given = len(entry.strip("() ").split(";")) if entry else wanted
        if given != wanted:
            yield broken("DQ_ENTRY", line, given=given, wanted=wanted)
