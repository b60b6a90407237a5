"""Rules of providers: who has one, who needs one, and whether it provides."""

from __future__ import annotations

from sayso.packs.openlca.model import ELEMENTARY, LCI_RESULT, WASTE
from sayso.packs.openlca.rules.codes import broken
from sayso.packs.openlca.rules.subject import CheckedExchange, Subject
from sayso.packs.openlca.validation import Issue, Issues


def providers(it: Subject) -> Issues:
    for line in it.lines:
        default = line.exchange.default_provider
        if line.is_linked and default is None:
            yield _without(line)
        elif line.is_linked and default is not None:
            yield from _chosen(it, line, default.id)
        elif default is not None and line.kind:
            where = "ELEMENTARY" if line.kind == ELEMENTARY else "OUTPUT"
            yield broken(f"PROVIDER_ON_{where}", line)


def _without(line: CheckedExchange) -> Issue:
    count = len(line.providers)
    if line.kind == WASTE:
        return broken("WASTE_OUT_NO_TREATMENT", line)
    if count == 0:
        return broken("PROVIDER_NO_CANDIDATE", line)
    return broken("PROVIDER_NONE" if count == 1 else "PROVIDER_AMBIGUOUS", line, count=count)


def _chosen(it: Subject, line: CheckedExchange, provider_id: str) -> Issues:
    found = next((one for one in line.providers if one.id == provider_id), None)
    if found is None:
        yield broken("PROVIDER_INVALID", line)
        return
    here = it.process.location.name if it.process.location else ""
    if here and found.location and found.location != here:
        yield broken("PROVIDER_LOCATION", line, here=here, there=found.location)
    if found.process_type == LCI_RESULT:
        yield broken("PROVIDER_TYPE_MIX", line)
