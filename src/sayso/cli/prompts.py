"""Prompts for an answer: yes or no with a reason, an option, the fields of a form."""

from __future__ import annotations

import orjson
import typer
from pydantic import JsonValue
from rich.console import Console
from rich.text import Text

from sayso.cli.cards import clean
from sayso.core.digest import JsonObject
from sayso.core.interactions import digest_in
from sayso.core.schemas import schema_errors


def ask(console: Console, it: JsonObject) -> JsonObject:
    """Ask for an answer, and return it in the normal form, bound to what was shown."""
    payload = it["payload"]
    card = payload if isinstance(payload, dict) else {}
    digest = digest_in(payload)
    answer = _by_kind(console, str(it["card"]), card)
    if digest is not None:
        answer["metadata"] = {"digest": digest}
    return answer


def _by_kind(console: Console, kind: str, card: JsonObject) -> JsonObject:
    match kind:
        case "options" | "uncertain_effect":
            return _choose(console, card)
        case "form":
            return {"approved": True, "response_data": {"values": _fill(console, card)}}
        case "ui_tool":
            return {"approved": True, "response_data": {"values": _fill_or_json(console, card)}}
        case "exchanges":
            return _decide_rows(card)
        case "hold":
            undo = typer.confirm("\nUndo? It has not begun; no lets it run now", default=None)
            return {"approved": not undo}
        case _:
            return _decide(card)


def _decide(card: JsonObject) -> JsonObject:
    if not typer.confirm("\nApprove this?", default=None):
        return _rejection(card)
    _confirm_again(card)
    edits = _edits(card)
    return {"approved": True, **({"response_data": {"edits": edits}} if edits else {})}


def _rejection(card: JsonObject) -> JsonObject:
    needed = card.get("requires_reason", True)
    reason = typer.prompt(
        "Reason for rejecting", default=None if needed else "", show_default=False
    )
    hint = typer.prompt("Suggest alternatives (optional)", default="", show_default=False)
    answer: JsonObject = {"approved": False}
    if reason:
        answer["user_message"] = reason
    if hint:
        answer["response_data"] = {"suggestions": [hint]}
    return answer


def _edits(card: JsonObject) -> JsonObject:
    """Ask for changed arguments, where the card lets them be changed."""
    schema = card.get("edit_schema")
    fields = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(fields, dict) or not fields:
        return {}
    names = ", ".join(clean(name) for name in fields)
    if not typer.confirm(f"Change something first ({names})?", default=False):
        return {}
    now = card.get("tool_params")
    values = now if isinstance(now, dict) else {}
    edited = {name: _field(name, rule, values.get(name)) for name, rule in fields.items()}
    return {name: value for name, value in edited.items() if value != values.get(name)}


def _confirm_again(card: JsonObject) -> None:
    """Ask again before what cannot be undone, as the console does."""
    if card.get("final_confirmation") and not typer.confirm("This cannot be undone. Go ahead?"):
        raise typer.Abort


def _decide_rows(card: JsonObject) -> JsonObject:
    found = card.get("rows")
    rows = found if isinstance(found, list) else []
    if card.get("rows_decidable") is False:
        return _decide(card)
    ids: list[JsonValue] = [str(row["row_id"]) for row in rows if isinstance(row, dict)]
    which = typer.prompt("\nApprove [a]ll, [n]one, or the [r]ows you choose?", default="r")
    if which.lower().startswith("n"):
        return _rejection(card)
    if which.lower().startswith("a"):
        _confirm_again(card)
        return {"approved": True, "response_data": {"approved_rows": ids}}
    approved: list[JsonValue] = []
    rejected: JsonObject = {}
    for row_id in ids:
        if typer.confirm(f"Row {clean(row_id)}?", default=True):
            approved.append(row_id)
        else:
            rejected[str(row_id)] = typer.prompt("Reason for rejecting")
    if not approved:
        return _rejection(card)
    _confirm_again(card)
    data: JsonObject = {"approved_rows": approved, "rejected_rows": rejected}
    return {"approved": True, "response_data": data}


def _choose(console: Console, card: JsonObject) -> JsonObject:
    found = card.get("options")
    options = [o for o in found if isinstance(o, dict)] if isinstance(found, list) else []
    if not options:
        typed = typer.prompt("\nYour answer")
        return {"approved": True, "response_data": {"additional_notes": typed}}
    for number, option in enumerate(options, 1):
        about = option.get("description")
        console.print(Text(f"  {number}  {clean(option['label'])}", style="bold"), end="")
        console.print(Text(f"  {clean(about)}" if about else ""))
    chosen: JsonObject = {"selected_option": _one_of(options)["id"]}
    if chosen["selected_option"] == "mark_done" and "started_at" in card:
        chosen["values"] = {"result": typer.prompt("What came of it?")}
    elif card.get("allow_notes"):
        note = typer.prompt("Anything to add? (optional)", default="", show_default=False)
        chosen |= {"additional_notes": note} if note else {}
    return {"approved": True, "response_data": chosen}


def _one_of(options: list[JsonObject]) -> JsonObject:
    while True:
        typed = typer.prompt(f"Which (1 to {len(options)})")
        if typed.isdigit() and 1 <= int(typed) <= len(options):
            return options[int(typed) - 1]


def _fill(console: Console, card: JsonObject) -> JsonObject:
    """Ask for the fields of a form until its schema accepts them."""
    schema = card.get("response_schema")
    rules: JsonObject = schema if isinstance(schema, dict) else {}
    fields = rules.get("properties")
    known = card.get("values")
    values: JsonObject = dict(known) if isinstance(known, dict) else {}
    required = rules.get("required")
    needed = set(required) if isinstance(required, list) else set()
    while True:
        for name, rule in (fields if isinstance(fields, dict) else {}).items():
            value = _field(name, rule, values.get(name), needed=name in needed)
            if value is not None:
                values[name] = value
        errors = schema_errors(rules, values, at="")
        if not errors:
            return values
        for error in errors:
            where = str(error["path"]).strip("/")
            console.print(Text(f"  {clean(where)}: {clean(error['message'])}", style="red"))


def _fill_or_json(console: Console, card: JsonObject) -> JsonObject:
    meta = card.get("sayso")
    schema = meta.get("response_schema") if isinstance(meta, dict) else None
    if isinstance(schema, dict):
        return _fill(console, {"response_schema": schema})
    while True:
        try:
            value = orjson.loads(typer.prompt("\nYour answer, as JSON", default="{}"))
        except orjson.JSONDecodeError as exc:
            console.print(Text(f"  This is not JSON: {exc}", style="red"))
            continue
        if isinstance(value, dict):
            return value


def _field(name: str, rule: JsonValue, now: JsonValue, *, needed: bool = True) -> JsonValue:
    """Ask for one value, typed by its schema: yes or no, one of a list, a number, text, or JSON."""
    rules = rule if isinstance(rule, dict) else {}
    label = clean(rules.get("title") or name)
    if rules.get("description"):
        label = f"{label} ({clean(rules['description'])})"
    default = rules.get("default") if now is None else now
    if rules.get("type") == "boolean":
        yes: bool = typer.confirm(label, default=default if isinstance(default, bool) else None)
        return yes
    choices = rules.get("enum")
    if isinstance(choices, list):
        label = f"{label} [{' | '.join(map(clean, choices))}]"
    shown = None if default is None else default if isinstance(default, str) else _json(default)
    typed = typer.prompt(label, default=shown if shown is not None or needed else "")
    return _typed(str(typed), rules) if typed != "" else None


def _typed(typed: str, rules: JsonObject) -> JsonValue:
    """Read what was typed as the schema's type; as text where it does not fit."""
    if rules.get("type") in ("integer", "number", "array", "object") or (
        isinstance(rules.get("enum"), list) and "type" not in rules
    ):
        try:
            value: JsonValue = orjson.loads(typed)
        except orjson.JSONDecodeError:
            return typed
        return value
    return typed


def _json(value: JsonValue) -> str:
    return orjson.dumps(value).decode()
