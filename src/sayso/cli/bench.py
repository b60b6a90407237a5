"""`sayso bench gate`: scores what reads people's messages on dialogues with known answers."""

from __future__ import annotations

import asyncio
from pathlib import Path

import orjson
import typer
from rich.console import Console
from rich.table import Table

from sayso.app import reader
from sayso.core.errors import InvalidInput
from sayso.gate.bench import Score, read_dialogues, score

#: What each figure says, in the order of the table.
_SAID = {
    "dialogues": "dialogues",
    "turns": "messages of people",
    "joint": "messages after which every value is right",
    "slotP": "values given that are right",
    "slotR": "true values that were found",
    "slotF1": "both in one",
    "readyP": "ready, and truly so",
    "readyR": "truly ready, and seen so",
    "false_ready_rate": "not ready, yet called so",
    "trigP": "heard as a go, and meant so",
    "trigR": "meant as a go, and heard so",
    "runs": "runs",
    "run_ok": "at the right moment with the right values",
    "run_wrongval": "with a wrong value",
    "run_missing": "with a value missing (has to be 0)",
    "run_untriggered": "without a go (has to be 0)",
    "p50ms": "milliseconds a message, half of them",
    "p95ms": "milliseconds a message, 95 of 100",
}


def gate(file: Path, *, model: str | None, limit: int | None, as_json: bool) -> int:
    """Print the score; the exit code is 1 where anything ran that must not have."""
    if not file.is_file():
        raise InvalidInput(f"{file} is no file.", fix="Name a JSONL file of dialogues.")
    dialogues = read_dialogues(file, limit)
    result = asyncio.run(score(dialogues, reader(model), name=model or "rules"))
    if as_json:
        typer.echo(orjson.dumps(result.model_dump()).decode())
    else:
        Console().print(_table(result))
    return 1 if result.run_missing or result.run_untriggered else 0


def _table(result: Score) -> Table:
    table = Table(title=f"The gate, read by {result.name}", title_justify="left")
    for name, justify in (("", "left"), ("", "right"), ("", "left")):
        table.add_column(name, justify=justify)  # type: ignore[arg-type]  # its literals
    figures = result.model_dump()
    for name, said in _SAID.items():
        value = figures[name]
        table.add_row(name, "–" if value is None else f"{value:g}", said)
    return table
