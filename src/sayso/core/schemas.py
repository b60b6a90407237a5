"""JSON Schemas of cards: compiled when a card opens, so that its answers can always be checked.

A schema comes from an agent, the value from whoever answers; neither may hold the process up. So
patterns are linear in time (Rust's `regex`), nothing is fetched from anywhere, and a schema is
bounded: in size, in depth, and in how often its references lead to the same place.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, time
from functools import lru_cache
from itertools import islice
from urllib.parse import unquote

from jsonschema_rs import Draft202012Validator, FancyRegexOptions, RegexOptions, ValidationError
from pydantic import JsonValue

from sayso.core.digest import JsonObject
from sayso.core.errors import SchemaInvalid
from sayso.core.json_limits import is_too_deep
from sayso.core.messages import Message, field_error, message

#: A schema of a hundred described fields has some 20 kB.
MOST_BYTES = 256 * 1024
#: Places of a schema with every reference followed. What is checked at each place of a value is
#: bounded by it, so references cannot be multiplied by references.
MOST_PLACES = 5_000
#: Parts of a value times places of its schema: some tenths of a second.
MOST_WORK = 20_000_000
#: What a compiled pattern may take: `\\p{L}{1,30}` takes 0.5 MB.
MOST_PATTERN_BYTES = 2 * 1024 * 1024
#: What a pattern of a tool's own schema may try, where it looks around itself.
MOST_BACKTRACKS = 10_000
#: Nobody reads more mistakes than this in one answer.
MOST_ERRORS = 50

_BESIDE = {"default", "examples", "enum", "const", "title", "description"}
_NAMED = {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}


@dataclass(frozen=True, slots=True)
class Schema:
    """A schema that can be checked against; made by `compiled`."""

    _validator: Draft202012Validator
    #: How many of its places a part of a value may be held against.
    _places: int = 1

    def errors(self, value: object, *, at: str) -> list[JsonObject]:
        """Return every place where `value` does not fit, as `{path, message}`, in the order of
        paths."""
        most_parts = MOST_WORK // self._places
        if _parts(value, most_parts) > most_parts:
            return [field_error(at, message("field.too_large"))]
        try:
            found = list(islice(self._validator.iter_errors(value), MOST_ERRORS))
        except ValueError as exc:  # what JSON cannot say
            return [{"path": at, "message": f"cannot be read as JSON: {exc}"}]
        found.sort(key=lambda error: [str(part) for part in error.instance_path])
        return [field_error(_path(at, error), _said(error)) for error in found]


def compiled(schema: Mapping[str, JsonValue]) -> Schema:
    """This schema, ready to check values. Raises SchemaInvalid with the place and the reason."""
    return _compiled(_text_of(schema))


def schema_errors(schema: Mapping[str, JsonValue], value: object, *, at: str) -> list[JsonObject]:
    """Return every place where `value` does not fit. Raises SchemaInvalid."""
    return compiled(schema).errors(value, at=at)


def argument_errors(schema: Mapping[str, JsonValue], value: object) -> list[JsonObject]:
    """Return every place where a call's arguments do not fit what a framework or a server says
    of its tool. What such schemas may say is theirs; nothing is fetched for them either. Raises
    SchemaInvalid."""
    return _of_a_tool(_text_of(schema)).errors(value, at="")


def _text_of(schema: Mapping[str, JsonValue]) -> str:
    if is_too_deep(schema):
        raise SchemaInvalid("The schema nests too deeply.")
    try:
        text = json.dumps(schema, allow_nan=False)
    except (TypeError, ValueError) as exc:
        raise SchemaInvalid(f"The schema is not JSON: {exc}.") from exc
    if len(text) > MOST_BYTES:
        raise SchemaInvalid(
            f"The schema has {len(text):,} bytes; at most {MOST_BYTES:,} can be checked."
        )
    return text


@lru_cache(maxsize=256)
def _compiled(text: str) -> Schema:
    schema: JsonObject = json.loads(text)
    limits = RegexOptions(size_limit=MOST_PATTERN_BYTES)
    return Schema(_validator(schema, limits), _count_places(schema))


@lru_cache(maxsize=256)
def _of_a_tool(text: str) -> Schema:
    limits = FancyRegexOptions(backtrack_limit=MOST_BACKTRACKS, size_limit=MOST_PATTERN_BYTES)
    return Schema(_validator(json.loads(text), limits))


def _validator(
    schema: JsonObject, patterns: RegexOptions | FancyRegexOptions
) -> Draft202012Validator:
    try:
        return Draft202012Validator(
            schema,
            formats=_FORMATS,
            validate_formats=True,
            retriever=_fetch_nothing,
            pattern_options=patterns,
        )
    except ValidationError as exc:
        place = "/".join(str(part) for part in exc.instance_path)
        said = _one_line(exc.message)
        raise SchemaInvalid(f"At {place}: {said}." if place else f"{said}.") from exc


def _count_places(schema: JsonObject) -> int:
    """Return how many schemas there are with every reference followed. Raises SchemaInvalid
    where that has no end, or is too many."""
    count = 0
    # Each way into the schema, with the references that it has followed.
    ways: list[tuple[JsonValue, tuple[str, ...]]] = [(schema, ())]
    while ways:
        place, followed = ways.pop()
        count += 1
        if count > MOST_PLACES:
            raise SchemaInvalid(
                f"With its references followed the schema has more than {MOST_PLACES:,} places."
            )
        if not isinstance(place, dict):
            continue
        if "$id" in place and place is not schema:
            raise SchemaInvalid("A schema within the schema has an `$id` of its own.")
        for key in ("$ref", "$dynamicRef"):
            reference = place.get(key)
            if not isinstance(reference, str):
                continue
            if reference in followed:
                raise SchemaInvalid(f"The reference '{reference}' leads back to itself.")
            ways.append((_referred(schema, reference), (*followed, reference)))
        ways += [(inner, followed) for inner in _inner(place)]
    return count


def _parts(value: object, most: int) -> int:
    """Return how many values there are in a value; counted up to a little more than `most`."""
    count, level = 0, [value]
    while level and count <= most:
        one = level.pop()
        count += 1
        if isinstance(one, dict):
            level += one.values()
        elif isinstance(one, list | tuple):
            level += one
    return count


def _referred(schema: JsonObject, reference: str) -> JsonValue:
    """Return what a reference within the schema stands for."""
    if not reference.startswith("#/") and reference != "#":
        raise SchemaInvalid(
            f"The reference '{reference}' is not written as a place in the schema (#/$defs/…)."
        )
    place: JsonValue = schema
    for part in reference.split("/")[1:]:
        key = unquote(part).replace("~1", "/").replace("~0", "~")
        match place:
            case dict() if key in place:
                place = place[key]
            case list() if key.isdigit() and int(key) < len(place):
                place = place[int(key)]
            case _:
                raise SchemaInvalid(f"The reference '{reference}' leads nowhere.")
    return place


def _inner(place: JsonObject) -> Iterator[JsonValue]:
    """Yield the schemas that stand in this one; definitions count where they are referred to."""
    for key, value in place.items():
        if key in _BESIDE or key in ("$defs", "definitions"):
            continue
        if key in _NAMED:
            yield from value.values() if isinstance(value, dict) else ()
        elif isinstance(value, dict):
            yield value
        elif isinstance(value, list):
            yield from (one for one in value if isinstance(one, dict))


def _fetch_nothing(uri: str) -> JsonObject:
    raise ValueError("nothing is fetched for a schema")


def _reads(parse: Callable[[str], object]) -> Callable[[str], bool]:
    def is_read(value: str) -> bool:
        try:
            parse(value)
        except ValueError:
            return False
        return True

    return is_read


_CODES = {
    "type": "field.of_type",
    "enum": "field.one_of",
    "required": "field.required",
    "format": "field.of_format",
    "pattern": "field.of_pattern",
    "minimum": "field.at_least",
    "maximum": "field.at_most",
    "exclusiveMinimum": "field.more_than",
    "exclusiveMaximum": "field.less_than",
    "minLength": "field.too_short",
    "maxLength": "field.too_long",
    "minItems": "field.too_few",
    "maxItems": "field.too_many",
}
#: As a page's own field and pydantic write them: a zone may be left out.
_FORMATS = {"date-time": _reads(datetime.fromisoformat), "time": _reads(time.fromisoformat)}


def _path(at: str, error: ValidationError) -> str:
    return "/".join([*([at] if at else []), *(str(part) for part in error.instance_path)])


def _said(error: ValidationError) -> str:
    """Return the library's own words, with the code of the keyword that they are about."""
    given = error.kind.as_dict()
    code = _CODES.get(error.kind.name)
    if code is None or "error" in given:  # the pattern took more tries than it may
        return error.message
    match error.kind.name:
        case "type":
            params: JsonObject = {"types": given["types"]}
        case "enum":
            params = {"options": [str(option) for option in given["options"]]}
        case "required":
            params = {"name": given["property"]}
        case "format" | "pattern" as name:
            params = {name: given[name]}
        case _:
            params = {"limit": given["limit"]}
    return Message(error.message, code, params)


def _one_line(message: str) -> str:
    return message.strip().splitlines()[0].rstrip(".")
