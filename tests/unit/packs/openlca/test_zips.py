"""Zips: what comes in goes out as it was, schema 1 is upgraded, a hostile one changes nothing."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import olca_schema
import olca_schema.zipio
import pytest
from typer.testing import CliRunner

from sayso.core.errors import InvalidInput
from sayso.packs.openlca.commands import commands
from sayso.packs.openlca.database import Database
from sayso.packs.openlca.zips import export_zip, import_zip

MASS = {"@type": "FlowProperty", "@id": "mass", "name": "Mass"}


def zipped(path: Path, files: dict[str, Any]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in files.items():
            archive.writestr(name, body if isinstance(body, str | bytes) else json.dumps(body))
    return path


def flow(id_: str = "f", **more: Any) -> dict[str, Any]:
    return {"@type": "Flow", "@id": id_, "name": id_, "flowType": "PRODUCT_FLOW", **more}


OLD: dict[str, Any] = {
    "top/context.json": {},
    "top/categories/c1.json": {"@type": "Category", "@id": "c1", "name": "Energy"},
    "top/categories/c2.json": {
        "@type": "Category",
        "@id": "c2",
        "name": "Coal",
        "category": {"@id": "c1"},
    },
    "top/categories/c3.json": {"@type": "Category", "@id": "c3", "name": "Empty"},
    "top/flows/f.json": {
        "@context": "http://olca",
        **flow(category={"@id": "c2", "name": "Coal"}),
        "infrastructureFlow": False,
        "flowProperties": [
            {"referenceFlowProperty": True, "flowProperty": MASS, "conversionFactor": 1}
        ],
    },
    "top/processes/p.json": {
        "@context": "http://olca",
        "@type": "Process",
        "@id": "p",
        "name": "Mining",
        "infrastructureProcess": False,
        "processDocumentation": {"copyright": False},
        "exchanges": [
            {
                "@id": "e1",
                "flow": {"@id": "f", "flowType": "PRODUCT_FLOW"},
                "input": False,
                "quantitativeReference": True,
                "avoidedProduct": False,
                "amount": 2,
                "pedigreeUncertainty": "(1;2;3;4;5)",
                "amountFormula": "a",
            }
        ],
        "parameters": [{"name": "a", "value": 2, "inputParameter": True}],
        "allocationFactors": [{"value": 1, "exchange": {"flow": {"@id": "f"}}}],
    },
    "top/readme.txt": "hello",
}


def test_schema_1_comes_in_as_schema_2(tmp_path: Path) -> None:
    found = import_zip(zipped(tmp_path / "old.zip", OLD), tmp_path / "mine.db")
    assert dict(found.counts) == {"Flow": 1, "Process": 1, "Exchange": 1}
    assert dict(found.losses) == {
        "categories that hold nothing": 1,
        "files that are no entities": 1,
        "ids of exchanges (schema 2 numbers them)": 1,
        "allocation factors that name no product (kept, not used)": 1,
    }
    database = Database(tmp_path / "mine.db")
    assert database.get("Flow", "f") == {
        **flow(category="Energy/Coal"),
        "isInfrastructureFlow": False,
        "flowProperties": [
            {"isRefFlowProperty": True, "flowProperty": MASS, "conversionFactor": 1}
        ],
    }
    process: Any = database.get("Process", "p")
    assert process["exchanges"] == [
        {
            "internalId": 1,
            "flow": {"@id": "f", "flowType": "PRODUCT_FLOW"},
            "isInput": False,
            "isQuantitativeReference": True,
            "isAvoidedProduct": False,
            "amount": 2,
            "dqEntry": "(1;2;3;4;5)",
            "amountFormula": "a",
        }
    ]
    assert process["lastInternalId"] == 1
    assert process["allocationFactors"] == [{"value": 1, "exchange": {"internalId": 1}}]
    assert [one.id for one in database.providers("f")] == ["p"]


def test_exchanges_that_are_no_list_are_told(tmp_path: Path) -> None:
    odd: dict[str, Any] = {"@type": "Process", "@id": "p", "exchanges": {}}
    found = import_zip(
        zipped(tmp_path / "odd.zip", {"processes/p.json": odd}), tmp_path / "mine.db"
    )
    assert dict(found.losses) == {"exchanges that are no list (kept, not used)": 1}
    assert Database(tmp_path / "mine.db").get("Process", "p") == odd


def test_what_goes_out_comes_in_as_it_was(database: Database, tmp_path: Path) -> None:
    with database.writing() as writer:
        writer.put("DQSystem", {"@type": "DQSystem", "@id": "d", "unknown": [1, {"x": None}]})
        writer.put("Currency", {"@type": "Currency", "@id": "eur", "code": "EUR"})
    counts = export_zip(database, tmp_path / "out.zip")
    found = import_zip(tmp_path / "out.zip", tmp_path / "again.db")
    assert not found.losses
    again = Database(tmp_path / "again.db")
    assert again.counts() == database.counts() == dict(counts)
    by_id = lambda one: (one[0], str(one[1]["@id"]))  # noqa: E731
    assert sorted(again.everything(), key=by_id) == sorted(database.everything(), key=by_id)
    with olca_schema.zipio.ZipReader(str(tmp_path / "out.zip")) as reader:
        processes = list(reader.read_each(olca_schema.Process))
    assert len(processes) == database.counts()["Process"]
    assert all(one.exchanges and one.location for one in processes)


def bomb(path: Path) -> Path:
    return zipped(path, {"flows/f.json": b" " * 3_000_000})


def twice(path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("flows/f.json", "{}")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("flows/f.json", "{}")
    return path


def cut(path: Path) -> Path:
    whole = zipped(path, {"flows/f.json": flow()}).read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    return path


HOSTILE: dict[str, tuple[Callable[[Path], Path] | dict[str, Any], str]] = {
    "bomb": (bomb, "unpacks to"),
    "cut": (cut, "no zip that can be read"),
    "twice": (twice, "twice"),
    "traversal": ({"../../flows/f.json": flow()}, "outside of itself"),
    "absolute": ({"/etc/flows/f.json": flow()}, "outside of itself"),
    "two of one id": ({"flows/a.json": flow(), "flows/b.json": flow()}, "have the id f"),
    "broken JSON": ({"flows/f.json": "{"}, "no JSON"),
    "a list": ({"flows/f.json": "[]"}, "holds no entity"),
    "another type": ({"flows/f.json": {**flow(), "@type": "Process"}}, "is a Process"),
    "no id": ({"flows/f.json": {"@type": "Flow"}}, "no @id"),
    "a later schema": ({"olca-schema.json": {"version": 9}, "flows/f.json": flow()}, "schema 9"),
    "nothing of openLCA": ({"hello.json": {}}, "no folder of openLCA's"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_zip_is_refused_and_changes_nothing(tmp_path: Path, name: str) -> None:
    made, told = HOSTILE[name]
    source = tmp_path / "hostile.zip"
    path = zipped(source, made) if isinstance(made, dict) else made(source)
    kept = tmp_path / "kept.db"
    import_zip(zipped(tmp_path / "good.zip", {"flows/k.json": flow("k")}), kept)
    with pytest.raises(InvalidInput, match=told):
        import_zip(path, tmp_path / "new.db")
    assert not (tmp_path / "new.db").exists()
    with pytest.raises(InvalidInput, match=told):
        import_zip(path, kept, merge=True)
    assert Database(kept).counts() == {"Flow": 1}


def test_a_mistake_at_the_end_leaves_nothing_of_the_beginning(tmp_path: Path) -> None:
    files = {f"flows/{n}.json": flow(str(n)) for n in range(50)}
    source = zipped(tmp_path / "x.zip", {**files, "processes/p.json": "{"})
    kept = tmp_path / "kept.db"
    import_zip(zipped(tmp_path / "good.zip", {"flows/k.json": flow("k")}), kept)
    with pytest.raises(InvalidInput):
        import_zip(source, kept, merge=True)
    assert Database(kept).counts() == {"Flow": 1}


def test_of_one_id_the_newer_version_wins(tmp_path: Path) -> None:
    target = tmp_path / "mine.db"
    first = {"flows/a.json": flow("a", version="01.00.002"), "flows/b.json": flow("b")}
    import_zip(zipped(tmp_path / "1.zip", first), target)
    second = zipped(
        tmp_path / "2.zip",
        {
            "flows/a.json": flow("a", version="01.00.001", description="old"),
            "flows/b.json": flow("b", version="01.00.000", description="new"),
            "flows/c.json": flow("c"),
        },
    )
    with pytest.raises(InvalidInput, match="not empty"):
        import_zip(second, target)
    found = import_zip(second, target, merge=True)
    assert dict(found.counts) == {"Flow": 2, "Exchange": 0}
    assert dict(found.losses) == {"Flow: older than what is there": 1}
    database = Database(target)
    assert "description" not in (database.get("Flow", "a") or {})
    assert (database.get("Flow", "b") or {})["description"] == "new"


def test_the_commands(tmp_path: Path) -> None:
    run = CliRunner()
    source = str(zipped(tmp_path / "Old.zip", OLD))
    said = run.invoke(commands, ["import", source, "--data", str(tmp_path)])
    assert said.exit_code == 0, said.output
    assert "1 Exchange" in said.output
    assert "1 categories that hold nothing" in said.output
    said = run.invoke(commands, ["list", "--data", str(tmp_path)])
    assert said.output == "old: 1 processes, 1 flows\n"
    out = str(tmp_path / "out.zip")
    said = run.invoke(commands, ["export", out, "--db", "old", "--data", str(tmp_path)])
    assert "2 entities of 'old' are in" in said.output
    for wrong in (["export", out, "--db", "none"], ["import", source, "--db", "../x"]):
        refused = run.invoke(commands, [*wrong, "--data", str(tmp_path)])
        assert isinstance(refused.exception, InvalidInput), wrong
