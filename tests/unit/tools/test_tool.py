"""What `@tool` makes of a function."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from sayso.core.errors import NotSupportedError
from sayso.tools.context import ToolContext
from sayso.tools.masking import Mask
from sayso.tools.signature import ArgumentsInvalid
from sayso.tools.tool import as_tool, tool


class Line(BaseModel):
    item: str
    count: int = 1


@dataclass
class Place:
    city: str


async def order(  # noqa: PLR0917  # a tool of many parameters is the point
    ctx: ToolContext,
    lines: list[Line],
    to: Place,
    on: date,
    copy: bool = False,
    json: Annotated[str, Field(description="the note", max_length=5)] = "",
) -> None:
    """Order things.

    More words that a model need not read.
    """


def test_a_schema_from_a_signature() -> None:
    made = tool(order)
    assert made.name == "order"
    assert made.description == "Order things."
    properties: Any = made.schema["properties"]
    assert list(properties) == ["lines", "to", "on", "copy", "json"]
    assert made.schema["required"] == ["lines", "to", "on"]
    assert "title" not in made.schema
    assert properties["json"]["description"] == "the note"


def test_arguments_are_whole_and_typed() -> None:
    given: Any = {"lines": [{"item": "x"}], "to": {"city": "Oslo"}, "on": "2026-01-02"}
    whole, values = tool(order).parameters.check(given)
    assert whole == {
        "lines": [{"item": "x", "count": 1}],
        "to": {"city": "Oslo"},
        "on": "2026-01-02",
        "copy": False,
        "json": "",
    }
    assert values["lines"] == [Line(item="x")]
    assert values["to"] == Place("Oslo")
    assert values["on"] == date(2026, 1, 2)


def test_every_place_that_does_not_fit_is_named() -> None:
    given: Any = {"lines": [{"count": "many"}], "to": 1, "on": "then", "json": "too long", "x": 1}
    with pytest.raises(ArgumentsInvalid) as caught:
        tool(order).check(given)
    paths = {error["path"] for error in caught.value.errors}
    assert paths == {"lines/0/item", "lines/0/count", "to", "on", "json", "x"}


def test_what_a_model_cannot_call_is_refused_at_once() -> None:
    with pytest.raises(NotSupportedError, match=r"\*rest"):
        tool(lambda *rest: None)
    with pytest.raises(NotSupportedError, match="no parameter 'pasword'"):
        tool(secrets=["pasword"])(lambda password: None)
    with pytest.raises(NotSupportedError, match="not a tool"):
        as_tool(7)

    @tool
    def act(n: int) -> None: ...

    with pytest.raises(NotSupportedError, match="takes 'm'"):
        act.prepare(lambda m: {})


def test_options_are_read() -> None:
    made = tool(name="x", expires_in=60, on_expiry="cancel", assignees=["mara"])(lambda: None)
    assert made.traits.expires_in == timedelta(seconds=60)
    assert made.traits.on_expiry.action == "cancel"
    assert made.traits.assignees == ("mara",)


def test_a_secret_is_found_wherever_it_stands() -> None:
    mask = Mask({"key"}, {"key": "abcd-1234", "n": 1})
    assert mask.object(
        {"key": "abcd-1234", "url": "http://x/?k=abcd-1234", "deep": [{"key": 1}]}
    ) == {
        "key": "•••",
        "url": "http://x/?k=•••",
        "deep": [{"key": "•••"}],
    }
    lines = Mask({"key"}, {"key": "BEGIN\nab'cd"})
    assert lines.text(repr("BEGIN\nab'cd")) == '"•••"'
