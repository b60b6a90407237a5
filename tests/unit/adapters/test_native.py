"""What the wrappers of all frameworks' own tools have in common."""

from __future__ import annotations

from collections.abc import Awaitable

import pytest
from pydantic import BaseModel

from sayso.adapters.native import NativeTool, hinted_traits, in_our_words
from sayso.core.digest import JsonObject
from sayso.tools.signature import ArgumentsInvalid
from sayso.tools.tool import Traits


class Doubling(NativeTool):
    def __init__(self, schema: JsonObject) -> None:
        super().__init__("double", None, Traits(declared=False))
        self._schema = schema

    @property
    def schema(self) -> JsonObject:
        return self._schema

    def start(self, arguments: JsonObject, ctx: object) -> Awaitable[object]:
        raise NotImplementedError


def test_arguments_are_held_against_the_tools_own_schema() -> None:
    tool = Doubling({"type": "object", "properties": {"n": {"type": "integer"}}})
    assert tool.check({"n": 2}) == {"n": 2}
    with pytest.raises(ArgumentsInvalid, match="n: "):
        tool.check({"n": "two"})


def test_a_schema_that_cannot_be_used_is_told_to_the_model_and_ends_no_run() -> None:
    with pytest.raises(ArgumentsInvalid, match="own schema cannot be used"):
        Doubling({"type": "no such type"}).check({"n": 2})


def test_errors_of_pydantic_name_their_place() -> None:
    class Order(BaseModel):
        lines: list[int]

    given: JsonObject = {"lines": [1, "two"]}
    with pytest.raises(ArgumentsInvalid) as raised, in_our_words(given):
        Order.model_validate(given)
    (error,) = raised.value.errors
    assert error["path"] == "lines/1"


@pytest.mark.parametrize("said", [True, False, None, "yes"])
def test_a_hint_counts_only_where_it_says_so(said: object) -> None:
    traits = hinted_traits({"readOnlyHint": said}, declared=True)
    assert traits.read_only is (said is True)
    assert traits == Traits(declared=True, read_only=said is True)
