"""Whether what a database holds is what was put there. openLCA writes an entity in its own words:
it leaves out what is false or empty, and adds names and versions."""

from __future__ import annotations

import math

from pydantic import JsonValue

from sayso.core.digest import JsonObject

#: What openLCA writes by itself.
_ITS_OWN = frozenset({"@type", "@context", "version", "lastChange"})


def agrees(sent: JsonValue, found: JsonValue) -> bool:
    """Return whether everything that was sent is found."""
    match sent:
        case dict():
            there = found if isinstance(found, dict) else {}
            if _is_ref(sent):
                return sent["@id"] == there.get("@id")
            return all(
                agrees(value, there.get(key)) for key, value in sent.items() if key not in _ITS_OWN
            )
        case list():
            held = found if isinstance(found, list) else []
            return len(sent) == len(held) and all(map(agrees, _sorted(sent), _sorted(held)))
        case bool() | None | "":
            return (found or None) == (sent or None)
        case int() | float():
            number = found or 0.0
            return isinstance(number, int | float) and math.isclose(sent, number, rel_tol=1e-12)
        case _:
            return sent == found


def _is_ref(value: JsonObject) -> bool:
    """A reference says what it is to; everything else in it is for people."""
    return "@id" in value and not any(isinstance(one, dict | list) for one in value.values())


def _sorted(values: list[JsonValue]) -> list[JsonValue]:
    """Exchanges have numbers and links have both ends: their order says nothing."""
    return sorted(values, key=_name)


def _name(value: JsonValue) -> str:
    if not isinstance(value, dict):
        return ""
    if "internalId" in value:
        return f"{value['internalId']:>12}"
    parts = (value.get(key) for key in ("process", "exchange", "flow", "provider"))
    return "/".join(_id(part) for part in parts) or str(value.get("@id", ""))


def _id(value: JsonValue) -> str:
    found = value if isinstance(value, dict) else {}
    return str(found.get("@id") or found.get("internalId") or "")
