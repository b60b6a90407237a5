"""How deep JSON may nest to be kept: its readers and writers each take a depth of their own, and
what is kept is wrapped in more of it on its way."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import BaseModel

from sayso.core.digest import JsonObject
from sayso.core.errors import TooDeep

#: orjson writes 254 levels and reads 1024, pydantic takes some 250; a card adds ten of its own.
DEEPEST = 100
#: What is kept in the place of arguments that are too deep. No tool ever runs with it.
CUT: JsonObject = {"…": "nested too deeply to be kept"}


def is_too_deep(value: object) -> bool:
    """Return whether this nests DEEPEST levels or more. What stands in several places is looked
    at once, so that a value that holds itself comes to an end too."""
    level = [value]
    for _ in range(DEEPEST):
        level = list({id(inner): inner for outer in level for inner in _inside(outer)}.values())
        if not level:
            return False
    return True


def check_depth(value: object, what: str) -> None:
    """Raises TooDeep; `what` is the subject of its sentence."""
    if is_too_deep(value):
        raise TooDeep(f"{what} nests {DEEPEST} levels deep or more.")


def _inside(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    if isinstance(value, BaseModel):
        return vars(value).values()
    return value if isinstance(value, list | tuple) else ()
