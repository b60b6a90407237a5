"""The toolbox's tools as an agent of AutoGen offers them to its model.

An agent with an `output_content_type` can offer only tools with strict schemas: every argument is
named, none is left out, and one that may be missing is null.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autogen_core.tools import ToolSchema
from pydantic import JsonValue
from pydantic_core import to_jsonable_python

from sayso.core.digest import JsonObject
from sayso.tools.tool import Runnable


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """One of them: the schema that the model reads, and the tool's own."""

    schema: ToolSchema
    own: JsonObject

    def arguments(self, given: Mapping[str, JsonValue]) -> JsonObject:
        """Return the arguments of a call as the tool itself takes them."""
        if not self.schema.get("strict"):
            return dict(given)
        found = _without_nulls(self.own, dict(given), self.own)
        return found if isinstance(found, dict) else dict(given)


def offered(tools: Sequence[Runnable]) -> dict[str, OfferedTool]:
    return {tool.name: OfferedTool(_schema_of(tool, tool.schema), tool.schema) for tool in tools}


def offered_strictly(tools: Sequence[Runnable]) -> dict[str, OfferedTool]:
    """Return the tools with strict schemas, without those that need an argument which such a schema
    cannot describe: an object of any keys, or a value of any kind."""
    found = {}
    for tool in tools:
        strict = _strict(tool.schema, tool.schema)
        if strict is not None:
            schema = ToolSchema(**_schema_of(tool, strict), strict=True)
            found[tool.name] = OfferedTool(schema, tool.schema)
    return found


def _schema_of(tool: Runnable, parameters: JsonObject) -> ToolSchema:
    # AutoGen's type of parameters is narrower than JSON schema is.
    return ToolSchema(
        name=tool.name,
        description=tool.description,
        parameters=parameters,  # type: ignore[typeddict-item]
    )


#: What a strict schema says of a value, beside what it is made of.
_KEPT = ("type", "description", "enum", "const", "pattern", "format", "minimum", "maximum")


def _strict(schema: JsonValue, root: JsonObject, within: tuple[str, ...] = ()) -> JsonObject | None:
    """Return the strict form of a schema; None where it has none."""
    if not isinstance(schema, dict):
        return None
    target = _target(schema, root)
    if target is not None:
        place = str(schema["$ref"])
        return None if place in within else _strict(target, root, (*within, place))
    kept = {key: schema[key] for key in _KEPT if key in schema}
    choices = schema.get("anyOf") or schema.get("oneOf")
    if isinstance(choices, list):
        made = [_strict(one, root, within) for one in choices]
        some: list[JsonValue] = [one for one in made if one is not None]
        return {**kept, "anyOf": some} if len(some) == len(made) else None
    if schema.get("type") == "object":
        return _strict_object(schema, root, within, kept)
    if schema.get("type") == "array":
        items = _strict(schema.get("items"), root, within)
        return {**kept, "items": items} if items is not None else None
    return kept if {"type", "enum", "const"} & set(kept) else None


def _strict_object(
    schema: JsonObject, root: JsonObject, within: tuple[str, ...], kept: JsonObject
) -> JsonObject | None:
    fields, needed = _fields(schema)
    if schema.get("additionalProperties") or (not fields and schema is not root):
        return None
    strict: JsonObject = {}
    for name, field in fields.items():
        found = _strict(field, root, within)
        if found is not None:
            strict[name] = found if name in needed else _or_null(found)
        elif name in needed:
            return None
    required: list[JsonValue] = list(strict)
    return {**kept, "properties": strict, "required": required, "additionalProperties": False}


def _or_null(schema: JsonObject) -> JsonObject:
    null: JsonObject = {"type": "null"}
    choices = schema.get("anyOf")
    if isinstance(choices, list):
        return schema if null in choices else {**schema, "anyOf": [*choices, null]}
    return {"anyOf": [schema, null]}


def _without_nulls(schema: JsonValue, value: JsonValue, root: JsonObject) -> JsonValue:
    """Leave out what is null only because a strict schema leaves nothing out."""
    if not isinstance(schema, dict):
        return value
    target = _target(schema, root)
    if target is not None:
        return _without_nulls(target, value, root)
    for choice in to_jsonable_python(schema.get("anyOf") or schema.get("oneOf") or []):
        value = _without_nulls(choice, value, root)
    if isinstance(value, list):
        return [_without_nulls(schema.get("items"), one, root) for one in value]
    if not isinstance(value, dict):
        return value
    fields, needed = _fields(schema)
    return {
        name: _without_nulls(fields.get(name), one, root)
        for name, one in value.items()
        if one is not None or name in needed or name not in fields
    }


def _fields(schema: JsonObject) -> tuple[JsonObject, Sequence[JsonValue]]:
    fields, needed = schema.get("properties"), schema.get("required")
    return (
        fields if isinstance(fields, dict) else {},
        needed if isinstance(needed, list) else [],
    )


def _target(schema: JsonObject, root: JsonObject) -> JsonValue | None:
    """Return the definition that a schema refers to."""
    place = schema.get("$ref")
    definitions = root.get("$defs")
    if not isinstance(place, str) or not isinstance(definitions, dict):
        return None
    return definitions.get(place.rpartition("/")[2])
