"""The arguments of a call, held against the schema of its tool."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from sayso.tools.signature import ArgumentsInvalid, check_arguments

SCHEMA: dict[str, JsonValue] = {
    "type": "object",
    "properties": {"order": {"type": "integer"}},
    "required": ["order"],
}


def test_what_fits_the_schema_of_a_server_passes() -> None:
    check_arguments(SCHEMA, {"order": 1001})


def test_what_does_not_fit_is_refused_at_its_place() -> None:
    with pytest.raises(ArgumentsInvalid) as refused:
        check_arguments(SCHEMA, {"order": "a teapot"})
    assert [error["path"] for error in refused.value.errors] == ["order"]


def test_a_schema_that_cannot_be_used_lets_nothing_through() -> None:
    with pytest.raises(ArgumentsInvalid, match="the tool's own schema cannot be used"):
        check_arguments({"type": 5}, {"order": 1001})
