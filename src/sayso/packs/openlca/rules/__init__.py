"""The rules of validation: a table of what each says, and one file for each family of checks."""

from __future__ import annotations

from collections.abc import Callable

from sayso.packs.openlca.backend import Backend
from sayso.packs.openlca.model import Process
from sayso.packs.openlca.rules import balances, computed, exchanges, providers, whole
from sayso.packs.openlca.rules.subject import Subject
from sayso.packs.openlca.validation import Issues, Report, Severity, exchange_summary

_CHECKS: tuple[Callable[[Subject], Issues], ...] = (
    whole.identity,
    whole.reference,
    whole.sides,
    exchanges.flows,
    exchanges.measures,
    exchanges.units,
    exchanges.amounts,
    exchanges.currencies,
    exchanges.uncertainties,
    exchanges.internal_ids,
    exchanges.repeated,
    exchanges.loops,
    exchanges.directions,
    exchanges.characterized,
    providers.providers,
    providers.cycle,
    providers.cut_off,
    computed.parameters,
    computed.formulas,
    whole.allocation_method,
    whole.allocation_factors,
    balances.mass,
    balances.energy,
    balances.elements,
    whole.place,
    whole.documentation,
    whole.data_quality,
)


def validate(database: Backend, process: Process) -> Report:
    """Return all that stands against a process, the gravest first."""
    order = list(Severity)
    with database.reading() as view:
        subject = Subject.of(process, view)
        found = [issue for check in _CHECKS for issue in check(subject)]
        return Report(
            process_id=process.id,
            process_name=process.name or "",
            version=view.version_of("Process", process.id),
            issues=sorted(found, key=lambda issue: order.index(issue.severity)),
            summary=exchange_summary(process),
            mass_balance=balances.mass_balance(subject),
        )
