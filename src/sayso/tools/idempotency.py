"""What a tool declares so that it acts once: `key="refund:{order}"`, a business key filled in from
the arguments that run, and `reconcile=`, which looks up what became of a call."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from string import Formatter
from urllib.parse import quote

from pydantic import JsonValue

from sayso.core.errors import NotSupportedError

#: A look-up may take this beside the tool's own parameters: the business key, or where there is
#: none the idempotency key.
KEY = "key"


@dataclass(frozen=True, slots=True)
class Done:
    """It was found to be done: the run goes on with this result."""

    result: object = None


@dataclass(frozen=True, slots=True)
class NotDone:
    """It was found not to be done, and will not be any more."""


#: What a look-up finds; None where it still cannot be known.
Found = Done | NotDone | None


def as_found(found: object, tool: str) -> Found:
    if found is None or isinstance(found, Done | NotDone):
        return found
    raise TypeError(f"reconcile of '{tool}' needs to return Done(…), NotDone() or None")


def check_key(template: str, tool: str, known: Collection[str]) -> None:
    """Raise NotSupportedError for a template that this tool's arguments cannot fill."""
    try:
        parts = list(Formatter().parse(template))
    except ValueError as exc:
        raise NotSupportedError(f"The key of '{tool}' cannot be read: {exc}.") from exc
    if not template.strip():
        raise NotSupportedError(
            f"The key of '{tool}' is empty.", fix='As in: key="refund:{order}".'
        )
    for _, name, spec, conversion in parts:
        if name is None:
            continue
        if name not in known or spec or conversion:
            raise NotSupportedError(
                f"The key '{template}' of '{tool}' needs something that is no argument of it.",
                fix=f"Name arguments as they are: {', '.join('{' + one + '}' for one in known)}.",
            )


def business_key(template: str, arguments: Mapping[str, JsonValue]) -> str:
    """Fill in the template with these arguments. Values are quoted, so that ("1:2", "3") and ("1",
    "2:3") never make the same key."""
    return "".join(
        text + (_quoted(arguments.get(name)) if name is not None else "")
        for text, name, _, _ in Formatter().parse(template)
    )


def _quoted(value: JsonValue) -> str:
    if isinstance(value, str):
        return quote(value, safe="")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "=" + quote(json.dumps(value, sort_keys=True, separators=(",", ":")), safe="")
    is_whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if is_whole else str(value)
