"""A task of type "tool_ui_call": one call that a tool's own UI makes, through the policy as a
model's, and what the UI is told of it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import orjson
from pydantic import JsonValue

from sayso.adapters.contract import Segment
from sayso.core.digest import JsonObject
from sayso.core.segments import Completed, SegmentEnd, Waiting
from sayso.core.sessions import SavedState
from sayso.core.tasks import TaskStreamChunk
from sayso.core.ui_calls import (
    LARGEST_RESULT_BYTES,
    UI_CALL_KEY,
    UI_TASK,
    called_in,
    failed_result,
)
from sayso.tools.calls import CallSuspended, Returned
from sayso.tools.tool_ui import UiSource, UiTool


async def call_tool_of_ui(
    segment: Segment, uis: UiSource
) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
    """Make the call, or go on with it; keep what the UI is told, whole."""
    server, name, arguments, ui_name = called_in(segment.task)
    tool = uis.tool_for_ui(server, name)
    env = segment.env

    def saved() -> SavedState:
        return segment.saved_state(UI_TASK, "1", b"")

    env.checkpoint = saved
    came = await segment.toolbox.call(
        UI_CALL_KEY, tool.name, arguments, agent_name=ui_name, tool=tool
    )
    if isinstance(came, CallSuspended):
        yield Waiting(saved=saved(), requests=came.requests)
        return
    told = orjson.dumps(_told(came, tool, env.call_id(UI_CALL_KEY)))
    if len(told) > LARGEST_RESULT_BYTES:
        words = f"The result has {len(told):,} bytes; a UI gets {LARGEST_RESULT_BYTES:,} at most."
        told = orjson.dumps(failed_result(words))
    yield Completed(output=await env.recorder.keep(told))


def _told(came: Returned, tool: UiTool, call_id: str) -> JsonObject:
    """Return the result as its server gave it; where another segment had it, or nothing ran, what
    is known of it."""
    whole = tool.take_result(call_id)
    if whole is not None:
        return whole
    words = came.error or _words(came.result)
    is_error = came.error is not None or _status(came.result) in _DID_NOT_RUN
    return {"content": [{"type": "text", "text": words}], "isError": is_error}


_DID_NOT_RUN = {"rejected", "denied", "dismissed", "expired", "cancelled", "error"}


def _status(result: JsonValue) -> JsonValue:
    return result.get("status") if isinstance(result, dict) else None


def _words(result: JsonValue) -> str:
    """Return a result in words: of a refusal its status and reason."""
    if isinstance(result, str):
        return result
    if isinstance(result, dict) and _status(result) in _DID_NOT_RUN:
        why = result.get("message") or result.get("reason") or result.get("user_message")
        return f"{_status(result)}: {why}" if why else str(_status(result))
    return orjson.dumps(result).decode()
