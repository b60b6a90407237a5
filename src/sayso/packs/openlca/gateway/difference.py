"""What a write would change, in lines that a person reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from sayso.core.digest import JsonObject

#: A card with more lines than this is no longer read.
_MOST_LINES = 60
_MOST_LETTERS = 160
#: What openLCA counts by itself.
_ITS_OWN = frozenset({"@context", "version", "lastChange"})


def differences(before: JsonObject, after: JsonObject) -> list[str]:
    """Return one line for each place that differs; an entity that is put replaces the old one, so
    what it leaves out is gone."""
    lines = list(_of_objects("", before, after))
    more = len(lines) - _MOST_LINES
    return [*lines[:_MOST_LINES], f"… and {more} more"] if more > 0 else lines


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
    found = value if isinstance(value, dict) else {}
    for key in ("internalId", "@id", "position"):
        if key in found:
            return str(found[key])
    held = found.get("flowProperty") or found.get("product")
    return str(held.get("name") or held.get("@id")) if isinstance(held, dict) else str(number)


def _is_ref(value: JsonObject) -> bool:
    return "@id" in value and not any(isinstance(one, dict | list) for one in value.values())


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
    flow, unit = value.get("flow"), value.get("unit")
    if not isinstance(flow, dict):
        return ""
    side = "in" if value.get("isInput") else "out"
    measured = f"{value.get('amount')} {unit.get('name') if isinstance(unit, dict) else ''}"
    return f"{measured.strip()} {flow.get('name') or flow.get('@id')}, {side}"
