"""A database of ours as the JSON-RPC server that openLCA would be: the same methods, the same
errors. What it answers follows `DataHandler`, `ResultHandler` and `Responses` of openLCA's
olca-ipc, and `JsonDataService` of its olca-core."""

from __future__ import annotations

import uuid
from collections.abc import Callable

from pydantic import JsonValue

from sayso.core.digest import JsonObject
from sayso.packs.guided import object_of
from sayso.packs.openlca import writes
from sayso.packs.openlca.backend import Provider
from sayso.packs.openlca.database import Database
from sayso.packs.openlca.linking import ProviderLinking, Rules, link_network
from sayso.packs.openlca.matrices import Allocation, NotAllocated, build
from sayso.packs.openlca.model import LCI_RESULT, Flow, Process, ProductSystem
from sayso.packs.openlca.rpc import NOT_FOUND, UNKNOWN_METHOD, RpcError
from sayso.packs.openlca.solver import Singular, Solution, solve
from sayso.packs.openlca.units import UnitMistake
from sayso.packs.openlca.zips import FOLDERS

BAD_REQUEST, FAILED, INVALID_PARAMS = 400, 500, -32602
_KINDS = frozenset(FOLDERS.values())
_ALLOCATIONS = {
    "USE_DEFAULT_ALLOCATION": Allocation.PROCESS_DEFAULT,
    "PHYSICAL_ALLOCATION": Allocation.ALL_PHYSICAL,
    "ECONOMIC_ALLOCATION": Allocation.ALL_ECONOMIC,
    "CAUSAL_ALLOCATION": Allocation.ALL_CAUSAL,
    "NO_ALLOCATION": Allocation.NOWHERE,
}


class Answering:
    """Answers for one database. Results are kept until they are disposed of."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._results: dict[str, Solution] = {}
        self._methods: dict[str, Callable[[JsonObject], JsonValue]] = {
            "data/get": self._get,
            "data/get/all": self._all,
            "data/get/descriptor": lambda asked: self._ref(_kind(asked), self._get(asked)),
            "data/get/descriptors": self._descriptors,
            "data/get/providers": self._providers,
            "data/get/parameters": lambda asked: self._get(asked).get("parameters") or [],
            "data/put": self._put,
            "data/delete": self._delete,
            "data/create/system": self._create_system,
            "result/calculate": self._calculate,
            "result/state": lambda asked: self._state(_result_id(asked)),
            "result/dispose": self._dispose,
            "result/tech-flows": lambda asked: [
                self._tech_flow(*node) for node in self._result(asked).matrices.nodes
            ],
            "result/scaling-factors": self._scaling_factors,
            "result/total-flows": self._total_flows,
            "result/impact-categories": self._no_impacts,
            "result/total-impacts": self._no_impacts,
        }

    def __call__(self, method: str, params: JsonValue) -> JsonValue:
        """Raises RpcError."""
        found = self._methods.get(method)
        if found is None:
            raise RpcError(UNKNOWN_METHOD, f"Does not understand: {method}")
        if not isinstance(params, dict):
            raise RpcError(BAD_REQUEST, "the request parameter must be a Json object")
        return found(params)

    # ── data ──

    def _get(self, asked: JsonObject) -> JsonObject:
        kind, id_, name = _kind(asked), _id(asked), asked.get("name")
        if id_:
            found = self._database.get(kind, id_)
        elif isinstance(name, str) and name:
            found = self._database.first_named(kind, name)
        else:
            raise RpcError(BAD_REQUEST, "no id or name provided")
        if found is None:
            raise RpcError(NOT_FOUND, "resource not found")
        return found

    def _all(self, asked: JsonObject) -> JsonValue:
        return [body for _, body in self._database.everything(_kind(asked))]

    def _descriptors(self, asked: JsonObject) -> JsonValue:
        kind = _kind(asked)
        return [self._ref(kind, body) for _, body in self._database.everything(kind)]

    def _providers(self, asked: JsonObject) -> JsonValue:
        flow_id = _id(asked)
        if flow_id and self._database.get("Flow", flow_id) is None:
            raise RpcError(NOT_FOUND, "resource not found")
        return [
            {"provider": _provider_ref(provider), "flow": self._descriptor("Flow", id_)}
            for id_, provider in self._database.provided(flow_id or None)
        ]

    def _put(self, entity: JsonObject) -> JsonValue:
        kind, id_ = _kind(entity), _id(entity) or str(uuid.uuid4())
        there = self._database.get(kind, id_) or {}
        if there.get("library"):
            raise RpcError(FAILED, "library data cannot be updated")
        with self._database.writing() as writer:
            writer.put(kind, {**entity, "@id": id_})
        return self._descriptor(kind, id_)

    def _delete(self, asked: JsonObject) -> JsonValue:
        kind, found = _kind(asked), self._get({**asked, "name": None})
        if found.get("library"):
            raise RpcError(FAILED, "library data cannot be deleted")
        with self._database.writing() as writer:
            writer.delete(kind, str(found["@id"]))
        return self._ref(kind, found)

    def _create_system(self, asked: JsonObject) -> JsonValue:
        process_id = _id(object_of(asked.get("process")))
        process = self._database.read(Process, process_id)
        if process is None:
            raise RpcError(FAILED, f"process does not exist: id={process_id}")
        if process.reference is None:
            raise RpcError(FAILED, "process does not have a quantitative reference")
        said = object_of(asked.get("config"))
        rules = Rules(
            ProviderLinking(str(said.get("providerLinking") or "PREFER_DEFAULTS")),
            prefer_unit_processes=said.get("preferUnitProcesses") is True,
        )
        where = Provider.of(process).location
        name = f"{process.name} - {where}" if where else process.name or ""
        with self._database.reading() as view:
            entity = writes.system(str(uuid.uuid4()), name, link_network(view, process, rules))
        return self._put(entity)

    # ── results ──

    def _calculate(self, setup: JsonObject) -> JsonValue:
        system = self._database.read(ProductSystem, _id(object_of(setup.get("target"))))
        if system is None:
            raise RpcError(FAILED, "the target of the calculation does not exist")
        amount = setup.get("amount")
        if isinstance(amount, int | float):
            system = system.model_copy(update={"target_amount": float(amount)})
        wanted = str(setup.get("allocation") or "USE_DEFAULT_ALLOCATION")
        allocation = _ALLOCATIONS.get(wanted)
        if allocation is None:
            raise RpcError(FAILED, f"the allocation {wanted} is not computed here")
        id_ = str(uuid.uuid4())
        try:
            with self._database.reading() as view:
                self._results[id_] = solve(build(view, system, allocation))
        except (NotAllocated, Singular, UnitMistake, ValueError) as exc:
            raise RpcError(FAILED, f"{type(exc).__name__}: {exc}") from exc
        return self._state(id_)

    def _state(self, id_: str) -> JsonObject:
        if id_ not in self._results:
            return {"error": "does not exist"}
        return {"@id": id_, "isReady": True, "isScheduled": False, "time": 0}

    def _dispose(self, asked: JsonObject) -> JsonValue:
        self._results.pop(_result_id(asked), None)
        return {"@id": _result_id(asked)}

    def _scaling_factors(self, asked: JsonObject) -> JsonValue:
        found = self._result(asked)
        pairs = zip(found.matrices.nodes, found.scaling, strict=True)
        return [
            {"techFlow": self._tech_flow(process, flow), "amount": amount}
            for (process, flow), amount in pairs
        ]

    def _total_flows(self, asked: JsonObject) -> JsonValue:
        found = self._result(asked)
        pairs = zip(found.matrices.flows, found.inventory, strict=True)
        return [
            {
                "enviFlow": {"flow": self._descriptor("Flow", flow.id), "isInput": amount < 0},
                "amount": abs(amount),
            }
            for flow, amount in pairs
        ]

    def _no_impacts(self, asked: JsonObject) -> JsonValue:
        """There is no method in a setup that was calculated here."""
        self._result(asked)
        return []

    def _result(self, asked: JsonObject) -> Solution:
        found = self._results.get(_result_id(asked))
        if found is None:
            raise RpcError(NOT_FOUND, "resource not found")
        return found

    # ── references ──

    def _tech_flow(self, process_id: str, flow_id: str) -> JsonObject:
        return {
            "provider": self._descriptor("Process", process_id),
            "flow": self._descriptor("Flow", flow_id),
        }

    def _descriptor(self, kind: str, id_: str) -> JsonObject:
        return self._ref(kind, self._database.get(kind, id_) or {"@id": id_})

    def _ref(self, kind: str, body: JsonObject) -> JsonObject:
        """Return a reference with what openLCA's own say beside it."""
        ref: JsonObject = {"@type": kind, "@id": body["@id"], "name": body.get("name")}
        if body.get("category"):
            ref["category"] = body["category"]
        if kind == "Flow":
            unit = self._database.reference_unit_of(Flow.model_validate(body))
            ref |= {"flowType": body.get("flowType"), "refUnit": unit.name if unit else None}
        if kind == "Process":
            ref |= _provider_ref(Provider.of(Process.model_validate(body)))
        return {key: value for key, value in ref.items() if value is not None}


def _provider_ref(provider: Provider) -> JsonObject:
    return {
        "@type": "Process",
        "@id": provider.id,
        "name": provider.name,
        "processType": provider.process_type or LCI_RESULT,
        "location": provider.location or None,
    }


def _kind(asked: JsonObject) -> str:
    kind = asked.get("@type")
    if not isinstance(kind, str) or kind not in _KINDS:
        raise RpcError(
            INVALID_PARAMS, "Invalid parameters: no valid @type attribute present in request"
        )
    return kind


def _id(asked: JsonObject) -> str:
    return str(asked.get("@id") or "")


def _result_id(asked: JsonObject) -> str:
    found = _id(asked)
    if not found:
        raise RpcError(INVALID_PARAMS, "Invalid parameters: no result ID @id provided")
    return found
