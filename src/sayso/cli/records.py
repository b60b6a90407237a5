"""`sayso audit` and `sayso db`."""

from __future__ import annotations

import asyncio
from pathlib import Path

import orjson
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

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
    table = Table(box=None, pad_edge=False)
    for name in ("at", "actor", "action", "subject", "chat"):
        table.add_column(name, overflow="fold")
    for entry in entries:
        cells = (str(entry["at"])[:19], entry["actor"] or "–", entry["action"], entry["subject"])
        table.add_row(*(Text(clean(cell)) for cell in (*cells, entry["chat_id"])))
    Console().print(table)


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
