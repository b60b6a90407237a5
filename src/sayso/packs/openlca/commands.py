"""`sayso openlca`: databases in and out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sayso.core.errors import InvalidInput
from sayso.packs import data_dir

commands = typer.Typer(help="Databases of the openLCA pack.", no_args_is_help=True)

Data = Annotated[
    Path | None,
    typer.Option("--data", help="The data directory.", envvar="SAYSO_DATA_DIR"),
]
Name = Annotated[str, typer.Option("--db", help="The name of the database.")]


@commands.command("import")
def import_command(
    file: Annotated[Path, typer.Argument(help="A JSON-LD zip, of schema 1 or 2.")],
    *,
    db: Name = "",
    merge: Annotated[bool, typer.Option("--merge", help="Add to what is there.")] = False,
    data: Data = None,
) -> None:
    """Import a zip into a database: all of it, or nothing."""
    from rich.progress import Progress

    from sayso.packs.openlca.zips import import_zip

    name = db or file.stem.lower()
    with Progress(transient=True) as bar:
        task = bar.add_task(file.name)
        found = import_zip(
            file,
            _path(data, name),
            merge=merge,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )
    typer.echo(f"Imported into '{name}':")
    for kind, count in sorted(found.counts.items()):
        typer.echo(f"  {count:>8} {kind}")
    typer.echo("Not taken over:" if found.losses else "Nothing was left out.")
    for what, count in sorted(found.losses.items()):
        typer.echo(f"  {count:>8} {what}")
    typer.echo(f"Work on it with SAYSO_OPENLCA_DB={name} sayso serve sayso.packs.openlca:app")


@commands.command("export")
def export_command(
    file: Annotated[Path, typer.Argument(help="The zip to write.")],
    *,
    db: Name = "demo",
    data: Data = None,
) -> None:
    """Export a database as a JSON-LD zip of schema 2, which openLCA 2 imports."""
    from sayso.packs.openlca.database import Database
    from sayso.packs.openlca.zips import export_zip

    path = _path(data, db)
    if not path.exists():
        raise InvalidInput(f"There is no database '{db}'.", fix="`sayso openlca list` has them.")
    counts = export_zip(Database(path), file)
    typer.echo(f"{sum(counts.values())} entities of '{db}' are in {file}.")


@commands.command("gateway")
def gateway_command(
    *,
    upstream: Annotated[
        str, typer.Option("--upstream", help="The address of openLCA's IPC server.")
    ] = "",
    db: Name = "demo",
    port: Annotated[int, typer.Option(help="The port to listen on.")] = 8081,
    on: Annotated[
        str | None, typer.Option("--on", help="The address of Sayso, if it is not on this machine.")
    ] = None,
    data: Data = None,
) -> None:
    """Stand before an openLCA (or before a database of ours): each write of any client is asked."""
    from sayso import serve_asgi
    from sayso.packs.openlca.gateway import gateway_before

    name = upstream or db
    serve_asgi(
        gateway_before(_folder(data), upstream=upstream, db=db, on=on, data=data),
        port=port,
        ready=lambda address: typer.echo(
            f"Before {name} at {address}: reads pass, writes wait in the inbox. Ctrl+C stops"
        ),
    )


@commands.command("list")
def list_command(*, data: Data = None) -> None:
    """List the databases, and what each holds."""
    from sayso.packs.openlca.database import Database

    for path in sorted(_path(data, "demo").parent.glob("*.db")):
        counts = Database(path).counts()
        held = f"{counts.get('Process', 0)} processes, {counts.get('Flow', 0)} flows"
        typer.echo(f"{path.stem}: {held}")


def _path(data: Path | None, name: str) -> Path:
    if not name or Path(name).name != name or name.startswith("."):
        raise InvalidInput(f"'{name}' is no name of a database.", fix="Use letters and digits.")
    return _folder(data) / "openlca" / f"{name}.db"


def _folder(data: Path | None) -> Path:
    return data or data_dir()
