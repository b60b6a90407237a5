"""The proposal of exchanges: each with its flow, unit and provider, and a row of its own."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, NotRequired

import orjson
from pydantic import Field
from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from sayso import Prepared, ToolMistake
from sayso.core.cards import Column
from sayso.core.digest import JsonObject
from sayso.packs.openlca.backend import Backend, Provider
from sayso.packs.openlca.model import PRODUCT, Flow, Process, ref
from sayso.packs.openlca.named import flow_named, process_named
from sayso.packs.openlca.proposals.proposal import proposal
from sayso.packs.openlca.units import Measure, UnitMistake, measure

_COLUMNS = [
    Column(key="flow_name", label="Flow Name"),
    Column(key="amount", label="Amount", editable=True),
    Column(key="is_input", label="Type"),
    Column(key="is_quantitative_reference", label="Quantitative Reference"),
    Column(key="default_provider_name", label="Default Provider"),
]


class NewExchange(TypedDict):
    """One line of a process: what goes in or comes out."""

    flow_name: NotRequired[Annotated[str, Field(description="The flow's exact name")]]
    flow_id: NotRequired[Annotated[str, Field(description="Where several have that name")]]
    amount: Annotated[float, Field(title="Amount")]
    unit: NotRequired[Annotated[str, Field(description="The reference unit where left out")]]
    is_input: bool
    is_quantitative_reference: NotRequired[bool]
    default_provider: NotRequired[
        Annotated[str | None, Field(description="The id of a process that makes it")]
    ]
    description: NotRequired[str]


def propose_exchanges(
    database: Backend, *, process_id: str, exchanges: Sequence[NewExchange]
) -> Prepared:
    process = process_named(database, process_id)
    if process.library:
        raise ToolMistake(
            f"Process '{process.name}' is of the library '{process.library}', which cannot be "
            "changed",
            suggestion="Copy the process in openLCA, and add to the copy.",
        )
    if not exchanges:
        raise ToolMistake("There are no exchanges to add", suggestion="Give at least one.")
    rows = {str(number): row for number, row in enumerate(_resolved(database, exchanges), 1)}
    many = f"{len(rows)} exchange{'s' if len(rows) != 1 else ''}"
    adds = f"{many} to process '{process.name or ''}'"
    made = proposal(
        database,
        f"add {adds}",
        "exchanges_batch",
        f"Add {adds}",
        {
            "process_id": process.id,
            "process_name": process.name or "",
            "exchanges": [row.shown() for row in rows.values()],
        },
        f"add {many} to the process",
    )
    made.warnings = [*_about(process, list(rows.values()))]
    made.data = {
        "process_version": database.version_of("Process", process.id),
        "flows": {number: row.looked_up() for number, row in rows.items()},
    }
    made.rows = [{"row_id": number, **row.row()} for number, row in rows.items()]
    made.columns = [*_COLUMNS]
    made.editable = ["exchanges.amount"]
    return made


@dataclass(frozen=True, slots=True)
class _Resolved:
    """An exchange with its flow, unit and provider."""

    given: NewExchange
    flow: Flow
    measure: Measure
    provider: Provider | None
    candidates: int

    @property
    def is_reference(self) -> bool:
        return self.given.get("is_quantitative_reference", False)

    def shown(self) -> JsonObject:
        """Return the five facts of the approval payload."""
        return {
            "flow_name": self.flow.name,
            "amount": self.given["amount"],
            "is_input": self.given["is_input"],
            "is_quantitative_reference": self.is_reference,
            "default_provider": self.provider.id if self.provider else None,
        }

    def row(self) -> JsonObject:
        """Return the row of the card: all that was given, the unit, and the provider by name."""
        given = {key: value for key, value in self.given.items() if value is not None}
        return {
            **self.shown(),
            **orjson.loads(orjson.dumps(given)),
            "unit": self.given.get("unit") or self.measure.unit.name,
            "default_provider_name": str(self.provider) if self.provider else None,
        }

    def looked_up(self) -> JsonObject:
        flow, unit, provider = self.flow, self.measure.unit, self.provider
        body: JsonObject = {
            "flow": {**ref("Flow", flow), "flowType": flow.flow_type},
            "flowProperty": {"@type": "FlowProperty", "@id": self.measure.property_id},
            "unit": {"@type": "Unit", "@id": unit.id, "name": unit.name or ""},
        }
        if provider is not None:
            body["defaultProvider"] = ref("Process", provider)
        return body


def _resolved(database: Backend, given: Sequence[NewExchange]) -> list[_Resolved]:
    """Raises ToolMistake, which names every exchange that will not do."""
    found: list[_Resolved] = []
    mistakes: list[str] = []
    for number, one in enumerate(given, 1):
        try:
            found.append(_resolve(database, one))
        except ToolMistake as exc:
            mistakes.append(f"{number}. {exc.message}. {exc.suggestion or ''}".rstrip())
        except UnitMistake as exc:
            mistakes.append(f"{number}. {exc}. {exc.fix}")
    if mistakes:
        raise ToolMistake(
            f"{len(mistakes)} of {len(given)} exchanges cannot be added",
            details="\n".join(mistakes),
            suggestion=" ".join(mistakes),
        )
    return found


def _resolve(database: Backend, given: NewExchange) -> _Resolved:
    """Raises ToolMistake, UnitMistake."""
    flow = flow_named(database, given.get("flow_id"), given.get("flow_name"))
    found = measure(database, flow, given.get("unit"))
    if not math.isfinite(given["amount"]):
        raise ToolMistake(f"The amount of '{flow.name}' is not a number")
    providers = database.providers(flow.id)
    wanted = given.get("default_provider")
    provider = next((one for one in providers if one.id == wanted), None)
    if wanted and provider is None:
        offered = ", ".join(f"{one.name} ({one.id})" for one in providers[:5])
        raise ToolMistake(
            f"'{wanted}' does not provide '{flow.name}'",
            suggestion=f"These do: {offered}." if offered else "No process does.",
        )
    return _Resolved(given, flow, found, provider, len(providers))


def _about(process: Process, new: Sequence[_Resolved]) -> Iterator[str]:
    brings_one = any(one.is_reference for one in new)
    if process.reference is not None and brings_one:
        yield "The process has a quantitative reference already."
    if process.reference is None and not brings_one:
        yield "The process will have no quantitative reference."
    there = {(one.flow.id, one.is_input) for one in process.exchanges if one.flow}
    for one in new:
        name, is_input = one.flow.name, one.given["is_input"]
        if (one.flow.id, is_input) in there:
            yield f"'{name}' is an {'input' if is_input else 'output'} of the process already."
        if not is_input or one.flow.flow_type != PRODUCT:
            continue
        if one.candidates == 0:
            yield f"No process makes '{name}': it stays unlinked."
        if one.candidates > 1 and one.provider is None:
            yield (
                f"{one.candidates} processes make '{name}' and none is chosen: openLCA takes the "
                "first."
            )
