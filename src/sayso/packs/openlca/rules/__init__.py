"""The rules of validation: a table of what each says, one file for each family of checks, and the
report: what stands against a product system of a process (errors), what a practitioner should look
at (warnings), and what would make it better documented."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from sayso.core.digest import JsonObject
from sayso.packs.openlca.backend import Backend
from sayso.packs.openlca.model import Process
from sayso.packs.openlca.rules import balances, computed, exchanges, providers, whole
from sayso.packs.openlca.rules.codes import Issue, Issues, Severity
from sayso.packs.openlca.rules.subject import Subject

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What was found, and of which version of the process."""

    process_id: str
    process_name: str
    version: str
    issues: Sequence[Issue]
    summary: dict[str, int]
    mass_balance: JsonObject = field(default_factory=dict)

    @property
    def errors(self) -> list[Issue]:
        return self._of(Severity.ERROR)

    @property
    def warnings(self) -> list[Issue]:
        return self._of(Severity.WARNING)

    @property
    def is_valid(self) -> bool:
        return not self.errors

    def as_json(self) -> JsonObject:
        """Return the report in the shape of the approval payload; its details stand beside it."""
        return {
            "status": "validation_complete",
            "process_id": self.process_id,
            "process_name": self.process_name,
            "is_valid": self.is_valid,
            "validation_errors": [issue.message for issue in self.errors],
            "validation_warnings": [issue.message for issue in self.warnings],
            "exchange_summary": {**self.summary},
            "next_steps": self._next_steps(),
            "process_version": self.version,
            "mass_balance": self.mass_balance,
            "issues": [issue.as_json() for issue in self.issues],
        }

    def _next_steps(self) -> list[JsonValue]:
        if not self.is_valid:
            return list(dict.fromkeys(issue.fix for issue in self.errors if issue.fix))
        steps: list[JsonValue] = ["Process is valid and ready for product system creation"]
        if any(issue.code.startswith("PROVIDER_") for issue in self.warnings):
            steps.append("Consider adding default providers to input exchanges for better linking")
        others = (i.fix for i in self.warnings if i.fix and not i.code.startswith("PROVIDER_"))
        return [*steps, *dict.fromkeys(others)]

    def _of(self, severity: Severity) -> list[Issue]:
        return [issue for issue in self.issues if issue.severity is severity]


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
            summary=_exchange_summary(process),
            mass_balance=balances.mass_balance(subject),
        )


def _exchange_summary(process: Process) -> dict[str, int]:
    inputs = sum(one.is_input for one in process.exchanges)
    return {
        "total_exchanges": len(process.exchanges),
        "input_exchanges": inputs,
        "output_exchanges": len(process.exchanges) - inputs,
        "quantitative_reference_exchanges": sum(
            one.is_quantitative_reference for one in process.exchanges
        ),
    }
