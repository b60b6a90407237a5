"""Rules of providers: who has one, who needs one, whether it provides, and whether it needs what is
made here."""

from __future__ import annotations

from collections import deque

from sayso.packs.openlca.linking import Rules, links_of
from sayso.packs.openlca.model import ELEMENTARY, LCI_RESULT, WASTE, Process
from sayso.packs.openlca.rules.codes import Issue, Issues, broken
from sayso.packs.openlca.rules.subject import CheckedExchange, Subject

#: A loop of more is followed by nobody, and each process has to be read.
_MOST_FOLLOWED = 200


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


def cycle(it: Subject) -> Issues:
    """Tell the shortest loop through providers that comes back to the process. It is legal."""
    came_from: dict[str, Process] = {}
    waiting = deque([it.process])
    while waiting and len(came_from) <= _MOST_FOLLOWED:
        current = waiting.popleft()
        for link in links_of(it.database, current, Rules()):
            one = link.provider
            if one is None:
                continue
            if one.id == it.process.id and current is not it.process:
                yield broken("CYCLE", path=" → ".join(_way(it.process, current, came_from)))
                return
            found = it.database.read(Process, one.id) if one.id not in came_from else None
            if found is not None and one.id != it.process.id:
                came_from[one.id] = current
                waiting.append(found)


def cut_off(it: Subject) -> Issues:
    """What nobody provides is left out of every result: the documentation is to say why."""
    said = it.documentation
    if said.get("completenessDescription") or said.get("dataSelectionDescription"):
        return
    names = [line.name for line in it.lines if line.is_linked and not line.providers]
    if names:
        yield broken("CUTOFF_DOC", names=", ".join(f"'{name}'" for name in dict.fromkeys(names)))


def _way(first: Process, last: Process, came_from: dict[str, Process]) -> list[str]:
    """Return the names from a process to the one that needs it, and back."""
    names = [first.name or "", last.name or ""]
    while (last := came_from[last.id]) is not first:
        names.append(last.name or "")
    return [first.name or "", *reversed(names)]


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
