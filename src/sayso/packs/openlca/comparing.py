"""Compares what is put into a database with what it holds: whether it is there, and what it would
change. openLCA writes an entity in its own words: it leaves out what is false or empty, and adds
names and versions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from sayso.core.digest import JsonObject
from sayso.packs.guided import list_of, object_of

#: What openLCA writes by itself.
_ITS_OWN = frozenset({"@context", "version", "lastChange"})
#: A card with more lines than this is no longer read.
_MOST_LINES = 60
_MOST_LETTERS = 160


def agrees(sent: JsonValue, found: JsonValue) -> bool:
    """Return whether everything that was sent is found."""
    match sent:
        case dict():
            there = object_of(found)
            if _is_ref(sent):
                return sent["@id"] == there.get("@id")
            return all(
                agrees(value, there.get(key))
                for key, value in sent.items()
                if key not in _ITS_OWN and key != "@type"
            )
        case list():
            held = list_of(found)
            return len(sent) == len(held) and all(map(agrees, _sorted(sent), _sorted(held)))
        case bool() | None | "":
            return (found or None) == (sent or None)
        case int() | float():
            number = found or 0.0
            return isinstance(number, int | float) and math.isclose(sent, number, rel_tol=1e-12)
        case _:
            return sent == found


def differences(before: JsonObject, after: JsonObject) -> list[str]:
    """Return one line for each place that differs; an entity that is put replaces the old one, so
    what it leaves out is gone."""
    lines = list(_of_objects("", before, after))
    more = len(lines) - _MOST_LINES
    return [*lines[:_MOST_LINES], f"… and {more} more"] if more > 0 else lines


def _is_ref(value: JsonObject) -> bool:
    """A reference says what it is to; everything else in it is for people."""
    return "@id" in value and not any(isinstance(one, dict | list) for one in value.values())


def _sorted(values: list[JsonValue]) -> list[JsonValue]:
    """Exchanges have numbers and links have both ends: their order says nothing."""
    return sorted(values, key=_order)


def _order(value: JsonValue) -> str:
    if not isinstance(value, dict):
        return ""
    if "internalId" in value:
        return f"{value['internalId']:>12}"
    parts = (value.get(key) for key in ("process", "exchange", "flow", "provider"))
    return "/".join(_id(part) for part in parts) or str(value.get("@id", ""))


def _id(value: JsonValue) -> str:
    found = object_of(value)
    return str(found.get("@id") or found.get("internalId") or "")


def _of_objects(path: str, before: JsonObject, after: JsonObject) -> Iterator[str]:
    for key in dict.fromkeys([*before, *after]):
        if key not in _ITS_OWN:
            where = f"{path} › {key}" if path else key
            yield from _of_values(where, before.get(key), after.get(key))


def _of_values(path: str, before: JsonValue, after: JsonValue) -> Iterator[str]:
    if (before or None) == (after or None) or _same_ref(before, after):
        return
    match before, after:
        case dict(), dict() if not (_is_ref(before) and _is_ref(after)):
            yield from _of_objects(path, before, after)
        case list(), list() if any(isinstance(one, dict) for one in (*before, *after)):
            yield from _of_lists(path, before, after)
        case _ if _is_nothing(before):
            yield f"{path}: {_words(after)} (new)"
        case _ if _is_nothing(after):
            yield f"{path}: {_words(before)} (gone)"
        case _:
            yield f"{path}: {_words(before)} → {_words(after)}"


def _of_lists(path: str, before: list[JsonValue], after: list[JsonValue]) -> Iterator[str]:
    old, new = _named(before), _named(after)
    for name in dict.fromkeys([*old, *new]):
        yield from _of_values(f"{path} › {name}", old.get(name), new.get(name))


def _named(values: list[JsonValue]) -> Mapping[str, JsonValue]:
    """Return the items by what makes each the same one before and after."""
    return {_name_of(one, number): one for number, one in enumerate(values, 1)}


def _name_of(value: JsonValue, number: int) -> str:
    found = object_of(value)
    for key in ("internalId", "@id", "position"):
        if key in found:
            return str(found[key])
    held = found.get("flowProperty") or found.get("product")
    return str(held.get("name") or held.get("@id")) if isinstance(held, dict) else str(number)


def _same_ref(before: JsonValue, after: JsonValue) -> bool:
    if not (isinstance(before, dict) and isinstance(after, dict)):
        return False
    return _is_ref(before) and _is_ref(after) and before["@id"] == after["@id"]


def _is_nothing(value: JsonValue) -> bool:
    return value is None or value in ("", [], {})


def _words(value: JsonValue) -> str:
    match value:
        case dict():
            said = _of_exchange(value) or value.get("name") or value.get("@id")
            words = str(said or f"{len(value)} fields")
        case list():
            words = f"{len(value)} items"
        case float():
            words = f"{value:g}"
        case _:
            words = str(value)
    return words if len(words) <= _MOST_LETTERS else f"{words[:_MOST_LETTERS]}…"


def _of_exchange(value: JsonObject) -> str:
    flow, unit = value.get("flow"), object_of(value.get("unit"))
    if not isinstance(flow, dict):
        return ""
    side = "in" if value.get("isInput") else "out"
    measured = f"{value.get('amount')} {unit.get('name', '')}"
    return f"{measured.strip()} {flow.get('name') or flow.get('@id')}, {side}"
