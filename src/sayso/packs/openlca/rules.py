"""The rules of validation, each with its code. What they need is looked up once, beforehand."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from sayso.core.digest import JsonObject
from sayso.packs.openlca.database import Database, Provider, Reader
from sayso.packs.openlca.formulas import FormulaMistake, Parameters, evaluate, is_name
from sayso.packs.openlca.linking import needs_provider
from sayso.packs.openlca.locations import code_of, location_id
from sayso.packs.openlca.model import (
    ELEMENTARY,
    LCI_RESULT,
    PRODUCT,
    WASTE,
    Exchange,
    Flow,
    Location,
    Parameter,
    Process,
)
from sayso.packs.openlca.units import UnitMistake, measure
from sayso.packs.openlca.validation import Issue, Report, Severity, exchange_summary

MASS = "93a60a56-a3c8-11da-a746-0800200b9a66"
#: How far mass in and mass out may lie apart.
_MASS_TOLERANCE = 0.05
_OUTLIER = 1e6

error = partial(Issue, severity=Severity.ERROR)
warning = partial(Issue, severity=Severity.WARNING)
info = partial(Issue, severity=Severity.INFO)


@dataclass(frozen=True, slots=True)
class CheckedExchange:
    """An exchange, with what is known of it."""

    exchange: Exchange
    flow: Flow | None
    providers: list[Provider]
    #: In the flow's reference unit; None where that cannot be said.
    amount: float | None
    mistake: UnitMistake | None

    @property
    def id(self) -> int | None:
        return self.exchange.internal_id

    @property
    def name(self) -> str:
        flow = self.flow or self.exchange.flow
        return (flow.name if flow else None) or "?"

    @property
    def kind(self) -> str:
        return self.flow.flow_type if self.flow else ""

    @property
    def is_product_out(self) -> bool:
        return self.kind == PRODUCT and not self.exchange.is_input

    @property
    def is_linked(self) -> bool:
        return self.flow is not None and needs_provider(self.exchange, self.flow)


@dataclass(frozen=True, slots=True)
class Subject:
    """A process, and all that its rules look at."""

    process: Process
    lines: list[CheckedExchange]
    database: Reader
    references: list[CheckedExchange] = field(default_factory=list)


def validate(database: Database, process: Process) -> Report:
    with database.reading() as reader:
        lines = [_line(reader, exchange) for exchange in process.exchanges]
        references = [line for line in lines if line.exchange.is_quantitative_reference]
        subject = Subject(process, lines, reader, references)
        found = [issue for rule in RULES for issue in rule(subject)]
        order = list(Severity)
        return Report(
            process_id=process.id,
            process_name=process.name or "",
            version=reader.version_of("Process", process.id),
            issues=sorted(found, key=lambda issue: order.index(issue.severity)),
            summary=exchange_summary(process),
            mass_balance=mass_balance(subject),
        )


def _line(database: Reader, exchange: Exchange) -> CheckedExchange:
    flow = database.read(Flow, exchange.flow.id) if exchange.flow else None
    if flow is None:
        return CheckedExchange(exchange, None, [], None, None)
    providers = database.providers(flow.id) if needs_provider(exchange, flow) else []
    unit = exchange.unit.id or exchange.unit.name if exchange.unit else None
    held = exchange.flow_property.id if exchange.flow_property else None
    try:
        found = measure(database, flow, unit, held)
    except UnitMistake as exc:
        return CheckedExchange(exchange, flow, providers, None, exc)
    amount = exchange.amount
    known = found.to_reference(amount) if amount is not None else None
    return CheckedExchange(exchange, flow, providers, known, None)


# ── the process itself ──


def identity(it: Subject) -> Iterator[Issue]:
    process = it.process
    if not (process.name or "").strip():
        yield warning(
            code="NAME_EMPTY",
            message="The process has no name",
            fix="Name the activity and product",
        )
    if not process.category:
        yield info(code="CATEGORY_NONE", message="The process is in no category")
    elif any(not part.strip() for part in process.category.split("/")):
        yield error(
            code="CATEGORY_BAD",
            message=f"The category '{process.category}' has an empty part",
            fix="Write it as parts with a slash between them",
        )
    if not (process.description or "").strip():
        yield info(code="DESC_MISSING", message="The process has no description")


def place(it: Subject) -> Iterator[Issue]:
    where = it.process.location
    if where is None or not (where.id or where.name):
        yield warning(
            code="LOCATION_NONE",
            message="The process has no location",
            fix="Give the process a location",
        )
        return
    if it.database.read(Location, where.id) is not None:
        return
    code = code_of(where.name or "")
    if code is not None and location_id(code) != where.id:
        yield warning(
            code="LOCATION_TEXT",
            message=f"The location '{where.name}' is a text, and means {code}",
            fix=f"Set the location to {code}",
        )
        return
    yield error(
        code="LOCATION_INVALID",
        message=f"The location '{where.name or where.id}' is not in the database",
        fix="Choose a location of the database",
    )


def documentation(it: Subject) -> Iterator[Issue]:
    found = (it.process.model_extra or {}).get("processDocumentation")
    given = found if isinstance(found, dict) else {}
    for code, keys, what in (
        ("DOC_TIME", ("validFrom", "timeDescription"), "time"),
        ("DOC_GEO", ("geographyDescription",), "geography"),
        ("DOC_TECH", ("technologyDescription",), "technology"),
        ("DOC_SOURCE", ("sources", "publication"), "source"),
    ):
        if not any(given.get(key) for key in keys):
            yield info(code=code, message=f"The documentation says nothing of the {what}")


# ── the quantitative reference ──


def reference(it: Subject) -> Iterator[Issue]:
    if not it.references:
        yield error(
            code="QREF_NONE",
            message="The process has no quantitative reference",
            fix="Mark its product output as the quantitative reference",
        )
    if len(it.references) > 1:
        names = ", ".join(f"'{line.name}'" for line in it.references)
        yield error(
            code="QREF_MULTI",
            message=f"The process has {len(it.references)} quantitative references: {names}",
            fix="Keep one quantitative reference",
        )
    for line in it.references:
        if line.kind and line.kind != (WASTE if line.exchange.is_input else PRODUCT):
            yield error(
                code="QREF_DIRECTION",
                message=f"The quantitative reference '{line.name}' is not a product output or "
                "waste input",
                exchange=line.id,
                fix="Make a product output, or a waste input, the quantitative reference",
            )
        amount = line.exchange.amount
        if amount == 0:
            yield error(
                code="QREF_ZERO",
                message=f"The amount of the quantitative reference '{line.name}' is 0",
                exchange=line.id,
                fix="Give the quantitative reference an amount above 0",
            )
        elif amount is not None and amount < 0:
            yield warning(
                code="QREF_NEGATIVE",
                message=f"The amount of the quantitative reference '{line.name}' is negative",
                exchange=line.id,
                fix="Check the sign of the quantitative reference",
            )


def sides(it: Subject) -> Iterator[Issue]:
    if not it.lines:
        yield error(
            code="NO_EXCHANGES", message="The process has no exchanges", fix="Add its exchanges"
        )
    elif not any(line.exchange.is_input for line in it.lines):
        yield warning(
            code="NO_INPUTS",
            message="The process has no inputs, so what it makes costs nothing",
            fix="Add what it takes in",
        )


# ── each exchange ──


def flows(it: Subject) -> Iterator[Issue]:
    for line in it.lines:
        flow = line.flow
        if flow is None:
            yield error(
                code="FLOW_MISSING",
                message=f"The flow '{line.name}' is not in the database",
                exchange=line.id,
                fix="Search for the flow, or create it",
            )
            continue
        if flow.flow_type not in (PRODUCT, WASTE, ELEMENTARY) or flow.reference is None:
            yield error(
                code="FLOW_TYPE_NONE",
                message=f"The flow '{line.name}' has no type or no reference property",
                exchange=line.id,
                fix=f"Edit the flow '{line.name}'",
            )
        elif flow.reference.conversion_factor != 1:
            yield error(
                code="FPF_REF_NOT_1",
                message=f"The factor of the reference property of '{line.name}' is not 1",
                exchange=line.id,
                fix=f"Edit the flow '{line.name}'",
            )


def measures(it: Subject) -> Iterator[Issue]:
    for line in it.lines:
        if line.mistake is not None:
            yield error(
                code=line.mistake.code,
                message=str(line.mistake),
                exchange=line.id,
                fix=line.mistake.fix.rstrip("."),
            )
        elif line.flow is not None and line.exchange.unit is None:
            yield warning(
                code="UNIT_MISSING",
                message=f"The exchange of '{line.name}' has no unit; the reference unit is taken",
                exchange=line.id,
                fix=f"Give '{line.name}' a unit",
            )


def units(it: Subject) -> Iterator[Issue]:
    held = {f.flow_property.id for line in it.lines if line.flow for f in line.flow.flow_properties}
    for property_id in sorted(held):
        group = it.database.unit_group_of(property_id)
        if group is None:
            continue
        for unit in group.units:
            if unit.conversion_factor <= 0:
                yield error(
                    code="UNIT_FACTOR",
                    message=f"The unit '{unit.name}' has an invalid conversion factor",
                    fix=f"Edit the unit group '{group.name}'",
                )
        words = Counter(word for unit in group.units for word in {unit.name, *unit.synonyms})
        for word, times in words.items():
            if times > 1:
                yield warning(
                    code="UNIT_AMBIGUOUS",
                    message=f"'{word}' is the name of {times} units in '{group.name}'",
                    fix="Choose the unit by its id",
                )


def amounts(it: Subject) -> Iterator[Issue]:
    scale = next((abs(line.amount) for line in it.references if line.amount), None)
    for line in it.lines:
        amount, exchange = line.exchange.amount, line.exchange
        if amount is None or not math.isfinite(amount):
            yield error(
                code="AMOUNT_NAN",
                message=f"The amount of '{line.name}' is not a number",
                exchange=line.id,
                fix=f"Give '{line.name}' an amount",
            )
        elif exchange.is_quantitative_reference:
            continue
        elif amount == 0 and not exchange.amount_formula:
            yield warning(
                code="AMOUNT_ZERO",
                message=f"The amount of '{line.name}' is 0",
                exchange=line.id,
                fix=f"Fill in the amount of '{line.name}', or remove it",
            )
        elif amount < 0:
            yield warning(
                code="AMOUNT_NEG",
                message=f"The amount of '{line.name}' is negative",
                exchange=line.id,
                fix=f"Turn the direction of '{line.name}' round, or mark it as avoided",
            )
        elif scale and line.kind == PRODUCT and (line.amount or 0) > _OUTLIER * scale:
            yield warning(
                code="AMOUNT_OUTLIER",
                message=f"The amount of '{line.name}' is over a million times the reference's",
                exchange=line.id,
                fix=f"Check the unit of '{line.name}'",
            )


def internal_ids(it: Subject) -> Iterator[Issue]:
    seen: set[int] = set()
    last = it.process.last_internal_id
    for line in it.lines:
        number = line.id
        if number is None or number < 1:
            yield error(
                code="INTERNAL_ID_NONE",
                message=f"The exchange of '{line.name}' has no internal id",
                fix="Number the exchanges",
            )
            continue
        if number in seen:
            yield error(
                code="INTERNAL_ID_DUP",
                message=f"The internal id {number} is used twice",
                exchange=number,
                fix="Number the exchanges",
            )
        seen.add(number)
        if last is not None and number > last:
            yield error(
                code="INTERNAL_ID_GT_LAST",
                message=f"The internal id {number} is larger than the last one, {last}",
                exchange=number,
                fix="Number the exchanges",
            )


def repeated(it: Subject) -> Iterator[Issue]:
    seen: set[tuple[str, bool, str]] = set()
    for line in it.lines:
        exchange = line.exchange
        provider = exchange.default_provider.id if exchange.default_provider else ""
        key = (exchange.flow.id if exchange.flow else "", exchange.is_input, provider)
        if key in seen:
            side = "input" if exchange.is_input else "output"
            yield warning(
                code="DUP_EXCHANGE",
                message=f"'{line.name}' stands twice as an {side}",
                exchange=line.id,
                fix=f"Add up the amounts of '{line.name}'",
            )
        seen.add(key)


def loops(it: Subject) -> Iterator[Issue]:
    products = {line.flow.id: line for line in it.references if line.flow}
    outputs = {line.flow.id for line in it.lines if line.flow and not line.exchange.is_input}
    for line in it.lines:
        if line.flow is None or not line.exchange.is_input or line.exchange.is_avoided_product:
            continue
        made = products.get(line.flow.id)
        if made is not None and not made.exchange.is_input:
            used_up = line.amount is not None and made.amount is not None
            issue = error if used_up and (line.amount or 0) >= (made.amount or 0) else warning
            yield issue(
                code="SELF_INPUT",
                message=f"The process takes in its own product '{line.name}'",
                exchange=line.id,
                fix=f"Use the net amount of '{line.name}'",
            )
        elif line.flow.id in outputs:
            yield warning(
                code="SAME_FLOW_IN_OUT",
                message=f"'{line.name}' goes in and comes out",
                exchange=line.id,
                fix=f"Check the direction of '{line.name}'",
            )


def providers(it: Subject) -> Iterator[Issue]:
    for line in it.lines:
        exchange = line.exchange
        default = exchange.default_provider
        if not line.is_linked:
            if default is not None and line.kind == ELEMENTARY:
                yield warning(
                    code="PROVIDER_ON_ELEMENTARY",
                    message=f"The elementary flow '{line.name}' has a provider, which is ignored",
                    exchange=line.id,
                    fix=f"Remove the provider of '{line.name}'",
                )
            elif default is not None and line.kind:
                yield warning(
                    code="PROVIDER_ON_OUTPUT",
                    message=f"The output '{line.name}' has a provider, which is ignored",
                    exchange=line.id,
                    fix=f"Remove the provider of '{line.name}'",
                )
            continue
        if default is not None:
            yield from _chosen(it, line, default.id)
        elif line.kind == WASTE:
            yield warning(
                code="WASTE_OUT_NO_TREATMENT",
                message=f"The waste '{line.name}' has no treatment",
                exchange=line.id,
                fix=f"Choose a treatment of '{line.name}'",
            )
        else:
            yield _without_provider(line)


def _chosen(it: Subject, line: CheckedExchange, provider_id: str) -> Iterator[Issue]:
    found = next((one for one in line.providers if one.id == provider_id), None)
    if found is None:
        yield error(
            code="PROVIDER_INVALID",
            message=f"The default provider of '{line.name}' does not provide it",
            exchange=line.id,
            fix=f"Choose a provider of '{line.name}'",
        )
        return
    here = it.process.location.name if it.process.location else ""
    if here and found.location and found.location != here:
        yield info(
            code="PROVIDER_LOCATION",
            message=f"'{line.name}' comes from {found.location}, the process is in {here}",
            exchange=line.id,
        )
    if found.process_type == LCI_RESULT:
        yield info(
            code="PROVIDER_TYPE_MIX",
            message=f"The provider of '{line.name}' is a system process",
            exchange=line.id,
        )


def _without_provider(line: CheckedExchange) -> Issue:
    said = f"Input exchange for '{line.name}' has no default provider"
    match len(line.providers):
        case 0:
            return warning(
                code="PROVIDER_NO_CANDIDATE",
                message=f"{said}, and no process makes it",
                exchange=line.id,
                fix=f"Add or import a process that makes '{line.name}'",
            )
        case 1:
            return warning(
                code="PROVIDER_NONE",
                message=said,
                exchange=line.id,
                fix=f"Set the provider of '{line.name}'",
            )
        case many:
            return warning(
                code="PROVIDER_AMBIGUOUS",
                message=f"{said}, and {many} processes make it: openLCA takes the first",
                exchange=line.id,
                fix=f"Choose a provider of '{line.name}'",
            )


def elementary(it: Subject) -> Iterator[Issue]:
    for line in it.lines:
        if line.kind != ELEMENTARY or line.flow is None:
            continue
        category = (line.flow.category or "").lower()
        is_resource = "resource" in category
        is_emission = "emission" in category
        if (is_resource and not line.exchange.is_input) or (is_emission and line.exchange.is_input):
            what = "resource is an output" if is_resource else "emission is an input"
            yield warning(
                code="ELEM_DIRECTION",
                message=f"'{line.name}': the {what}",
                exchange=line.id,
                fix=f"Turn the direction of '{line.name}' round",
            )


def avoided(it: Subject) -> Iterator[Issue]:
    for line in it.lines:
        if line.exchange.is_avoided_product and not line.exchange.is_input:
            yield warning(
                code="AVOIDED_SIGN",
                message=f"The avoided product '{line.name}' is stored as an output",
                exchange=line.id,
                fix=f"Store '{line.name}' as an input that is avoided",
            )


def uncertainties(it: Subject) -> Iterator[Issue]:
    for line in it.lines:
        said = line.exchange.uncertainty
        if said is not None and not _is_sound(said):
            yield warning(
                code="UNCERT_BAD",
                message=f"The uncertainty of '{line.name}' cannot be",
                exchange=line.id,
                fix=f"Correct the uncertainty of '{line.name}'",
            )


def formulas(it: Subject) -> Iterator[Issue]:
    own = it.process.parameters
    names = Counter(one.name.casefold() for one in own)
    for one in own:
        if not is_name(one.name) or names[one.name.casefold()] > 1:
            what = "twice a parameter" if is_name(one.name) else "no name of a parameter"
            yield error(
                code="PARAM_BAD",
                message=f"'{one.name}' is {what}",
                fix=f"Rename the parameter '{one.name}'",
            )
    shared = it.database.all(Parameter) if _uses_formulas(it) else []
    parameters = Parameters(own, shared)
    asked: list[tuple[str, str, float | None, int | None]] = [
        (f"parameter '{one.name}'", one.formula or "", one.value, None)
        for one in own
        if not one.is_input_parameter
    ]
    asked += [
        (f"exchange of '{line.name}'", formula, line.exchange.amount, line.id)
        for line in it.lines
        if (formula := line.exchange.amount_formula)
    ]
    for what, formula, stored, number in asked:
        try:
            value = evaluate(formula, parameters.value)
        except FormulaMistake as exc:
            yield error(
                code="FORMULA_BAD",
                message=f"The formula of the {what} cannot be computed: {exc}",
                exchange=number,
                fix=f"Correct the formula '{formula}'",
            )
            continue
        if stored is not None and not math.isclose(value, stored, rel_tol=1e-6, abs_tol=1e-12):
            yield warning(
                code="FORMULA_VALUE",
                message=f"The formula of the {what} gives {value:g}, and {stored:g} is stored",
                exchange=number,
                fix=f"Compute '{formula}' anew",
            )


def _uses_formulas(it: Subject) -> bool:
    return any(line.exchange.amount_formula for line in it.lines) or bool(it.process.parameters)


def _is_sound(said: JsonObject) -> bool:
    def number(key: str) -> float | None:
        value = said.get(key)
        return float(value) if isinstance(value, int | float) else None

    low, mode, high = number("minimum"), number("mode"), number("maximum")
    match said.get("distributionType"):
        case "LOG_NORMAL_DISTRIBUTION":
            spread = number("geomSd")
            return spread is None or spread >= 1
        case "NORMAL_DISTRIBUTION":
            spread = number("sd")
            return spread is None or spread >= 0
        case "TRIANGLE_DISTRIBUTION":
            known = [value for value in (low, mode, high) if value is not None]
            return known == sorted(known)
        case "UNIFORM_DISTRIBUTION":
            return low is None or high is None or low <= high
        case _:
            return True


# ── products together ──


def allocation(it: Subject) -> Iterator[Issue]:
    products = [line for line in it.lines if line.is_product_out]
    factors = it.process.allocation_factors
    method = it.process.default_allocation_method
    if len(products) > 1 and not factors and method in (None, "NO_ALLOCATION"):
        yield warning(
            code="MULTI_OUTPUT_NO_ALLOC",
            message=f"The process makes {len(products)} products and has no allocation",
            fix="Choose an allocation method",
        )
    if len(products) > 1 and method == "PHYSICAL_ALLOCATION" and not factors:
        for line in products:
            if line.flow is not None and line.flow.factor(MASS) is None:
                yield error(
                    code="ALLOC_PROPERTY",
                    message=f"'{line.name}' has no mass to allocate by",
                    exchange=line.id,
                    fix=f"Give '{line.name}' a mass factor, or choose another method",
                )
    known = {line.flow.id for line in products if line.flow}
    numbers = {line.id for line in it.lines}
    sums: dict[tuple[str, str], float] = defaultdict(float)
    for factor in factors:
        number = (factor.exchange or {}).get("internalId")
        product = factor.product.id if factor.product else ""
        if product not in known or (number is not None and number not in numbers):
            yield error(
                code="ALLOC_REF",
                message="An allocation factor names a product or exchange that is not there",
                fix="Compute the allocation factors anew",
            )
            continue
        sums[factor.allocation_type or "", str(number or "")] += factor.value
    for (kind, _), total in sums.items():
        if abs(total - 1) > 1e-4:
            yield error(
                code="ALLOC_SUM",
                message=f"The allocation factors ({kind}) sum up to {total:g}, not to 1",
                fix="Compute the allocation factors anew",
            )


def mass(it: Subject) -> Iterator[Issue]:
    found = mass_balance(it)
    into, out = _number(found.get("input_kg")), _number(found.get("output_kg"))
    if not into or not out:
        return
    apart = abs(into - out) / max(into, out)
    if apart > _MASS_TOLERANCE:
        yield warning(
            code="MASS_BALANCE",
            message=f"{into:g} kg go in and {out:g} kg come out, {apart:.0%} apart",
            fix="Adjust the amounts, or add wastes and emissions",
        )


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


def _mass(database: Reader, line: CheckedExchange) -> float | None:
    if line.flow is None or line.amount is None:
        return None
    factor, group = line.flow.factor(MASS), database.unit_group_of(MASS)
    kilogram = group.unit("kg") if group else None
    if factor is None or kilogram is None:
        return None
    return line.amount * factor.conversion_factor / kilogram.conversion_factor


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


RULES: tuple[Callable[[Subject], Iterator[Issue]], ...] = (
    identity,
    reference,
    sides,
    flows,
    measures,
    units,
    amounts,
    internal_ids,
    repeated,
    loops,
    providers,
    elementary,
    avoided,
    uncertainties,
    formulas,
    allocation,
    mass,
    place,
    documentation,
)
