"""Values that a person fills in where ADK gives only an example of them."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from sayso.core.digest import JsonObject


def fields_like(values: Mapping[str, JsonValue]) -> JsonObject:
    """Return the properties of a JSON Schema, one for each value, of its kind."""
    return {name: _field_like(value) for name, value in values.items()}


def _field_like(value: JsonValue) -> JsonObject:
    match value:
        case bool():
            return {"type": "boolean"}
        case int() | float():  # 0 stands for any number
            return {"type": "number"}
        case str():
            return {"type": "string"}
        case list():
            return {"type": "array"}
        case dict():
            return {"type": "object", "properties": fields_like(value)}
        case None:
            return {}
