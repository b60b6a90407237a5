"""What openLCA stores, as this pack reads it: schema 2, of which only the fields that something
here computes with have names. All other fields are kept as they came, and written back."""

from __future__ import annotations

from typing import Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from sayso.core.digest import JsonObject

PRODUCT, WASTE, ELEMENTARY = "PRODUCT_FLOW", "WASTE_FLOW", "ELEMENTARY_FLOW"
UNIT_PROCESS, LCI_RESULT = "UNIT_PROCESS", "LCI_RESULT"
#: Flow properties; their ids are the same in every database of openLCA.
MASS = "93a60a56-a3c8-11da-a746-0800200b9a66"
ENERGY = "f6811440-ee37-11de-8a39-0800200c9a66"
NET_CALORIFIC_VALUE = "93a60a56-a3c8-11da-a746-0800200c9a66"


class Stored(BaseModel):
    """Fields have the schema's names in JSON and Python's here; unknown ones are kept."""

    model_config = ConfigDict(extra="allow", populate_by_name=True, alias_generator=to_camel)

    def json_object(self) -> JsonObject:
        found: JsonObject = self.model_dump(mode="json", by_alias=True, exclude_unset=True)
        return found


class Ref(Stored):
    """A reference to another entity."""

    type: str = Field("", alias="@type")
    id: str = Field("", alias="@id")
    name: str | None = None


class Entity(Ref):
    category: str | None = None
    description: str | None = None
    version: str | None = None
    #: The library that it is of, where openLCA has it from one.
    library: str | None = None


class Unit(Ref):
    conversion_factor: float = 1.0
    is_ref_unit: bool = False
    synonyms: list[str] = Field(default_factory=list)


class UnitGroup(Entity):
    units: list[Unit] = Field(default_factory=list)
    default_flow_property: Ref | None = None

    def unit(self, id_or_name: str) -> Unit | None:
        """Return the unit with this id, name or synonym."""
        wanted = id_or_name.strip()
        for unit in self.units:
            if wanted in (unit.id, unit.name):
                return unit
        return next((unit for unit in self.units if wanted in unit.synonyms), None)

    @property
    def reference(self) -> Unit | None:
        return next((unit for unit in self.units if unit.is_ref_unit), None)


class FlowProperty(Entity):
    unit_group: Ref | None = None


class FlowPropertyFactor(Stored):
    flow_property: Ref = Field(default_factory=Ref)
    conversion_factor: float = 1.0
    is_ref_flow_property: bool = False


class Flow(Entity):
    flow_type: str = ""
    flow_properties: list[FlowPropertyFactor] = Field(default_factory=list)
    formula: str | None = None
    location: Ref | None = None

    @property
    def reference(self) -> FlowPropertyFactor | None:
        return next(
            (factor for factor in self.flow_properties if factor.is_ref_flow_property), None
        )

    def factor(self, property_id: str) -> FlowPropertyFactor | None:
        found = (f for f in self.flow_properties if f.flow_property.id == property_id)
        return next(found, None)


class Exchange(Stored):
    internal_id: int | None = None
    flow: Ref | None = None
    flow_property: Ref | None = None
    unit: Ref | None = None
    amount: float | None = None
    amount_formula: str | None = None
    is_input: bool = False
    is_quantitative_reference: bool = False
    is_avoided_product: bool = False
    default_provider: Ref | None = None
    description: str | None = None
    location: Ref | None = None
    uncertainty: JsonObject | None = None
    currency: Ref | None = None
    dq_entry: str | None = None

    @property
    def flow_id(self) -> str:
        return self.flow.id if self.flow else ""

    @property
    def provider_id(self) -> str | None:
        return self.default_provider.id if self.default_provider else None


class AllocationFactor(Stored):
    allocation_type: str | None = None
    product: Ref | None = None
    exchange: JsonObject | None = None
    value: float = 0.0
    formula: str | None = None


class Parameter(Stored):
    name: str = ""
    value: float | None = None
    formula: str | None = None
    is_input_parameter: bool = True


class Process(Entity):
    process_type: str = UNIT_PROCESS
    location: Ref | None = None
    exchanges: list[Exchange] = Field(default_factory=list)
    last_internal_id: int | None = None
    default_allocation_method: str | None = None
    dq_system: Ref | None = None
    exchange_dq_system: Ref | None = None
    social_dq_system: Ref | None = None
    allocation_factors: list[AllocationFactor] = Field(default_factory=list)
    parameters: list[Parameter] = Field(default_factory=list)

    @property
    def reference(self) -> Exchange | None:
        return next((one for one in self.exchanges if one.is_quantitative_reference), None)


class Location(Entity):
    code: str | None = None


class Currency(Entity):
    code: str | None = None


class DQSystem(Entity):
    indicators: list[JsonObject] = Field(default_factory=list)


class ProcessLink(Stored):
    provider: Ref = Field(default_factory=Ref)
    flow: Ref = Field(default_factory=Ref)
    process: Ref = Field(default_factory=Ref)
    exchange: JsonObject = Field(default_factory=dict)


class ProductSystem(Entity):
    ref_process: Ref | None = None
    ref_exchange: JsonObject | None = None
    target_amount: float | None = None
    target_unit: Ref | None = None
    target_flow_property: Ref | None = None
    processes: list[Ref] = Field(default_factory=list)
    process_links: list[ProcessLink] = Field(default_factory=list)
    parameter_sets: list[JsonObject] = Field(default_factory=list)

    def reference_of(self, process: Process) -> Exchange | None:
        """Return the exchange that the system is about, which may be another than the process's."""
        if self.ref_exchange is None:
            return process.reference
        number = self.ref_exchange.get("internalId")
        return next((one for one in process.exchanges if one.internal_id == number), None)


EntityT = TypeVar("EntityT", bound=Stored)


class Named(Protocol):
    """What a reference can be to."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str | None: ...


def ref(kind: str, to: Named) -> JsonObject:
    return {"@type": kind, "@id": to.id, "name": to.name}


def measured_in(flow_property: JsonObject) -> JsonObject:
    """Return the factor of the one property that a new flow is measured in."""
    return {
        "@type": "FlowPropertyFactor",
        "flowProperty": flow_property,
        "conversionFactor": 1.0,
        "isRefFlowProperty": True,
    }
