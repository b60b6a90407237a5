"""Rules of what is never made or lost: mass, energy, and each chemical element."""

from __future__ import annotations

from collections import Counter

from sayso.core.digest import JsonObject
from sayso.packs.openlca.backend import View
from sayso.packs.openlca.model import ENERGY, MASS, NET_CALORIFIC_VALUE
from sayso.packs.openlca.rules.codes import Issues, broken
from sayso.packs.openlca.rules.compositions import composition
from sayso.packs.openlca.rules.subject import CheckedExchange, Subject

#: How far what goes in and what comes out may lie apart.
_TOLERANCE = 0.05
#: A process takes them from the air, which nobody writes down.
_OF_THE_AIR = ("O", "N")


def mass(it: Subject) -> Issues:
    into, out, _ = _masses(it)
    apart = abs(into - out) / max(into, out) if into and out else 0.0
    if apart > _TOLERANCE:
        yield broken("MASS_BALANCE", into=into, out=out, apart=apart)


def mass_balance(it: Subject) -> JsonObject:
    """Return the mass on both sides, and the flows whose mass is not known."""
    into, out, unknown = _masses(it)
    return {"input_kg": into, "output_kg": out, "not_counted": [*dict.fromkeys(unknown)]}


def energy(it: Subject) -> Issues:
    """No more comes out than goes in, as far as the energy of all that goes in is known. Less does:
    waste heat is seldom written down."""
    into = out = 0.0
    for line in it.lines:
        held = _energy(it.database, line)
        if line.enters and held is None:
            return
        into += (held or 0.0) if line.enters else 0.0
        out += 0.0 if line.enters else (held or 0.0)
    if into and out > into * (1 + _TOLERANCE):
        yield broken("ENERGY_BALANCE", into=into, out=out)


def elements(it: Subject) -> Issues:
    """No more of an element comes out than goes in, as far as all that goes in has a formula."""
    into, out = Counter[str](), Counter[str]()
    for line in it.lines:
        held = _elements(it.database, line)
        if line.enters and held is None:
            return
        (into if line.enters else out).update(held or {})
    for element in sorted(out.keys() - {*_OF_THE_AIR}):
        if into and out[element] > into[element] * (1 + _TOLERANCE):
            yield broken(
                "ELEMENT_BALANCE", element=element, into=into[element], out=out[element]
            )  # fmt: skip


def _masses(it: Subject) -> tuple[float, float, list[str]]:
    into = out = 0.0
    unknown: list[str] = []
    for line in it.lines:
        weight = _held(it.database, line, MASS, "kg")
        if weight is None:
            unknown.append(line.name)
        elif line.enters:
            into += weight
        else:
            out += weight
    return into, out, unknown


def _energy(database: View, line: CheckedExchange) -> float | None:
    known = (_held(database, line, one, "MJ") for one in (ENERGY, NET_CALORIFIC_VALUE))
    return next((amount for amount in known if amount is not None), None)


def _elements(database: View, line: CheckedExchange) -> dict[str, float] | None:
    """Return the kilograms of each element; None where they are not known."""
    weight = _held(database, line, MASS, "kg")
    if weight is None:
        return {} if _energy(database, line) is not None else None
    shares = composition(line.flow.formula or "") if line.flow is not None else None
    return {one: weight * share for one, share in shares.items()} if shares else None


def _held(database: View, line: CheckedExchange, property_id: str, unit: str) -> float | None:
    """Return how much of a flow property an exchange is; None where its flow has no factor."""
    if line.flow is None or line.amount is None:
        return None
    factor, group = line.flow.factor(property_id), database.unit_group_of(property_id)
    in_unit = group.unit(unit) if group else None
    if factor is None or in_unit is None or in_unit.conversion_factor == 0:
        return None
    return line.amount * factor.conversion_factor / in_unit.conversion_factor
