"""`sayso bench gate`: scores what reads people's messages on dialogues with known answers."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

import orjson
import typer
from pydantic import JsonValue
from rich.console import Console
from rich.table import Table

from sayso.app import reader
from sayso.core.errors import InvalidInput
from sayso.testing.gate_adversarial import Marks, adversarial_marks
from sayso.testing.gate_bench import Figure, Score, read_dialogues, score
from sayso.testing.gate_conversations import Played, play_conversations

#: What each figure says, in the order of the table; those of the product's own card first.
_MEANINGS = {
    "dialogues": "dialogues",
    "turns": "messages of people",
    "wrong_runs": "runs that must not be (has to be 0)",
    "run_missing": "of them with a value missing",
    "run_untriggered": "of them without a go",
    "run_wrong_required": "runs with a required value wrong",
    "run_wrong_any": "runs with any value wrong",
    "card_open": "yeses said while the product's own card stands open",
    "heard_at_once": "of those, heard at once",
    "heard_after_question": "of those, heard at once or after a question back",
    "asked_elsewhere": "other messages at an open card that are asked back",
    "filled_empty": "slots filled that nobody has spoken of",
    "given_right": "values given that are right after the message",
    "turns_to_done": "messages up to the first run",
    "run_ok": "runs at the right moment with the right required values",
    "joint": "messages after which every value is right",
    "slotP": "values held that are right",
    "slotR": "true values that are held",
    "slotF1": "both in one",
    "readyP": "ready, and truly so",
    "readyR": "truly ready, and seen so",
    "false_ready_rate": "not ready, yet called so",
    "trigP": "heard as a go, and meant so",
    "trigR": "meant as a go, and heard so",
    "p50ms": "milliseconds a message, half of them",
    "p95ms": "milliseconds a message, 95 of 100",
}


#: The same of the adversarial sets.
_MARKS = {
    "wrong_runs": "replies without leave that ran (has to be 0)",
    "no_asked": "those of them that say no, and are asked again",
    "weak_asked": "those of them that lean to a yes, and are asked once",
    "changes_taken": "corrections at the card that are right afterwards",
    "heard_at_once": "real yeses that ran at once",
    "heard_after_question": "real yeses that ran at once or after a question back",
    "filled_wrongly": "fields that must stay as they are, and do not",
    "given_right": "fields given that are right, or asked about where that is right too",
    "others_touched": "other fields that changed beside what was given",
}


def gate(file: Path, *, model: str | None, limit: int | None, show: bool, as_json: bool) -> int:
    """Print the score; the exit code is 1 where anything ran that must not have."""
    if not file.is_file():
        raise InvalidInput(f"{file} is no file.", fix="Name a JSONL file of dialogues.")
    dialogues = read_dialogues(file, limit)
    result = asyncio.run(score(dialogues, reader(model), name=model or "rules"))
    if as_json:
        typer.echo(orjson.dumps(result.model_dump()).decode())
    else:
        Console().print(_table(result))
    for failure in result.failures if show else ():
        typer.echo(failure, err=as_json)
    return 1 if result.run_missing or result.run_untriggered else 0


def adversarial(folder: Path, *, model: str | None, show: bool, as_json: bool) -> int:
    """Print the figures of the sets; the exit code is 1 where anything ran without leave."""
    marks = asyncio.run(adversarial_marks(folder, reader(model)))
    played = asyncio.run(play_conversations(folder, reader(model)))
    if as_json:
        each = {lang: _plain(of) for lang, of in marks.by_language.items()}
        found = {"figures": _plain(marks.figures), "by_language": each}
        found["conversations"] = {one.script.id: {"end": one.end} for one in played}
        typer.echo(orjson.dumps(found).decode())
    else:
        Console().print(_marks_table(marks, model or "rules"))
        Console().print(_languages_table(marks))
        right = sum(one.is_right for one in played)
        typer.echo(f"{right} of {len(played)} conversations ended right.")
    for failure in marks.failures if show else ():
        typer.echo(str(failure), err=as_json)
    for one in played if show else ():
        if not one.is_right:
            typer.echo(_story(one), err=as_json)
    return 1 if marks.figures.get("wrong_runs", Figure(part=0, whole=0)).part else 0


def _table(result: Score) -> Table:
    table = _empty_table(f"The gate, read by {result.name}")
    figures = result.model_dump()
    for name, meaning in _MEANINGS.items():
        of = result.counted.get(name)
        _add(table, name, of if of is not None else figures[name], meaning)
    return table


def _story(played: Played) -> str:
    script = played.script
    head = f"{script.id} ({script.person}): {played.end}, {played.messages} messages"
    return "\n".join([head, *played.lines])


def _marks_table(marks: Marks, reader_name: str) -> Table:
    table = _empty_table(f"The gate at messages made to be misheard, read by {reader_name}")
    for name, meaning in _MARKS.items():
        if name in marks.figures:
            _add(table, name, marks.figures[name], meaning)
    return table


def _languages_table(marks: Marks) -> Table:
    names = [name for name in _MARKS if name in marks.figures]
    table = Table("")
    for name in names:
        table.add_column(name.replace("_", " "), overflow="fold")
    for language, of in sorted(marks.by_language.items()):
        found = [of.get(name) for name in names]
        cells = ["" if one is None else f"{one.part}/{one.whole}" for one in found]
        table.add_row(language, *cells)
    return table


def _empty_table(title: str) -> Table:
    table = Table(title=title, title_justify="left")
    for justify in ("left", "right", "right", "left"):
        table.add_column("", justify=justify)
    return table


def _add(table: Table, name: str, value: Figure | float | None, meaning: str) -> None:
    counted = f"{value.part}/{value.whole}" if isinstance(value, Figure) else ""
    share = value.share if isinstance(value, Figure) else value
    table.add_row(name, "–" if share is None else f"{share:g}", counted, meaning)


def _plain(figures: Mapping[str, Figure]) -> dict[str, JsonValue]:
    return {name: {**one.model_dump(), "share": one.share} for name, one in figures.items()}
