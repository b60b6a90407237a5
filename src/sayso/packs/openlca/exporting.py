"""The tool that writes a whole database into a zip, for openLCA to import."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from sayso import Prepared, ToolMistake, tool
from sayso.core.digest import JsonObject
from sayso.packs.openlca.database import Database
from sayso.packs.openlca.zips import export_zip

FileName = Annotated[str, Field(title="Name of the file", min_length=1, max_length=100)]


def export_tool(database: Database) -> object:
    """Return the tool of one database; its files lie beside that, in `exports`."""
    folder = database.path.parent / "exports"

    @tool(approval=True, idempotent=True, on_error="failed", editable=["file_name"])
    def export_database(file_name: FileName) -> JsonObject:
        """Write the whole database into a JSON-LD zip, which openLCA 2 imports."""
        target = _target(folder, file_name)
        folder.mkdir(parents=True, exist_ok=True)
        counts = export_zip(database, target)
        return {"status": "success", "file": str(target), "counts": {**counts}}

    @export_database.prepare
    def propose_export(file_name: str) -> Prepared:
        target = _target(folder, file_name)
        there = target.exists()
        return Prepared(
            message=f"Ready to export '{database.label}'",
            entity_type="file",
            action="replace" if there else "create",
            summary=f"File: {target.name}",
            details={"file": str(target), "entities": {**database.counts()}},
            impact=f"Will write {target.name}, and change nothing in the database",
            warnings=[f"{target.name} is there already, and is replaced."] if there else [],
            context={"database": database.label},
        )

    return export_database


def _target(folder: Path, given: str) -> Path:
    """Raises ToolMistake for a name that would lie elsewhere."""
    name = given.strip().removesuffix(".zip")
    if not name or Path(name).name != name or name.startswith(".") or "\\" in name:
        raise ToolMistake(
            f"'{given}' is no name of a file", suggestion="Use letters, digits and dashes."
        )
    return folder / f"{name}.zip"
