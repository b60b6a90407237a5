"""`sayso inbox claim` and `snooze`: who is looking at what, and what is put off."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from rich.console import Console
from rich.text import Text

from sayso.cli.cards import clean, title_of
from sayso.cli.connection import connect
from sayso.cli.inbox import find
from sayso.cli.times import seconds_of
from sayso.core.digest import JsonObject


def claim(
    data: Path | None, wanted: str, *, to: str | None, note: str, time: str, take_over: bool
) -> None:
    body: JsonObject = {"note": note, "seconds": seconds_of(time), "take_over": take_over}
    if to is not None:
        body["person"] = to
    with connect(data) as rows:
        it = find(rows, wanted)
        rows.claim(str(it["interaction_id"]), body)
    _say(f"✓ {clean(to)} has it" if to is not None else "✓ You are looking at it", it)


def release(data: Path | None, wanted: str) -> None:
    with connect(data) as rows:
        it = find(rows, wanted)
        rows.release(str(it["interaction_id"]))
    _say("✓ Released", it)


def snooze(data: Path | None, wanted: str, *, time: str) -> None:
    until = datetime.now(UTC) + timedelta(seconds=seconds_of(time))
    with connect(data) as rows:
        it = find(rows, wanted)
        rows.snooze(str(it["interaction_id"]), until)
    _say(f"✓ Put off until {until.astimezone():%Y-%m-%d %H:%M}", it)


def _say(what: str, it: JsonObject) -> None:
    Console().print(Text(f"{what}: {clean(title_of(it))}"), soft_wrap=True)
