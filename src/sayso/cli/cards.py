"""Prints a card in the terminal: everything that is under approval, whole and undisguised."""

from __future__ import annotations

import json
import os
import unicodedata

import orjson
from pydantic import JsonValue
from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from sayso.core.digest import JsonObject
from sayso.core.messages import language_of, text_of

# In the order in which a person decides; the other fields come after, as they are.
_FIRST = ("message", "question", "entity_summary", "tool_name", "action", "impact")
_NOT_SHOWN = frozenset(
    {
        "agent_message",
        "allow_notes",
        "approval_options",
        "code",
        "columns",
        "edit_schema",
        "final_confirmation",
        "is_notice",
        "requires_reason",
        "response_schema",
        "sayso",
        "submit_label",
        "title",
    }
)

# Controls, formats (among them what turns the direction), surrogates, private use. Line breaks are
# wanted, and Persian and emoji need the two joiners.
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co"})
_JOINERS = frozenset("\n\t\u200c\u200d")


def clean(value: object) -> str:
    """Return text that cannot move the cursor, colour the screen or turn the reading direction."""
    text = str(value).replace("\r\n", "\n")
    return "".join("�" if _is_hidden(c) else c for c in text)


def escaped(json_text: bytes) -> str:
    """Return the same JSON with such characters as escapes: it may be a terminal that reads it."""
    return "".join(json.dumps(c)[1:-1] if _is_hidden(c) else c for c in json_text.decode())


def _is_hidden(character: str) -> bool:
    return character not in _JOINERS and unicodedata.category(character) in _HIDDEN


def show(console: Console, it: JsonObject) -> None:
    """Print the whole card."""
    payload = it["payload"]
    card = payload if isinstance(payload, dict) else {}
    says = card.get("sayso")
    card = {name: _in_words(says, name, value) for name, value in card.items()}
    console.print(Panel(Text(clean(title_of(it)), style="bold"), subtitle=_subtitle(it)))
    if card.get("agent_message"):
        console.print(Text(clean(card["agent_message"])))
    names = [*(n for n in _FIRST if n in card), *(n for n in card if n not in _FIRST)]
    if changed := _changes(says):
        _show_part(console, "what changed", changed)
    if isinstance(says, dict) and isinstance(says.get("asker"), dict):
        _show_part(console, "asked from outside, by what says it is", says["asker"])
    for name in names:
        value = card[name]
        if name not in _NOT_SHOWN and value not in (None, "", [], {}):
            _show_part(console, name, value)


def title_of(it: JsonObject) -> str:
    """Return what it is called, in the reader's language where the server itself has named it."""
    payload = it.get("payload")
    says = payload.get("sayso") if isinstance(payload, dict) else None
    return str(_in_words(says, "title", it.get("title") or ""))


def _in_words(says: JsonValue, part: str, value: JsonValue) -> JsonValue:
    if not isinstance(says, dict) or not isinstance(value, str):
        return value
    return text_of(says.get("code"), says.get("params"), spoken_here(), part=part, stored=value)


def spoken_here() -> str:
    """Return the language of the terminal, as its environment says."""
    named = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    return language_of(next(filter(None, named), ""))


def _subtitle(it: JsonObject) -> Text:
    parts = [it.get("agent_name"), f"until {it['expires_at']}" if it.get("expires_at") else None]
    return Text(clean(" · ".join(str(part) for part in parts if part)))


def _changes(meta: JsonValue) -> JsonObject:
    """Return what the newest revision changed, by path."""
    changes = meta.get("changes") if isinstance(meta, dict) else None
    found = changes if isinstance(changes, list) else []
    return {
        str(change.get("path")): f"{_text(change.get('before'))} → {_text(change.get('after'))}"
        for change in found
        if isinstance(change, dict)
    }


def _show_part(console: Console, name: str, value: JsonValue) -> None:
    label = name.replace("_", " ")
    style = "yellow" if name in ("impact", "warnings") else ""
    if not isinstance(value, dict | list):
        console.print(Text.assemble((f"{label}: ", "bold"), (_text(value), style)))
        return
    console.print(Text(f"\n{label}", style="bold"))
    if isinstance(value, dict):
        console.print(_fields(value))
    elif name == "rows":
        console.print(_rows(value))
    else:
        for entry in value:
            text = clean(_attachment(entry)) if name == "attachments" else _text(entry)
            console.print(Text(f"  • {text}", style=style))


def _attachment(entry: JsonValue) -> str:
    if not isinstance(entry, dict) or "name" not in entry:
        return str(entry.get("url") if isinstance(entry, dict) else entry)
    alt = f": {entry['alt']}" if entry.get("alt") else ""
    return f"{entry['name']} ({entry['media_type']}, {entry['size']} bytes){alt}"


def _fields(value: JsonObject) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2))
    table.add_column(style="dim", overflow="fold")
    table.add_column(overflow="fold")
    for name, entry in value.items():
        table.add_row(Text(f"  {clean(name)}"), Text(_text(entry)))
    return table


def _rows(rows: list[JsonValue]) -> Table:
    """Return the rows of an exchanges card, each with its id and its warnings."""
    found = [row for row in rows if isinstance(row, dict)]
    values = [row.get("values") for row in found]
    names = list(dict.fromkeys(n for v in values if isinstance(v, dict) for n in v))
    table = Table(box=None, pad_edge=False, padding=(0, 2))
    for name in ("row", *names, "warnings"):
        table.add_column(Text(clean(name)), overflow="fold")
    for row, value in zip(found, values, strict=True):
        cells = value if isinstance(value, dict) else {}
        warnings = row.get("warnings")
        joined = "; ".join(map(str, warnings)) if isinstance(warnings, list) else ""
        table.add_row(
            Text(clean(row.get("row_id", ""))),
            *(Text(_text(cells.get(name))) for name in names),
            Text(clean(joined), style="yellow"),
        )
    return table


def _text(value: JsonValue) -> str:
    if isinstance(value, str):
        return clean(value)
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict) and "label" in value:
        about = value.get("description") or value.get("value")
        return clean(f"{value['label']}{f': {about}' if about not in (None, '') else ''}")
    return clean(orjson.dumps(value).decode())
