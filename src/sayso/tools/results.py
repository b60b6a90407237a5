"""What comes out of a body: JSON of a bounded size, or an error that says why it is not."""

from __future__ import annotations

import orjson
from pydantic import JsonValue
from pydantic_core import PydanticSerializationError, to_jsonable_python

from sayso.core.depth import DEEPEST, is_too_deep
from sayso.core.digest import JsonObject
from sayso.core.errors import TooDeep
from sayso.tools.outcomes import error_result

#: A result goes to a model, a row and every client; beyond this it belongs in an artifact or a
#: file.
MAX_RESULT_BYTES = 1_000_000


def as_result(raw: object) -> JsonValue:
    """The body's value as JSON. One that cannot be told becomes an error that says the tool did
    run."""
    try:
        value: JsonValue = to_jsonable_python(raw, inf_nan_mode="null")
        size = len(orjson.dumps(value))
    except (PydanticSerializationError, ValueError, TypeError) as exc:
        if is_too_deep(raw):
            return _too_deep()
        return error_result(
            f"The tool ran, but its result cannot be written as JSON: {exc}",
            suggestion="Do not call it again for that; its author needs to return plain data.",
        )
    if size > MAX_RESULT_BYTES:
        return error_result(
            f"The tool ran, but its result has {size} bytes; the limit is {MAX_RESULT_BYTES}.",
            suggestion="Ask for less, or for a part of it.",
        )
    return _too_deep() if is_too_deep(value) else value


def _too_deep() -> JsonObject:
    return error_result(
        f"The tool ran, but its result nests {DEEPEST} levels deep or more.",
        suggestion="Do not call it again for that; its author needs to return flatter data.",
        code=TooDeep.code,
    )


def is_error(value: JsonValue) -> bool:
    return isinstance(value, dict) and value.get("status") in ("error", "critical_failure")


def error_text(value: JsonValue) -> str:
    return str(value.get("message") or "It failed.") if isinstance(value, dict) else "It failed."
