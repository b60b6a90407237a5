"""Reading a tool's own UI: what is taken, and what says why it is not."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import BlobResourceContents, ReadResourceResult, TextResourceContents

from sayso.core.errors import ToolUnavailable
from sayso.core.tool_ui import (
    APP_MEDIA_TYPE,
    LARGEST_SCHEMA_BYTES,
    LARGEST_UI_BYTES,
    SCHEMA_MEDIA_TYPE,
)
from sayso.mcp.apps import read_ui
from sayso.mcp.definitions import ui_address, visibility_of
from sayso.mcp.replies import Silent

URI = "ui://pods/app.html"
CSP = {"ui": {"csp": {"connectDomains": ["https://a.test"]}, "prefersBorder": False}}


class Fake:
    name = "pods"

    def __init__(self, answer: object, meta: dict[str, Any] | None = None) -> None:
        self.answer, self.meta = answer, meta or {}

    async def read_resource(self, uri: str) -> object:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    async def resource_meta(self, uri: str) -> dict[str, Any]:
        return self.meta


def text(words: str = "<p>", kind: str | None = APP_MEDIA_TYPE, **more: Any) -> ReadResourceResult:
    content = TextResourceContents(uri=URI, text=words, mime_type=kind, **more)
    return ReadResourceResult(contents=[content])


def blob(data: str) -> ReadResourceResult:
    content = BlobResourceContents(uri=URI, blob=data, mime_type=APP_MEDIA_TYPE)
    return ReadResourceResult(contents=[content])


async def read(fake: Fake) -> tuple[Any, bytes]:
    return await read_ui(fake, URI)  # type: ignore[arg-type]  # a stand-in


async def test_text_and_bytes_are_a_page() -> None:
    for answer in (text("<p>"), blob(b64encode(b"<p>").decode())):
        ui, page = await read(Fake(answer))
        assert (ui.has_ui, ui.problem, page) == (True, "", b"<p>")
        assert ui.prefers_border


async def test_a_schema_is_a_view_and_what_is_none_says_so() -> None:
    ui, page = await read(Fake(text('{"title": "Pods"}', SCHEMA_MEDIA_TYPE)))
    assert (ui.has_ui, ui.format, page) == (True, "schema", b'{"title": "Pods"}')
    large = '"' + "x" * LARGEST_SCHEMA_BYTES + '"'
    for words in ("<p>", "[]", "[" * 100_000, large):
        ui, page = await read(Fake(text(words, SCHEMA_MEDIA_TYPE)))
        assert (ui.has_ui, page) == (False, b"")
        assert ui.problem in ("wrong_type", "too_large")
        assert "schema" in ui.detail.lower()


async def test_what_the_content_says_goes_before_what_the_list_says() -> None:
    other = {"ui": {"csp": {"connectDomains": ["https://b.test"]}}}
    ui, _ = await read(Fake(text(meta=CSP), other))
    assert (ui.origins.connect, ui.prefers_border) == (["https://a.test"], False)
    ui, _ = await read(Fake(text(), other))
    assert ui.origins.connect == ["https://b.test"]
    ui, _ = await read(Fake(text(meta={"ui": "a string"})))
    assert ui.origins.connect == []


@pytest.mark.parametrize(
    ("answer", "problem", "said"),
    [
        (text(kind="text/html"), "wrong_type", "of the type 'text/html'"),
        (text(kind=None), "wrong_type", "unknown"),
        (text(kind=f"{APP_MEDIA_TYPE};charset=utf-8"), "wrong_type", "charset"),
        (ReadResourceResult(contents=[]), "wrong_type", "nothing under its address"),
        (blob("%%%"), "wrong_type", "no text"),
        (blob(b64encode(b"\xff\xfe\x00").decode()), "wrong_type", "no text"),
        (text("x" * (LARGEST_UI_BYTES + 1)), "too_large", "the limit is 8,388,608"),
        (MCPError(code=-32002, message="no such resource"), "unreadable", "no such resource"),
        (ToolUnavailable("It is away."), "unreadable", "It is away."),
        (Silent("It is silent."), "unreadable", "It is silent."),
    ],
)
async def test_what_cannot_be_shown_says_why(answer: object, problem: str, said: str) -> None:
    ui, page = await read(Fake(answer))
    assert (ui.has_ui, ui.problem, page) == (False, problem, b"")
    assert said in ui.detail


@pytest.mark.parametrize(
    ("meta", "address"),
    [
        ({"ui": {"resourceUri": URI}}, URI),
        ({"ui/resourceUri": URI}, URI),
        ({"ui": {"resourceUri": "https://evil.test/"}}, ""),
        ({"ui": "ui://x"}, ""),
        ({"ui": {"resourceUri": 7}}, ""),
        (None, ""),
    ],
)
def test_a_ui_has_an_address_of_its_own_scheme(meta: object, address: str) -> None:
    assert ui_address(meta) == address


@pytest.mark.parametrize(
    ("said", "who"),
    [
        (None, ("model", "app")),
        (["app"], ("app",)),
        (["model"], ("model",)),
        ([], ()),
        (["model", "internal"], ("model",)),
        ("model", ()),
        (7, ()),
    ],
)
def test_who_may_call_a_tool(said: object, who: tuple[str, ...]) -> None:
    assert visibility_of({"ui": {"visibility": said}} if said is not None else {}) == who
