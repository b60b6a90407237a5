"""`sayso audit` and `sayso db`."""

from __future__ import annotations

import asyncio
from pathlib import Path

import orjson
import typer

from sayso.cli.cards import clean, escaped
from sayso.cli.connection import connect, objects, opened
from sayso.core.audit import AuditResult, ExportResult
from sayso.core.digest import JsonObject
from sayso.core.errors import InvalidInput, NotFound
from sayso.core.ledger import ledger_line
from sayso.settings import Settings

#: The exit code of each result; 2 is that of a command that could not be carried out.
_EXIT = {
    AuditResult.WHOLE: 0,
    AuditResult.BROKEN: 1,
    AuditResult.UNSEALED_TAIL: 3,
    AuditResult.NOT_CHECKABLE: 4,
}


def verify(data: Path | None, *, against: str | None, as_json: bool) -> int:
    """Print the result; return the exit code."""
    with connect(data) as rows:
        report = rows.verify(against)
    result = AuditResult(str(report["result"]))
    if as_json:
        typer.echo(orjson.dumps(report).decode())
        return _EXIT[result]
    values = report | {"sealed_at": report["sealed_at"] or "none yet"}
    typer.echo(_RESULTS[result].format_map(values), err=result is not AuditResult.WHOLE)
    if result is AuditResult.WHOLE and report["older_than_key"]:
        typer.echo(_OLDER.format_map(report))
    for one in objects(report, "broken"):
        where = f"Chat {one['chat_id']}, line" if one["chat_id"] else "Seal"
        typer.echo(f"{where} {one['number']}: {one['detail']}", err=True)
    return _EXIT[result]


_RESULTS = {
    AuditResult.WHOLE: "Whole, up to {sealed_at}: {lines} lines, and every row is as they say.",
    AuditResult.BROKEN: "Broken: this is not what was written.",
    AuditResult.UNSEALED_TAIL: "Unsealed tail: {unsealed} lines are newer than the last seal "
    "({sealed_at}), which is older than it should be. They may be all that is left of more. If no "
    "server runs, its next start seals them.",
    AuditResult.NOT_CHECKABLE: "Not checkable: the key is missing for {without_key} lines and "
    "seals (ids: {missing_keys}), and {older_unsealed} lines are older than any key.",
}
_OLDER = (
    "{older_than_key} of the lines are older than the key: the first seal vouches that they are "
    "as it found them."
)


def verify_export(data: Path | None, file: Path, *, as_json: bool) -> int:
    """Print whether this document is as it was given out; return the exit code."""
    try:
        document = orjson.loads(file.read_bytes())
    except (OSError, ValueError) as exc:
        raise InvalidInput(f"{file} cannot be read as JSON: {exc}") from exc
    if not isinstance(document, dict):
        raise InvalidInput(f"{file} is no exported card or chat.")
    with connect(data) as rows:
        result = rows.check_export(document)
    if as_json:
        typer.echo(orjson.dumps({"result": result.value}).decode())
    else:
        typer.echo(_EXPORTS[result].format(file=file), err=result is not ExportResult.GENUINE)
    return _EXPORT_EXIT[result]


_EXPORTS = {
    ExportResult.GENUINE: "Genuine: {file} is as it was given out.",
    ExportResult.CHANGED: "Changed: {file} is not what was given out, or not by this tenant.",
    ExportResult.UNKNOWN_KEY: "Not checkable: {file} was signed with a key that is not here.",
}
_EXPORT_EXIT = {ExportResult.GENUINE: 0, ExportResult.CHANGED: 1, ExportResult.UNKNOWN_KEY: 4}


def head(data: Path | None, *, as_json: bool) -> None:
    """Print what to keep elsewhere. Raises NotFound before anything is sealed."""
    with connect(data) as rows:
        found = rows.head()
    if as_json:
        return typer.echo(orjson.dumps(found).decode())
    if found["head"] is None:
        raise NotFound("Nothing is sealed yet.", fix="A server seals what is decided, at once.")
    typer.echo(str(found["head"]))


def show(data: Path | None, *, chat: str | None, limit: int, as_json: bool) -> None:
    with connect(data) as rows:
        entries = rows.audit(chat, limit)
    if as_json:
        typer.echo(escaped(orjson.dumps({"entries": entries}, option=orjson.OPT_INDENT_2)))
        return
    # A line each, never wrapped by us: it can be searched, and ids can be copied.
    if not entries:
        return typer.echo("Nothing has been decided yet.")
    lines = [_cells(entry) for entry in entries]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        typer.echo("  ".join(cells).rstrip())


def _cells(entry: JsonObject) -> tuple[str, ...]:
    """Return time, who, what, decision and outcome; then the ids, to look further."""
    body = entry["body"]
    action, actor = str(entry["action"]), entry["actor"]
    line = ledger_line(
        action,
        actor if isinstance(actor, str) else None,
        body if isinstance(body, dict) else {},
    )
    texts = (line.who, line.what, line.decision, line.outcome)
    ids = (action, str(entry["subject"]), str(entry["chat_id"]))
    return (str(entry["at"])[:19], *(clean(cell or "–") for cell in (*texts, *ids)))


def upgrade(data: Path | None) -> None:
    """Open the store, which migrates it, and close it again."""
    settings = Settings() if data is None else Settings(data_dir=data)

    async def run() -> None:
        async with opened(settings):
            pass

    settings.data_dir.mkdir(parents=True, exist_ok=True)
    asyncio.run(run())
    typer.echo(f"{settings.database} is up to date.")
