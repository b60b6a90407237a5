"""Rules of a process with several products: how it is shared out among them."""

from __future__ import annotations

from collections import defaultdict

from sayso.packs.openlca.model import MASS
from sayso.packs.openlca.rules.codes import broken
from sayso.packs.openlca.rules.subject import Subject
from sayso.packs.openlca.validation import Issues

_SUM_TOLERANCE = 1e-4


def method(it: Subject) -> Issues:
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


def factors(it: Subject) -> Issues:
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
