"""A tool's own UI: read once, after the tool has run, and kept with the result that it was given.

So nothing is called again to show it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from sayso.core.digest import JsonObject
from sayso.core.events import ToolUiOpened
from sayso.core.tool_ui import ToolUi
from sayso.tools.calls import Call
from sayso.tools.segment_env import SegmentEnv
from sayso.tools.tool import Runnable


@dataclass(frozen=True, slots=True)
class UiRead:
    """What was read: `ui` as far as its server told it, its page, and the tool's result whole."""

    ui: ToolUi
    page: bytes
    result: bytes


@runtime_checkable
class HasUi(Protocol):
    async def read_ui(self, call_id: str, person: str | None) -> UiRead | None:
        """Return the UI of this call, if it has one; of the same call only once."""


class UiTool(Runnable, Protocol):
    """A tool as a UI of its own server may call it."""

    @property
    def leaves_nothing(self) -> bool:
        """Whether a call changes nothing that a chat should tell of: it only reads, or it is the
        UI's own and its server says nothing else of it."""

    def take_result(self, call_id: str) -> JsonObject | None:
        """Return the whole result of this call, once."""


@runtime_checkable
class UiSource(Protocol):
    """A source of tools that have UIs: what these may reach, each on its own server alone."""

    def tool_for_ui(self, server: str, name: str) -> UiTool:
        """Raises Forbidden where UIs may not call it, or nothing of that name was agreed to."""

    async def call_for_ui(
        self, server: str, name: str, arguments: JsonObject, person: str | None
    ) -> JsonObject | None:
        """Call it at once, and return its whole result; None where its server asks for something
        first. Raises ToolUnavailable."""

    async def read_for_ui(self, server: str, uri: str, person: str | None) -> JsonObject:
        """Raises Forbidden, InvalidInput, ToolUnavailable."""


async def show_ui(env: SegmentEnv, call: Call) -> None:
    """Keep the UI of a call that has run, and tell the chat of it."""
    if not isinstance(call.tool, HasUi):
        return
    read = await call.tool.read_ui(call.id, env.run.person)
    if read is None:
        return
    kept = {
        "content": await env.recorder.keep(read.page) if read.page else "",
        "result": await env.recorder.keep(read.result),
        "size": len(read.page),
        "url": f"/api/mcp/apps/{call.id}/ui",
        "round": env.round,
    }
    await env.show(ToolUiOpened(tool_call_id=call.id, ui=read.ui.model_copy(update=kept)))
