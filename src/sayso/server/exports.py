"""Artifacts and tables as files to be saved."""

from __future__ import annotations

import csv
import io
import re
from codecs import BOM_UTF8
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from fastapi import HTTPException
from starlette.responses import Response

from sayso.core.chat_view import ArtifactItem
from sayso.core.offerings import Exporter

# A cell that begins so is a formula to a spreadsheet; OWASP's list.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_INNER = re.compile(r"([;\t\r\n|]\s*)([=+\-@＝＋－＠])")
_KINDS = {
    "markdown": ("text/markdown; charset=utf-8", "md"),
    "csv": ("text/csv; charset=utf-8", "csv"),
    "ics": ("text/calendar; charset=utf-8", "ics"),
}


def exported(artifact: ArtifactItem, exporters: Mapping[str, Exporter], format_: str) -> Response:
    """Export the artifact in a format of its application. Raises HTTPException 406 where it has
    none."""
    export = exporters.get(format_)
    if export is None:
        known = ", ".join(["json", *exporters])
        raise HTTPException(
            406, f"This artifact has no form {format_!r}; it can be had as: {known}."
        )
    try:
        made = export(artifact)
    except ValueError as exc:
        raise HTTPException(
            406, f"What this artifact holds now is not available as {format_}: {_first_line(exc)}."
        ) from exc
    media_type, ending = _KINDS.get(format_, ("text/plain; charset=utf-8", "txt"))
    # Without the mark a spreadsheet takes UTF-8 for its own old code page.
    body = made.encode() if isinstance(made, str) else BOM_UTF8 + b"".join(map(csv_line, made))
    headers = {
        "Content-Disposition": _attachment(artifact.title, ending),
        "Cache-Control": "no-store",
        "ETag": f'"{artifact.version}"',
    }
    return Response(body, 200, headers, media_type)


def csv_line(cells: Sequence[object]) -> bytes:
    """Write a line of CSV in which no cell is a formula. Each is quoted; numbers stay numbers."""
    line = io.StringIO()
    csv.writer(line, quoting=csv.QUOTE_ALL).writerow(
        "" if cell is None else _plain(cell) for cell in cells
    )
    return line.getvalue().encode()


def _plain(cell: object) -> object:
    if isinstance(cell, int | float):
        return cell
    text = str(cell)
    # Where a semicolon separates cells, a line's quotes are text to a reader, and what follows one
    # within a cell begins another.
    inner = _INNER.sub(r"\1'\2", text)
    return f"'{inner}" if text.startswith(_FORMULA) else inner


def _attachment(title: str, ending: str) -> str:
    """Return the header of RFC 6266: a plain ASCII name for old clients, and the whole name."""
    name = re.sub(r"[^\w\- ]+", "", title).strip()[:80] or "artifact"
    ascii_name = name.encode("ascii", "ignore").decode().strip() or "artifact"
    return (
        f"attachment; filename=\"{ascii_name}.{ending}\"; filename*=UTF-8''{quote(name)}.{ending}"
    )


def _first_line(exc: ValueError) -> str:
    from pydantic import ValidationError

    if isinstance(exc, ValidationError):
        first = exc.errors(include_url=False)[0]
        return f"{'/'.join(str(part) for part in first['loc'])}: {first['msg']}"
    return str(exc).rstrip(".")
