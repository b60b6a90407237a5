"""A tool's own UI: read once, after the tool has run, and kept with the result that it was given.

So nothing is called again to show it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from sayso.core.events import ToolUiOpened
from sayso.core.tool_ui import ToolUi
from sayso.tools.calls import Call
from sayso.tools.segment_env import SegmentEnv


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
