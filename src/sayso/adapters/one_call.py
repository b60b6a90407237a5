"""Tasks of one call, for which no agent runs: a tool that is tried again ("tool_retry"), and a call
that a tool's own UI makes ("tool_ui_call"). Each goes through the policy as a model's call does."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, aclosing, nullcontext

import orjson
from pydantic import JsonValue

from sayso.adapters.contract import FrameworkAdapter, OwnTools, Segment
from sayso.adapters.text_queue import TextQueue
from sayso.core.digest import JsonObject
from sayso.core.errors import NotSupportedError
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
from sayso.tools.tool import Runnable
from sayso.tools.tool_ui import UiSource, UiTool


async def retry_tool(
    segment: Segment, adapter: FrameworkAdapter
) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
    """Run the tool that the task names, and say what came of it."""
    texts = TextQueue(segment.task.task_id)
    segment.env.flush_text = texts.drain
    segment.env.checkpoint = lambda: segment.saved_state("tool_retry", "1", b"")
    async with aclosing(texts.run(_retry(segment, adapter, texts))) as items:
        async for item in items:
            yield item


async def _retry(segment: Segment, adapter: FrameworkAdapter, texts: TextQueue) -> SegmentEnd:
    wanted = segment.task.context
    name, arguments = wanted.get("tool_name"), wanted.get("arguments")
    if not isinstance(name, str) or not isinstance(arguments, dict):
        raise NotSupportedError(
            "A tool_retry task needs `tool_name` and `arguments` in its context."
        )
    async with _own_tool(segment, adapter, name) as tool:
        came = await segment.toolbox.call(
            "retry", name, arguments, agent_name=segment.agent_name, tool=tool
        )
    match came:
        case CallSuspended(requests):
            return Waiting(saved=segment.saved_state("tool_retry", "1", b""), requests=requests)
        case Returned():
            text = _outcome_text(name, came)
            await texts.say(text)
            await texts.drain()
            return Completed(output=text)


def _own_tool(
    segment: Segment, adapter: FrameworkAdapter, name: str
) -> AbstractAsyncContextManager[Runnable | None]:
    """Return the framework's own tool of this name, where it is not one of ours."""
    ours = any(tool.name == name for tool in segment.toolbox.tools)
    if ours or not isinstance(adapter, OwnTools):
        return nullcontext()
    return adapter.own_tool(segment, name)


def _outcome_text(name: str, came: Returned) -> str:
    status = _status(came.result)
    if came.error is not None or status in ("error", "critical_failure"):
        told = came.result.get("message") if isinstance(came.result, dict) else None
        said = came.error or told or "no reason was given"
        return f"{name} did not succeed this time either: {said}"
    if status in ("rejected", "denied", "dismissed", "expired"):
        return f"{name} was not run again ({status})."
    return f"{name} ran again and succeeded."


async def call_tool_of_ui(
    segment: Segment, uis: UiSource
) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
    """Make the call of a UI, or go on with it; keep what the UI is told, whole."""
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
