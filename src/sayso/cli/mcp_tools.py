"""`sayso tools`: what MCP servers offer, what of it is held and why, and the agreement to it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import typer
from pydantic import JsonValue

from sayso.mcp import Held, Servers, ServerStatus


def show(file: Path, agree: list[str], *, as_json: bool) -> int:
    """Try each server once, and print how it stands. Returns 1 where a tool is held."""
    return asyncio.run(_show(file, agree, as_json=as_json))


async def _show(file: Path, agree: list[str], *, as_json: bool) -> int:
    servers = Servers(file)
    try:
        await servers.look()
        for wanted in agree:
            server, _, tool = wanted.partition("/")
            servers.agree(server, tool or None)
        statuses, held = servers.statuses(), servers.held()
    finally:
        await servers.aclose()
    if as_json:
        typer.echo(json.dumps([_as_json(status, held) for status in statuses], indent=2))
    else:
        for status in statuses:
            _print(status, [one for one in held if one.server == status.name])
    return 1 if held else 0


def _print(status: ServerStatus, held: list[Held]) -> None:
    typer.echo(f"{status.name}: {status.state} {status.protocol}{status.problem}".rstrip())
    names = {one.now.name for one in held}
    for tool in status.offered:
        if tool not in names:
            typer.echo(f"  {tool}")
    for one in held:
        what = f"has changed: {', '.join(one.changes)}" if one.before else "is new"
        typer.echo(f"  {one.now.name} is held, it {what}")
        for line in one.difference:
            typer.echo(f"      {line}")
        typer.echo(f"      → --agree {one.server}/{one.now.name}")


def _as_json(status: ServerStatus, held: list[Held]) -> dict[str, JsonValue]:
    return {
        "name": status.name,
        "state": status.state,
        "problem": status.problem,
        "protocol": status.protocol,
        "offered": list(status.offered),
        "held": [
            {
                "tool": one.now.name,
                "changes": list[JsonValue](one.changes),
                "now": one.now.model_dump(mode="json"),
                "before": one.before.model_dump(mode="json") if one.before else None,
            }
            for one in held
            if one.server == status.name
        ],
    }
