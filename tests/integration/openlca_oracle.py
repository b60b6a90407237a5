"""An exported zip as bw2calc's matrices: read by olca-schema, and computed from the schema's own
words. It imports nothing of the pack."""

from __future__ import annotations

from pathlib import Path

import bw2calc
import bw_processing
import numpy
import olca_schema
from olca_schema import zipio


def inventory(path: Path, system_id: str) -> dict[str, float]:
    """Return what one product system exchanges with nature, by flow id: outputs positive."""
    with zipio.ZipReader(str(path)) as reader:
        flows = {one.id: one for one in reader.read_each(olca_schema.Flow)}
        groups = {one.id: one for one in reader.read_each(olca_schema.UnitGroup)}
        processes = {one.id: one for one in reader.read_each(olca_schema.Process)}
        system = reader.read(olca_schema.ProductSystem, system_id)
    units = {unit.id: unit.conversion_factor for group in groups.values() for unit in group.units}
    provider = {
        (link.process.id, link.exchange.internal_id): link.provider.id
        for link in system.process_links
    }
    activity = {ref.id: n for n, ref in enumerate(system.processes, 1)}
    product = {id_: 10_000 + n for id_, n in activity.items()}
    nature: dict[str, int] = {}
    techno: dict[tuple[int, int], float] = {}
    bio: dict[tuple[int, int], float] = {}
    reference_amount = 0.0
    for id_, column in activity.items():
        for one in processes[id_].exchanges:
            flow = flows[one.flow.id]
            [factor] = [
                f.conversion_factor
                for f in flow.flow_properties
                if f.flow_property.id == one.flow_property.id
            ]
            amount = one.amount * units[one.unit.id] / factor
            if one.is_quantitative_reference:
                techno[product[id_], column] = techno.get((product[id_], column), 0.0) + amount
                if id_ == system.ref_process.id:
                    reference_amount = amount
            elif flow.flow_type is olca_schema.FlowType.ELEMENTARY_FLOW:
                row = nature.setdefault(flow.id, 100_000 + len(nature))
                bio[row, column] = bio.get((row, column), 0.0) + (
                    -amount if one.is_input else amount
                )
            elif (id_, one.internal_id) in provider:
                row = product[provider[id_, one.internal_id]]
                techno[row, column] = techno.get((row, column), 0.0) - amount
    package = bw_processing.create_datapackage()
    for name, matrix in (("technosphere_matrix", techno), ("biosphere_matrix", bio)):
        package.add_persistent_vector(
            matrix=name,
            indices_array=numpy.array(list(matrix), dtype=bw_processing.INDICES_DTYPE),
            data_array=numpy.array(list(matrix.values())),
        )
    lca = bw2calc.LCA({product[system.ref_process.id]: reference_amount}, data_objs=[package])
    lca.lci()
    totals = lca.inventory.sum(axis=1)
    return {id_: float(totals[lca.dicts.biosphere[row], 0]) for id_, row in nature.items()}
