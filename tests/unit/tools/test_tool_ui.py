"""A tool's own UI beside its call: kept with the result that it was given, and told once."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from sayso.core.events import EventData, ToolUiOpened
from sayso.core.tool_ui import ToolUi
from sayso.testing.recorder import MemoryRecorder
from sayso.tools.calls import Call
from sayso.tools.segment_env import SegmentEnv
from sayso.tools.tool_ui import UiRead, show_ui


class WithUi:
    def __init__(self) -> None:
        self.unread = {"c1": UiRead(ToolUi(server="maps", resource_uri="ui://map"), b"<p>", b"{}")}

    async def read_ui(self, call_id: str, person: str | None) -> UiRead | None:
        return self.unread.pop(call_id, None) if person == "ada" else None


async def shown(*tools: object) -> tuple[MemoryRecorder, list[EventData]]:
    """What the chat is told after the call c1 of each of them."""
    recorder = MemoryRecorder()
    run: Any = SimpleNamespace(person="ada")
    env = SimpleNamespace(run=run, recorder=recorder, show=recorder.show, round=2)
    for tool in tools:
        await show_ui(cast("SegmentEnv", env), cast("Call", SimpleNamespace(id="c1", tool=tool)))
    return recorder, recorder.events


async def test_it_is_kept_with_its_result_and_told_once() -> None:
    tool = WithUi()
    recorder, (told,) = await shown(tool, tool)
    assert isinstance(told, ToolUiOpened)
    assert (told.tool_call_id, told.ui.server, told.ui.round) == ("c1", "maps", 2)
    assert (told.ui.url, told.ui.size) == ("/api/mcp/apps/c1/ui", 3)
    assert [recorder.kept[of] for of in (told.ui.content, told.ui.result)] == [b"<p>", b"{}"]


async def test_a_tool_without_one_tells_nothing() -> None:
    recorder, told = await shown(object())
    assert (recorder.kept, told) == ({}, [])
