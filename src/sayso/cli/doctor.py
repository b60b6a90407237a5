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

from rich.console import Console
from rich.text import Text

from sayso._version import __version__
from sayso.cli.reach import running_server
from sayso.core.errors import SaysoError
from sayso.settings import Settings

LOWEST_PYTHON = (3, 11)
EXTRAS = {
    "pydantic-ai": "pydantic_ai",
    "adk": "google.adk",
    "langgraph": "langgraph",
    "openai-agents": "agents",
    "autogen": "autogen_agentchat",
    "ag2": "ag2",
    "agent-framework": "agent_framework",
    "strands": "strands",
    "postgres": "asyncpg",
}
_SIGN = {"ok": ("✓", "green"), "note": ("·", "dim"), "bad": ("✗", "red")}


@dataclass(frozen=True, slots=True)
class Finding:
    """`note` is for information; `bad` keeps Sayso from working, and has a remedy."""

    state: Literal["ok", "note", "bad"]
    said: str
    fix: str = ""


def report(data: Path | None, port: int | None) -> int:
    """Print every finding; the exit code is 1 when something is bad."""
    console = Console()
    bad = 0
    given: dict[str, object] = {"data_dir": data, "port": port}
    chosen = {name: value for name, value in given.items() if value is not None}
    settings = Settings.model_validate(Settings().model_dump() | chosen)
    for finding in examine(settings):
        sign, style = _SIGN[finding.state]
        console.print(Text.assemble((f"{sign} ", style), finding.said), soft_wrap=True)
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


def _python() -> Finding:
    said = f"Sayso {__version__} on Python {platform.python_version()}"
    # pip refuses an older Python; a copied folder does not.
    if sys.version_info < LOWEST_PYTHON:
        return Finding("bad", said, "Sayso needs Python 3.11 or newer.")
    return Finding("ok", said)


def _server(settings: Settings) -> Iterator[Finding]:
    from sayso.server import run

    client = running_server(settings.data_dir)
    if client is not None:
        client.close()
        yield Finding("ok", f"A server runs on this folder: {client.base_url}")
        return
    yield Finding("note", "No server runs on this folder.")
    try:
        run.bind(settings.host, settings.port).close()
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
    from sayso.app import open_store

    if not settings.database.exists():
        return Finding("note", "There is no database yet; the first start makes it.")

    async def look() -> None:
        store = open_store(settings.database)
        await store.open()
        await store.close()

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
    there = [name for name, module in EXTRAS.items() if _is_there(module)]
    said = ", ".join(there) if there else "none; plain async functions always work"
    return Finding("note", f"Frameworks installed: {said}.")


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
