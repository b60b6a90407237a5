"""`sayso serve` and `sayso demo`: find the agent, choose the settings, run the server."""

from __future__ import annotations

import importlib
import os
import sys
import webbrowser
from pathlib import Path

import structlog
import typer
from pydantic import ValidationError

from sayso.adapters.registry import find_adapter
from sayso.app import App, as_app, start_warnings
from sayso.core.errors import AgentNotLoaded, DatabaseInUse, InvalidInput, SaysoError
from sayso.core.raised import told
from sayso.settings import Settings, Token, default_data_dir


def settings(
    host: str | None, port: int | None, data: Path | None, tokens: list[str], **flags: bool
) -> Settings:
    """Return the environment's settings, overridden by the options. Raises InvalidInput."""
    given: dict[str, object] = {"host": host, "port": port, "data_dir": data}
    chosen = {name: value for name, value in given.items() if value is not None}
    chosen |= {name: True for name, is_said in flags.items() if is_said}
    try:
        if tokens:
            chosen["tokens"] = [Token.model_validate(token) for token in tokens]
        return Settings.model_validate(Settings().model_dump() | chosen).checked()
    except ValidationError as exc:
        first = exc.errors(include_url=False)[0]
        message = first["msg"].removeprefix("Value error, ")
        where = "/".join(str(part) for part in first["loc"]) or "--token"
        raise InvalidInput(f"{where}: {message}.", fix="Correct the option or its SAYSO_…") from exc


def load(target: str) -> App:
    """Load the App, agent or dict of agents at `module:attr`. Raises AgentNotLoaded."""
    module_name, colon, path = target.partition(":")
    if not colon or not module_name or not path or module_name.endswith(".py"):
        example = f"{Path(module_name).stem or 'desk'}:{path or 'app'}"
        raise AgentNotLoaded(
            f"{target!r} is not of the form module:attr.", fix=f"For example: sayso serve {example}"
        )
    # As `python -m` does: what lies in the current folder can be imported.
    if "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    found: object = _import(module_name)
    for name in path.split("."):
        if not hasattr(found, name):
            names = _to_serve(found)
            raise AgentNotLoaded(
                f"{module_name} has no {path!r}.",
                fix=f"It has: {', '.join(names[:12])}." if names else "Check the name.",
            )
        found = getattr(found, name)
    return as_app(found)


def _to_serve(found: object) -> list[str]:
    """Return the names in here under which something can be served."""
    named = getattr(found, "__dict__", {}).items()
    return [name for name, value in named if not name.startswith("_") and _can_serve(value)]


def _can_serve(value: object) -> bool:
    if isinstance(value, App):
        return True
    try:
        find_adapter(value)
    except SaysoError:
        return False
    return not isinstance(value, type)


def serve(
    app: App,
    chosen: Settings,
    *,
    policy: Path | None = None,
    mcp: Path | None = None,
    open_page: bool = False,
) -> None:
    """Run the server until it is told to stop."""
    from sayso.server import process

    _refuse_a_second(chosen.data_dir)
    if policy is not None:
        app = app.with_policies(policy)
    if mcp is not None:
        app = app.with_mcp(mcp)
    logging(chosen.log_level)

    def ready(address: str) -> None:
        typer.echo(f"Sayso listens on {address}")
        for warning in start_warnings(app):
            typer.echo(warning)
        typer.echo(f"Agents: {', '.join(app.agent_names)} · data: {chosen.data_dir} · Ctrl+C stops")
        if open_page and has_screen():
            webbrowser.open(address)

    process.serve(
        app.engine(chosen.data_dir, audit_key=chosen.audit_key),
        chosen,
        exports=app.exports,
        starters=app.starters,
        mcp=app.mcp,
        ready=ready,
        say=typer.echo,
    )


def serve_demo(chosen: Settings, *, open_page: bool) -> None:
    """Serve the support desk, with its order book beside the database."""
    from sayso.packs.support import support_app

    chosen.data_dir.mkdir(parents=True, exist_ok=True)
    serve(support_app(chosen.data_dir), chosen, open_page=open_page)


def demo_dir() -> Path:
    """Return the demo's own folder, apart from that of real agents."""
    return default_data_dir() / "demo"


def logging(level: str) -> None:
    """Log to stderr: readable on a terminal, JSON where something collects it."""
    import logging as std

    render: structlog.types.Processor = structlog.processors.JSONRenderer()
    if sys.stderr.isatty():
        render = structlog.dev.ConsoleRenderer()
    handler = std.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[
                structlog.stdlib.ExtraAdder(),
                structlog.stdlib.add_log_level,
                structlog.processors.TimeStamper(fmt="iso", utc=True),
            ],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                render,
            ],
        )
    )
    sayso = std.getLogger("sayso")
    sayso.handlers = [handler]
    sayso.propagate = False
    sayso.setLevel(level.upper())


def has_screen() -> bool:
    """Return whether a browser could be opened here."""
    if sys.platform in ("darwin", "win32"):
        return sys.stdout.isatty()
    return sys.stdout.isatty() and bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )


def _refuse_a_second(data_dir: Path) -> None:
    """Raise DatabaseInUse where a server runs on this folder."""
    if not (data_dir / "server.json").exists():
        return  # and an HTTP client need not be imported
    from sayso.cli.connection import running_server

    other = running_server(data_dir)
    if other is not None:
        other.close()
        raise DatabaseInUse(f"A server runs on {data_dir} already: {other.base_url}")


def _import(module_name: str) -> object:
    try:
        return importlib.import_module(module_name)
    except ModuleNotFoundError as exc:
        missing = exc.name or module_name
        if module_name == missing or module_name.startswith(f"{missing}."):
            raise AgentNotLoaded(
                f"There is no module {missing!r} here.",
                fix="Run this in the folder of the module, or install its package.",
            ) from exc
        from sayso.adapters.registry import what_to_install

        raise AgentNotLoaded(
            f"{module_name} needs {missing!r}, which is not installed.",
            fix=f"Install it into this environment: pip install {what_to_install(missing)}",
        ) from exc
    except SaysoError:
        raise
    except (Exception, SystemExit) as exc:
        raise AgentNotLoaded(
            f"Importing {module_name} failed: {told(exc)}",
            fix=f'See all of it with: python -c "import {module_name}"',
        ) from exc
