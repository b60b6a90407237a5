"""What the JSON schema of a slot says of its values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pydantic import JsonValue


class SlotSchema(NamedTuple):
    """Of a list, what it says of an entry."""

    json_type: str
    format: str
    is_list: bool
    choices: tuple[str, ...]
    properties: tuple[str, ...]


def schema_in(schema: Mapping[str, JsonValue]) -> SlotSchema:
    found = _resolved(schema, schema)
    is_list = found.get("type") == "array"
    if is_list:
        items = found.get("items")
        found = _resolved(items, schema) if isinstance(items, dict) else {}
    choices = found.get("enum") or schema.get("enum")
    if choices is None and "const" in found:
        choices = [found["const"]]
    properties = found.get("properties")
    return SlotSchema(
        json_type=str(found.get("type", "string")),
        format=str(found.get("format", "")),
        is_list=is_list,
        choices=tuple(str(one) for one in choices) if isinstance(choices, list) else (),
        properties=tuple(properties) if isinstance(properties, dict) else (),
    )


def _resolved(
    schema: Mapping[str, JsonValue], root: Mapping[str, JsonValue]
) -> Mapping[str, JsonValue]:
    """Follow a $ref, and the first part of a union that is not null."""
    found = schema
    for _ in range(4):
        options = found.get("anyOf") or found.get("oneOf")
        reference = found.get("$ref")
        if isinstance(options, list):
            found = next(
                (o for o in options if isinstance(o, dict) and o.get("type") != "null"), {}
            )
        elif isinstance(reference, str):
            kept = root.get("$defs")
            name = reference.rsplit("/", 1)[-1]
            target = kept.get(name) if isinstance(kept, dict) else None
            found = target if isinstance(target, dict) else {}
    return found
