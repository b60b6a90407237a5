"""What openLCA's IPC server can be asked for, and which of it is let through: the names are those
of its `DataHandler`, `ResultHandler` and `ExportHandler`."""

from __future__ import annotations

_RESULTS = """
calculate cost-contributions cost-intensities-of demand direct-costs-of direct-impact-of
direct-impacts-of direct-intervention-of direct-interventions-of dispose envi-flows
flow-contributions-of flow-impact-of flow-impacts-of flow-intensities-of flow-intensity-of
grouped-cost-results grouped-flow-results-of grouped-impact-results-of impact-categories
impact-contributions-of impact-factor-of impact-factors-of impact-intensities-of impact-intensity-of
sankey scaled-tech-flows-of scaling-factors simulate simulate/next state tech-flows total-costs
total-costs-of total-flow-value-of total-flows total-impact-of total-impact-value-of total-impacts
total-impacts-of total-impacts/normalized total-impacts/weighted total-intervention-of
total-interventions-of total-requirements total-requirements-of totality-factor-of totality-factors
unscaled-tech-flows-of upstream-costs-of upstream-impacts-of upstream-interventions-of
"""

PUT, PUT_FILE, DELETE, CREATE_SYSTEM = (
    "data/put", "data/put/source-file", "data/delete", "data/create/system",
)  # fmt: skip
#: What changes the database.
WRITES = frozenset({PUT, PUT_FILE, DELETE, CREATE_SYSTEM})
READS = frozenset(
    [
        "data/get",
        "data/get/all",
        "data/get/descriptor",
        "data/get/descriptors",
        "data/get/parameters",
        "data/get/providers",
        "export/json-ld",
        *(f"result/{name}" for name in _RESULTS.split()),
    ]
)
