"""A real database: USLCI, in the old schema, of 766 processes. It lies beside the project."""

from __future__ import annotations

from pathlib import Path

import pytest

from sayso.packs.openlca.database import Database
from sayso.packs.openlca.zips import Imported, import_zip

ZIP = Path(__file__).parents[3] / "shared/data/uslci_fy17_olca_json_ld.zip"
pytestmark = pytest.mark.skipif(not ZIP.exists(), reason=f"USLCI is not at {ZIP}")


@pytest.fixture(scope="module")
def uslci(tmp_path_factory: pytest.TempPathFactory) -> tuple[Database, Imported]:
    target = tmp_path_factory.mktemp("uslci") / "uslci.db"
    return Database(target), import_zip(ZIP, target)


def test_it_comes_in_whole(uslci: tuple[Database, Imported]) -> None:
    database, found = uslci
    assert dict(found.counts) == {
        "UnitGroup": 27,
        "FlowProperty": 33,
        "Location": 11,
        "Actor": 77,
        "Source": 686,
        "Flow": 4601,
        "Process": 766,
        "Exchange": 32526,
    }
    assert dict(found.losses) == {
        "ids of exchanges (schema 2 numbers them)": 32526,
        "allocation factors that name no product (kept, not used)": 11642,
        "allocation factors whose exchange is not clear (kept, not used)": 11411,
    }
    total, hits = database.search_flows("electricity", limit=5, offset=0)
    assert total > 20
    assert all("electricity" in (hit.flow.name or "").casefold() for hit in hits)
