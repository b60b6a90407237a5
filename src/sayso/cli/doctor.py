"""`sayso doctor`: looks at everything a start needs, and says in plain words what to do."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import httpx
from rich.console import Console
from rich.text import Text

from sayso._version import __version__
from sayso.adapters.findings import FindingKind
from sayso.cli.connection import opened, running_server
from sayso.core.errors import SaysoError
from sayso.settings import Settings

LOWEST_PYTHON = (3, 11)
_STATES: dict[FindingKind, Literal["ok", "note", "bad"]] = {
    FindingKind.WORKS: "ok",
    FindingKind.CAVEAT: "note",
    FindingKind.REFUSED: "bad",
}
_SIGN = {"ok": ("✓", "green"), "note": ("·", "dim"), "bad": ("✗", "red")}


@dataclass(frozen=True, slots=True)
class Finding:
    """`note` is for information; `bad` keeps Sayso from working, and has a remedy."""

    state: Literal["ok", "note", "bad"]
    text: str
    fix: str = ""


def report(target: str | None, data: Path | None, port: int | None) -> int:
    """Print every finding, those of the app at `target` (module:attr) too; the exit code is 1 when
    something is bad."""
    console = Console()
    bad = 0
    given: dict[str, object] = {"data_dir": data, "port": port}
    chosen = {name: value for name, value in given.items() if value is not None}
    settings = Settings.model_validate(Settings().model_dump() | chosen)
    for finding in (*examine(settings), *_app(target)):
        sign, style = _SIGN[finding.state]
        console.print(Text.assemble((f"{sign} ", style), finding.text), soft_wrap=True)
        if finding.fix:
            console.print(Text(f"  → {finding.fix}"), soft_wrap=True)
        bad += finding.state == "bad"
    return 1 if bad else 0


def examine(settings: Settings) -> Iterator[Finding]:
    yield _python()
    yield from _server(settings)
    yield _folder(settings.data_dir)
    yield _database(settings)
    yield _console()
    yield _extras()
    yield from _model()


def _app(target: str | None) -> Iterator[Finding]:
    if target is None:
        return
    from sayso.app import undeclared_line
    from sayso.cli.serving import load

    try:
        app = load(target)
        found = app.findings()
        for one in found:
            yield Finding(_STATES[one.kind], f"{one.agent}: {one.text}", one.fix)
        if any(one.kind is FindingKind.REFUSED for one in found):
            return
        app.programs()
        text = undeclared_line(app)
    except SaysoError as exc:
        yield Finding("bad", exc.detail, exc.fix)
        return
    yield Finding("ok", f"{target} can be served: {', '.join(app.agent_names)}.")
    if text:
        yield Finding("note", text)


def _python() -> Finding:
    text = f"Sayso {__version__} on Python {platform.python_version()}"
    # pip refuses an older Python; a copied folder does not.
    if sys.version_info < LOWEST_PYTHON:
        return Finding("bad", text, "Sayso needs Python 3.11 or newer.")
    return Finding("ok", text)


def _health(client: httpx.Client) -> Finding:
    """Return what the running server says of itself."""
    try:
        health = client.get("/api/health").json()
    except httpx.HTTPError as exc:
        return Finding("bad", f"It does not answer: {exc!r}.", "Look at its log, or restart it.")
    if health["status"] == "ok":
        return Finding("ok", "It is well, and its database can be written.")
    why = health["detail"] or "Its worker stands still"
    return Finding("bad", f"It is not well: {why}.", health["fix"] or "Restart it.")


def _asks_who(client: httpx.Client) -> bool:
    try:
        return bool(client.get("/api/session").json().get("needs_login"))
    except (httpx.HTTPError, ValueError):
        return False


def _sign_in(is_asked: bool) -> Finding:
    if is_asked:
        return Finding("ok", "Who answers has to sign in.")
    return Finding(
        "note",
        "Nobody has to sign in: what is asked from outside is answered without sign-in, by any "
        "program of this user as well.",
        "sayso serve --sign-in",
    )


def _server(settings: Settings) -> Iterator[Finding]:
    from sayso.server import process

    client = running_server(settings.data_dir)
    if client is not None:
        yield Finding("ok", f"A server runs on this folder: {client.base_url}")
        yield _health(client)
        yield _sign_in(_asks_who(client))
        client.close()
        return
    yield Finding("note", "No server runs on this folder.")
    yield _sign_in(bool(settings.tokens) or settings.sign_in)
    try:
        process.bind(settings.host, settings.port).close()
        yield Finding("ok", f"Port {settings.port} is free.")
    except SaysoError as exc:
        yield Finding("bad", exc.detail, exc.fix)


def _folder(folder: Path) -> Finding:
    there = next(path for path in (folder, *folder.parents) if path.exists())
    if not there.is_dir():
        return Finding("bad", f"{there} is not a folder.", "Name another with --data.")
    if not os.access(there, os.R_OK | os.W_OK | os.X_OK):
        return Finding(
            "bad", f"{there} cannot be written.", "Change its permissions, or name another: --data."
        )
    return Finding("ok", f"{folder} can be written.")


def _database(settings: Settings) -> Finding:
    if not settings.database.exists():
        return Finding("note", "There is no database yet; the first start makes it.")

    async def look() -> None:
        async with opened(settings) as store:
            await store.check()

    try:
        asyncio.run(look())
    except SaysoError as exc:
        return Finding("bad", f"{settings.database}: {exc.detail}", exc.fix)
    return Finding("ok", f"{settings.database} can be read and written.")


def _console() -> Finding:
    from sayso.server.console import is_built

    if is_built():
        return Finding("ok", "The web console is built.")
    return Finding("bad", "The web console is not built.", "Run `make web`, or install the wheel.")


def _extras() -> Finding:
    from sayso.adapters.registry import FRAMEWORKS

    there = [one.title for one in FRAMEWORKS if _is_there(one.package)]
    text = ", ".join(there) if there else "none; plain async functions always work"
    return Finding("note", f"Frameworks installed: {text}.")


def _model() -> Iterator[Finding]:
    model = os.environ.get("SAYSO_MODEL")
    if not model:
        yield Finding("note", "SAYSO_MODEL is not set; the demo follows its script.")
    elif not _is_there("pydantic_ai"):
        yield Finding(
            "bad",
            f"SAYSO_MODEL is {model}, and Pydantic AI is not installed.",
            'pip install "sayso[pydantic-ai]"',
        )
    elif model.startswith("openai:") and not (
        os.environ.get("OPENAI_API_KEY") or os.environ.get("OPENAI_BASE_URL")
    ):
        yield Finding("bad", f"SAYSO_MODEL is {model}, and no key is set.", "Set OPENAI_API_KEY.")
    else:
        yield Finding("ok", f"SAYSO_MODEL is {model}.")


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False
