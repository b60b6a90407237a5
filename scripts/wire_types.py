"""Writes web/packages/core/src/wire/types.ts from the models in sayso.core.

    python scripts/wire_types.py            write the file
    python scripts/wire_types.py --check    only say whether it is current

The web client's types are never edited: change the model, run this, and see what the compiler says.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema
from pydantic_core import to_jsonable_python

from sayso.core import cards, events, interactions, record, tool_ui, usage
from sayso.core import chat_view as view

TARGET = Path(__file__).parents[1] / "web/packages/core/src/wire/types.ts"

CARDS: dict[str, type[BaseModel]] = {
    cls.model_fields["card"].default.value: cls for cls in get_args(get_args(cards.Card)[0])
}
MODELS: list[type[BaseModel]] = [
    *events.EVENT_TYPES.values(),
    view.ChatView,
    cards.CardMeta,
    *CARDS.values(),
    interactions.InteractionResponse,
]
# Enums that no model above names, or that TypeScript should know by name all the same.
ENUMS: list[type[StrEnum]] = [interactions.InteractionType, interactions.InteractionState]

HEADING = """\
// Written by scripts/wire_types.py from the models in src/sayso/core. Never edited by hand.

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export type JsonObject = { [key: string]: JsonValue };

/** What a value has to be. It may be absent if nullable, or if `or` says what that means. */
export interface Shape {
  is: "string" | "integer" | "number" | "boolean" | "object" | "list" | "json" | readonly string[];
  /** What each entry of a list has to look like. */
  each?: Record<string, Shape>;
  /** What stands in an object. */
  fields?: Record<string, Shape>;
  nullable?: true;
  or?: JsonValue;
}
"""

Schema = dict[str, Any]


def written() -> str:
    """The whole file."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    _, document = models_json_schema([(model, "serialization") for model in MODELS])
    definitions: dict[str, Schema] = document["$defs"]
    for enum in ENUMS:
        definitions.setdefault(
            enum.__name__, {"enum": [m.value for m in enum], "description": enum.__doc__}
        )
    yield HEADING
    for name, schema in definitions.items():
        if name != "JsonValue":
            yield from _declaration(name, schema)
    yield "/** The fields of each card's payload; `sayso.card` says which it is. */"
    yield "export interface CardFields {"
    yield from (f"  {kind}: {_card_type(cls)};" for kind, cls in CARDS.items())
    yield "}\n"
    yield "/** One durable line of a chat's log. */"
    yield "export type ChatEvent ="
    yield from (
        f'  | {{ seq: number; type: "{name}"; at: string; by?: string; data: {cls.__name__} }}'
        for name, cls in events.EVENT_TYPES.items()
    )
    yield ";\n"
    yield 'export type EventType = ChatEvent["type"];\n'
    yield "/** What the body of each event looks like; a known event that does not is an error. */"
    yield "export const EVENT_SHAPES: Record<EventType, Record<string, Shape>> = {"
    for name, cls in events.EVENT_TYPES.items():
        yield f"  {json.dumps(name)}: {{"
        for field, shape in _shapes(cls).items():
            yield f"    {field}: {json.dumps(shape, ensure_ascii=False)},"
        yield "  },"
    yield "};\n"


def _declaration(name: str, schema: Schema) -> Iterator[str]:
    if about := schema.get("description"):
        # The first sentence says what it is; the rest is for those who change the model.
        yield f"/** {' '.join(about.split()).partition('. ')[0].rstrip('.')}. */"
    if "enum" in schema:
        yield f"export type {name} = {_type(schema)};\n"
        return
    yield f"export interface {name} {{"
    for field, value in schema.get("properties", {}).items():
        if _is_of_meta(name, field):
            continue
        mark = "?" if _may_be_absent(value) else ""
        yield f"  {field}{mark}: {_type(value)};"
    if schema.get("additionalProperties") is True:
        yield "  [more: string]: JsonValue | undefined;"
    yield "}\n"


def _is_of_meta(name: str, field: str) -> bool:
    # On the wire these are not among the card's fields: they stand under `sayso`.
    return field in ("card", "says", "asker") and name != "CardMeta"


def _card_type(cls: type[BaseModel]) -> str:
    # An application's own card is its payload, whatever that is.
    return "JsonObject" if cls is cards.UiToolCard else cls.__name__


def _may_be_absent(schema: Schema) -> bool:
    # Bodies are sent without their Nones.
    return "default" in schema and schema["default"] is None


def _type(schema: Schema) -> str:
    match schema:
        case {"$ref": ref}:
            return str(ref).rpartition("/")[2]
        case {"const": value}:
            return json.dumps(value)
        case {"enum": values}:
            return " | ".join(json.dumps(value) for value in values)
        case {"anyOf": choices}:
            return " | ".join(dict.fromkeys(_type(choice) for choice in choices))
        case {"type": "array", "items": items}:
            inner = _type(items)
            return f"({inner})[]" if "|" in inner else f"{inner}[]"
        case {"type": "object", "additionalProperties": dict(values)} if (
            _type(values) != "JsonValue"
        ):
            return f"Record<string, {_type(values)}>"
        case {"type": "object"}:
            return "JsonObject"
        case {"type": "integer" | "number"}:
            return "number"
        case {"type": "string" | "boolean" | "null" as word}:
            return str(word)
        case _:
            return "JsonValue"


def _shapes(model: type[BaseModel]) -> dict[str, object]:
    document = model.model_json_schema(mode="validation")
    shapes: dict[str, object] = {}
    for name, field in model.model_fields.items():
        shape = _shape(document["properties"][name], document.get("$defs", {}))
        if not field.is_required() and "nullable" not in shape:
            shape["or"] = to_jsonable_python(field.get_default(call_default_factory=True))
        shapes[name] = shape
    return shapes


def _shape(schema: Schema, definitions: dict[str, Schema]) -> dict[str, object]:
    if "anyOf" in schema:
        (inner,) = [choice for choice in schema["anyOf"] if choice.get("type") != "null"]
        return {**_shape(inner, definitions), "nullable": True}
    match schema:
        case {"$ref": ref} if "properties" in definitions[_named(ref)]:
            return {"is": "object", "fields": _shapes(_model(ref))}
        case {"$ref": ref}:
            return _shape(definitions[_named(ref)], definitions)
        case {"const": word}:
            return {"is": [word]}
        case {"enum": words}:
            return {"is": list(words)}
        case {"type": "array", "items": {"$ref": ref}}:
            return {"is": "list", "each": _shapes(_model(ref))}
        case {"type": "array"}:
            return {"is": "list"}
        case {"type": str(word)}:
            return {"is": word}
        case _:
            return {"is": "json"}


def _named(ref: str) -> str:
    return ref.rpartition("/")[2]


def _model(ref: str) -> type[BaseModel]:
    models: list[type[BaseModel]] = [
        events.Stage,
        record.Outcome,
        record.UsedRule,
        cards.Change,
        usage.Usage,
        tool_ui.ToolUi,
        tool_ui.UiOrigins,
    ]
    return next(model for model in models if model.__name__ == _named(ref))


def main(arguments: list[str]) -> int:
    text = written()
    if "--check" in arguments:
        return int(TARGET.read_text() != text)
    TARGET.write_text(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
