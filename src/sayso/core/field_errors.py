"""What pydantic finds wrong, at the places that the person knows."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import ValidationError

from sayso.core.digest import JsonObject


def field_errors(exc: ValidationError, given: object) -> list[JsonObject]:
    """Return one `{path, message}` for each field of what was `given`. Pydantic counts the branches
    of a union among the places, and has a message for each of them."""
    found: dict[str, list[str]] = {}
    for error in exc.errors(include_url=False):
        path = _place(error["loc"], given, is_missing=error["type"] == "missing")
        found.setdefault(path, []).append(error["msg"])
    return [
        {"path": path, "message": ", or: ".join(dict.fromkeys(messages))}
        for path, messages in found.items()
    ]


def _place(loc: Sequence[str | int], given: object, *, is_missing: bool) -> str:
    """Return the part of this location that is there; what is missing is there by its name."""
    path = list[str | int]()
    for part in loc:
        try:
            given = given[part]  # type: ignore[index]  # where it has no parts, this is no place
        except (KeyError, IndexError, TypeError):
            continue
        path.append(part)
    return "/".join(map(str, [*path, *loc[-1:]] if is_missing else path))
