"""`sayso audit` and `sayso db`."""

from __future__ import annotations

import asyncio
from pathlib import Path

import orjson
import typer

from sayso.cli.cards import clean
from sayso.cli.reach import reach
from sayso.settings import Settings


def verify(data: Path | None, *, as_json: bool) -> int:
    """Say whether every chain is intact; the exit code."""
    with reach(data) as rows:
        broken = rows.verify()
    if as_json:
        typer.echo(orjson.dumps({"intact": not broken, "broken": broken}).decode())
    elif not broken:
        typer.echo("The audit log is intact: every line fits the one before it.")
    for one in broken if not as_json else []:
        typer.echo(f"Chat {one['chat_id']}: broken at line {one['number']}.", err=True)
    return 1 if broken else 0


def show(data: Path | None, *, chat: str | None, limit: int, as_json: bool) -> None:
    with reach(data) as rows:
        entries = rows.audit(chat, limit)
    if as_json:
        typer.echo(orjson.dumps({"entries": entries}, option=orjson.OPT_INDENT_2).decode())
        return
    # A line each, never wrapped by us: it can be searched, and ids can be copied.
    if not entries:
        return typer.echo("Nothing has been decided yet.")
    names = ("actor", "action", "subject", "chat_id")
    lines = [(str(entry["at"])[:19], *(clean(entry[n] or "–") for n in names)) for entry in entries]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        typer.echo("  ".join(cells).rstrip())


def upgrade(data: Path | None) -> None:
    """Open the store, which migrates it, and close it again."""
    from sayso.app import open_store

    settings = Settings() if data is None else Settings(data_dir=data)

    async def run() -> None:
        store = open_store(settings.database)
        await store.open()
        await store.close()

    settings.data_dir.mkdir(parents=True, exist_ok=True)
    asyncio.run(run())
    typer.echo(f"{settings.database} is up to date.")
