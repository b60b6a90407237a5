"""What a model and a person get of an MCP result."""

from mcp_types import (
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from sayso.mcp.results import plain_result

ASKS = {"user_input_required": True, "question": "Which?", "options": []}


def test_text_stands_for_structured_content() -> None:
    both = CallToolResult(content=[TextContent(text="3")], structured_content={"result": 3})
    assert plain_result("t", both) == "3"
    alone = CallToolResult(content=[], structured_content={"result": 3})
    assert plain_result("t", alone) == {"result": 3}


def test_structured_content_that_asks_a_person_stands_for_text() -> None:
    result = CallToolResult(content=[TextContent(text="I ask")], structured_content=ASKS)
    assert plain_result("t", result) == ASKS


def test_meta_is_in_neither() -> None:
    result = CallToolResult(content=[TextContent(text="seen")], meta={"token": "hidden"})
    assert plain_result("t", result) == "seen"


def test_what_is_no_text_is_named() -> None:
    file = TextResourceContents(uri="notes://1", text="the notes")
    result = CallToolResult(
        content=[
            TextContent(text="a"),
            ImageContent(data="AAAA" * 100, mime_type="image/png"),
            ResourceLink(name="log", uri="logs://1"),
            EmbeddedResource(resource=file),
        ]
    )
    assert plain_result("t", result) == "a\n[image/png, 300 bytes]\n[log: logs://1]\nthe notes"
