"""The inventory of a product system, and impacts from it. scipy is imported when it is needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from pydantic import BaseModel

from sayso import NotSupportedError
from sayso.packs.openlca.matrices import Entry, Matrices


class Singular(Exception):
    """No amounts of these processes balance: they only feed each other."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(" → ".join(names))
        self.names = list(names)


class Method(BaseModel):
    """An impact category, by flow id."""

    name: str
    unit: str
    source: str
    factors: list[tuple[str, str, float]]

    @property
    def by_flow(self) -> dict[str, float]:
        return {flow_id: factor for flow_id, _, factor in self.factors}


#: Of the sixteen digits of a number, this many may be lost.
_MOST_AMPLIFIED = 1e12
#: Of what goes through a product, this much may be missing.
_LEFT = 1e-9


@dataclass(frozen=True, slots=True)
class Solution:
    matrices: Matrices
    #: How much of each node runs, as a multiple of what its process says.
    scaling: list[float]
    #: What goes to nature (positive) and comes from it (negative), by flow.
    inventory: list[float]

    def impact(self, factors: Mapping[str, float]) -> float:
        return sum(
            amount * factors.get(flow.id, 0.0)
            for flow, amount in zip(self.matrices.flows, self.inventory, strict=True)
        )

    def contributions(self, factors: Mapping[str, float]) -> dict[str, float]:
        """Return the impact of each process's own exchanges with nature."""
        found: dict[str, float] = {}
        matrices = self.matrices
        for row, column, value in matrices.nature:
            factor = factors.get(matrices.flows[row].id)
            if factor:
                process = matrices.nodes[column][0]
                found[process] = found.get(process, 0.0) + factor * value * self.scaling[column]
        return found


def solve(matrices: Matrices) -> Solution:
    """Raises Singular; NotSupportedError without scipy."""
    try:
        import numpy
        from scipy.sparse.linalg import splu
    except ImportError as exc:
        raise NotSupportedError(
            "Calculating needs scipy, which is not installed.",
            fix="Install it with `pip install 'sayso[openlca]'`.",
        ) from exc
    size = len(matrices.nodes)
    whole = _sparse(matrices.technosphere, size, size)
    # What nothing is taken of is nothing, and no loop of it stands in the way.
    needed = _reached(whole)
    technosphere = whole[needed][:, needed]
    demand = numpy.zeros(len(needed))
    demand[0] = matrices.demand
    try:
        factors = splu(technosphere)
    except RuntimeError as exc:
        raise Singular(_loop(matrices, technosphere, needed)) from exc
    found = factors.solve(demand)
    # Once more with what is left: amounts lie ten orders of magnitude apart.
    found += factors.solve(demand - technosphere @ found)
    # A loop that balances but for rounding has factors, and no answer: each number of the matrix is
    # changed by a little, and by how much the answer follows does not depend on any unit.
    little = abs(technosphere) @ numpy.abs(found) * numpy.cos(numpy.arange(1, len(needed) + 1))
    follows = numpy.abs(factors.solve(little))
    lost = (found != 0) & ~(follows <= _MOST_AMPLIFIED * numpy.abs(found))
    if lost.any():
        # What is but the rounding of other numbers can be left out, and a loop cannot.
        found[lost] = 0.0
        left = numpy.abs(demand - technosphere @ found)
        if not (left <= _LEFT * (abs(technosphere) @ numpy.abs(found) + abs(demand))).all():
            raise Singular(_loop(matrices, technosphere, needed))
    scaling = numpy.zeros(size)
    scaling[needed] = found
    inventory = _sparse(matrices.nature, len(matrices.flows), size) @ scaling
    return Solution(matrices, scaling.tolist(), inventory.tolist())


@cache
def gwp100() -> Method:
    found = files("sayso.packs.openlca") / "reference" / "gwp100.json"
    return Method.model_validate_json(found.read_bytes())


def _sparse(entries: Sequence[Entry], rows: int, columns: int):  # type: ignore[no-untyped-def]  # scipy has no types
    from scipy.sparse import csc_matrix

    at = ([row for row, _, _ in entries], [column for _, column, _ in entries])
    return csc_matrix(([value for _, _, value in entries], at), shape=(rows, columns))


def _reached(technosphere) -> Sequence[int]:  # type: ignore[no-untyped-def]  # scipy has no types
    """Return the nodes that the first one takes of, it first, and those that these take of."""
    from scipy.sparse.csgraph import breadth_first_order

    technosphere.eliminate_zeros()
    reached: Sequence[int] = breadth_first_order(technosphere.T, 0, return_predecessors=False)
    return reached


def _loop(matrices: Matrices, technosphere, needed) -> list[str]:  # type: ignore[no-untyped-def]  # scipy has no types
    """Return the names of the smallest set of processes that cannot be balanced."""
    import numpy
    from scipy.sparse.csgraph import connected_components

    nodes = [matrices.nodes[number] for number in needed]
    _, labels = connected_components(technosphere, connection="strong")
    for label in sorted(set(labels), key=lambda one: int((labels == one).sum())):
        at = numpy.flatnonzero(labels == label)
        block = technosphere[at][:, at].toarray()
        for axis in (0, 1):  # or tonnes beside milligrams would look like a loop
            largest = numpy.abs(block).max(axis=axis, keepdims=True)
            block = block / numpy.where(largest, largest, 1.0)
        if numpy.linalg.matrix_rank(block) < len(at):
            ids = dict.fromkeys(nodes[number][0] for number in at)
            return [matrices.process_names.get(one, one) for one in ids]
    return [matrices.process_names.get(one, one) for one, _ in nodes[:5]]
