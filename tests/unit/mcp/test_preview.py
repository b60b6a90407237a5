"""What a server tells for the card of a call: it adds to the card, and takes nothing away."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, InputRequiredResult, TextContent

from sayso.adapters.program import AgentProgram
from sayso.adapters.scripted import CallTool, Say, ScriptedAgent
from sayso.core.cards import ApprovalCard
from sayso.core.errors import ToolUnavailable
from sayso.core.events import ToolCallStatus
from sayso.core.segments import Waiting
from sayso.mcp.config import Own
from sayso.mcp.definitions import address_of_preview
from sayso.mcp.pins import ToolDefinition
from sayso.mcp.replies import Silent
from sayso.mcp.tool import McpTool
from sayso.testing.recorder import MemoryRun

TOLD = ToolDefinition(name="told", annotations={"readOnlyHint": True}, visibility=("app",))
ACTS = ToolDefinition(name="acts", annotations={"destructiveHint": True}, preview="told")


class Fake:
    """The registry: it answers what it is told to, and notes what it was asked."""

    def __init__(self, answer: object, told: ToolDefinition | None = TOLD) -> None:
        self.answer, self.told, self.called = answer, told, list[tuple[str, Any]]()

    def agreed(self, server: str, name: str) -> ToolDefinition | None:
        return self.told if name == "told" else None

    def begin_call(self, server: str, tool: ToolDefinition, arguments: Any, **_: Any) -> Any:
        self.called.append((tool.name, arguments))
        begun: Future[Any] = Future()
        if isinstance(self.answer, Exception):
            begun.set_exception(self.answer)
        else:
            begun.set_result(self.answer)
        return begun


def said(**structured: Any) -> CallToolResult:
    return CallToolResult(content=[], structured_content=structured)


async def asked(fake: Fake, acts: ToolDefinition = ACTS) -> tuple[object, MemoryRun]:
    tool = McpTool(fake, "pods", acts, Own())  # type: ignore[arg-type]  # a stand-in
    agent = ScriptedAgent([CallTool("acts", {"name": "web-1"}), Say("done")])
    run = MemoryRun(person="ada")
    return await run.go(AgentProgram(agent, tools=[tool])), run


async def test_the_card_says_what_the_server_says_of_the_call() -> None:
    fake = Fake(
        said(
            summary="Delete web-1",
            message="It goes.",
            details={"node": "node-3", "name": "another"},
            impact="Its replica set makes another.",
            warnings=["It serves."],
            editable=[],
        )
    )
    end, run = await asked(fake)
    assert isinstance(end, Waiting)
    card = run.pending[0].card
    assert isinstance(card, ApprovalCard)
    assert (card.title, card.message) == ("Delete web-1", "It goes.")
    # A server cannot say another thing than what would run.
    assert card.entity_details == {"name": "web-1", "node": "node-3"}
    assert card.context["MCP server"] == "pods"
    assert fake.called == [("told", {"name": "web-1"})]


async def test_a_tool_without_one_shows_its_arguments() -> None:
    fake = Fake(said(summary="Something else"))
    end, run = await asked(fake, ACTS.model_copy(update={"preview": ""}))
    assert isinstance(end, Waiting)
    assert "Something else" not in repr(run.pending[0].card)
    assert fake.called == []


async def test_what_the_server_refuses_is_no_card() -> None:
    words = "There is no pod web-1."
    fake = Fake(CallToolResult(content=[TextContent(text=words)], is_error=True))
    _, run = await asked(fake)
    assert run.interactions == {}
    assert run.returns[0].error == words


@pytest.mark.parametrize(
    "answer",
    [
        Silent("No answer."),
        MCPError(code=-1, message="broken"),
        ToolUnavailable("It is away."),
        InputRequiredResult(request_state="s"),
        said(details="all of it"),
        CallToolResult(content=[]),
    ],
)
async def test_without_an_answer_nobody_is_asked_blindly(answer: object) -> None:
    fake = Fake(answer)
    _, run = await asked(fake)
    assert run.interactions == {}
    assert run.returns[0].status is ToolCallStatus.FAILED
    assert [name for name, _ in fake.called] == ["told"]


@pytest.mark.parametrize("told", [None, TOLD.model_copy(update={"annotations": {}})])
async def test_only_a_tool_that_reads_is_called_for_it(told: ToolDefinition | None) -> None:
    fake = Fake(said(), told)
    _, run = await asked(fake)
    assert fake.called == []
    assert run.interactions == {}


def test_a_preview_is_part_of_what_was_agreed() -> None:
    before = ACTS.model_copy(update={"preview": ""})
    assert ACTS.digest != before.digest
    # The digest of a tool without one is what it was before there were previews.
    assert (
        before.digest == "sha256:29226729a53f816f3a8d9e70607294f54d07c67898cdb8a6a5eb6876a4384fed"
    )


@pytest.mark.parametrize(
    ("meta", "name"),
    [({"sayso/preview": "told"}, "told"), ({"sayso/preview": 7}, ""), ({}, ""), (None, "")],
)
def test_it_is_named_in_the_metadata_of_its_tool(meta: object, name: str) -> None:
    assert address_of_preview(meta) == name
