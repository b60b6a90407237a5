"""What a product system takes and gives, as the calculating tool tells it, and what that rests
on."""

from __future__ import annotations

from pydantic import JsonValue

from sayso import ToolMistake
from sayso.core.digest import JsonObject
from sayso.packs.openlca.backend import Backend, View
from sayso.packs.openlca.matrices import Allocation, NotAllocated, build
from sayso.packs.openlca.model import Flow, ProductSystem
from sayso.packs.openlca.rules.codes import Severity
from sayso.packs.openlca.rules.systems import check_system
from sayso.packs.openlca.solver import Singular, Solution, gwp100, solve
from sayso.packs.openlca.units import UnitMistake

#: A result goes to a model and a page: the largest are enough there.
_MOST_FLOWS = 500
_MOST_CONTRIBUTIONS = 20
_MOST_ERRORS = 20


def calculate(database: Backend, system: ProductSystem, allocation: Allocation) -> JsonObject:
    """Return inventory and impacts. Raises ToolMistake where there is none, and says why."""
    try:
        with database.reading() as view:
            warnings = _checked(view, system)
            matrices = build(view, system, allocation)
        found = solve(matrices)
    except NotAllocated as exc:
        raise ToolMistake(
            f"{len(exc.names)} processes make several products and have no allocation method",
            details=", ".join(exc.names),
            suggestion="Let the person choose `allocation`: mass, or none (each product then "
            "carries everything).",
        ) from exc
    except Singular as exc:
        raise ToolMistake(
            "The product system cannot be solved: these processes only feed each other",
            details=str(exc),
            suggestion="Check the amounts in this loop.",
        ) from exc
    except (UnitMistake, ValueError) as exc:
        raise ToolMistake(str(exc), suggestion="Validate the process, and correct it.") from exc
    notes = [*warnings, *_notes(system, found, allocation)]
    return {**_told(database, system, found, allocation), "notes": [*notes]}


def _checked(view: View, system: ProductSystem) -> list[str]:
    """Return what is to be said of a product system that can be calculated. Raises ToolMistake."""
    issues = list(check_system(view, system))
    errors = [issue for issue in issues if issue.severity is Severity.ERROR]
    if errors:
        raise ToolMistake(
            "The product system is broken",
            details="\n".join(f"{issue.message} ({issue.code})" for issue in errors[:_MOST_ERRORS]),
            suggestion=". ".join(dict.fromkeys(issue.fix for issue in errors)) + ".",
        )
    return [f"{issue.message}." for issue in issues]


def _told(
    database: Backend, system: ProductSystem, found: Solution, allocation: Allocation
) -> JsonObject:
    matrices, method = found.matrices, gwp100()
    factors = method.by_flow
    amounts = sorted(
        zip(matrices.flows, found.inventory, strict=True), key=lambda one: -abs(one[1])
    )
    shares = sorted(found.contributions(factors).items(), key=lambda one: -abs(one[1]))
    total = found.impact(factors)
    unmatched: list[JsonValue] = [
        flow.name for flow, amount in amounts if amount > 0 and flow.id not in factors
    ]
    unit = system.target_unit.name if system.target_unit else ""
    return {
        "status": "success",
        "product_system": system.name,
        "amount": system.target_amount,
        "unit": unit,
        "allocation": allocation.value,
        "impacts": [
            {"name": method.name, "amount": total, "unit": method.unit, "source": method.source}
        ],
        "contributions": [
            {"process": matrices.process_names[process], "amount": amount, "unit": method.unit}
            for process, amount in shares[:_MOST_CONTRIBUTIONS]
        ],
        "inventory": [_line(database, flow, amount) for flow, amount in amounts[:_MOST_FLOWS]],
        "emissions_without_factor": unmatched[:_MOST_FLOWS],
    }


def _line(database: Backend, flow: Flow, amount: float) -> JsonObject:
    unit = database.reference_unit_of(flow)
    return {
        "flow_id": flow.id,
        "flow": flow.name,
        "category": flow.category,
        "amount": abs(amount),
        "unit": unit.name if unit else "",
        "is_input": amount < 0,
    }


def _notes(system: ProductSystem, found: Solution, allocation: Allocation) -> list[str]:
    matrices, said = found.matrices, list[str]()
    if matrices.cut_off:
        names = ", ".join(dict.fromkeys(f"'{flow}'" for _, flow in matrices.cut_off))
        said.append(f"Cut off, since nobody provides it: {names}.")
    if matrices.several:
        said.append(f"Several products: {', '.join(dict.fromkeys(matrices.several))}.")
    if matrices.without_method:
        how = "shared out by mass" if allocation is Allocation.MASS else "not shared out"
        said.append(f"Of these, {how}: {', '.join(dict.fromkeys(matrices.without_method))}.")
    if matrices.massless and allocation is Allocation.MASS:
        names = ", ".join(dict.fromkeys(f"'{name}'" for name in matrices.massless))
        said.append(f"Mass shares nothing out to what has none: {names}.")
    if any(one.get("parameters") for one in system.parameter_sets):
        said.append("Amounts are as stored: the system's own parameters were not applied.")
    if matrices.has_uncertainty:
        said.append("Uncertainties are kept and were not simulated.")
    flows = len(found.inventory)
    if flows > _MOST_FLOWS:
        said.append(f"The inventory has {flows} flows; the {_MOST_FLOWS} largest are listed.")
    return said
