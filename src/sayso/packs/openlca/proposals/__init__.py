"""What each creating tool proposes, before anything is written. Nothing here writes."""

from __future__ import annotations

from sayso.packs.openlca.proposals.entities import ProcessType, propose_process, propose_product
from sayso.packs.openlca.proposals.exchanges import NewExchange, propose_exchanges
from sayso.packs.openlca.proposals.proposal import as_result, new_id
from sayso.packs.openlca.proposals.system import Linking, fingerprint, propose_system

__all__ = [
    "Linking",
    "NewExchange",
    "ProcessType",
    "as_result",
    "fingerprint",
    "new_id",
    "propose_exchanges",
    "propose_process",
    "propose_product",
    "propose_system",
]
