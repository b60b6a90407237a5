"""A task of type "tool_retry": run one tool again, through the policy, and say what came of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, aclosing, nullcontext

from pydantic import JsonValue

from sayso.adapters.contract import FrameworkAdapter, HasOwnTools, Segment
from sayso.adapters.text_queue import TextQueue
from sayso.core.digest import JsonObject
from sayso.core.errors import NotSupportedError
from sayso.core.segments import Completed, SegmentEnd, Waiting
from sayso.core.tasks import TaskStreamChunk
from sayso.tools.calls import CallSuspended, Returned
from sayso.tools.tool import Runnable


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
    if ours or not isinstance(adapter, HasOwnTools):
        return nullcontext()
    return adapter.own_tool(segment, name)


def _outcome_text(name: str, came: Returned) -> str:
    status = came.result.get("status") if isinstance(came.result, dict) else None
    if came.error is not None or status in ("error", "critical_failure"):
        said = came.error or _text(came.result, "message")
        return f"{name} did not succeed this time either: {said}"
    if status in ("rejected", "denied", "dismissed", "expired"):
        return f"{name} was not run again ({status})."
    return f"{name} ran again and succeeded."


def _text(value: JsonValue, key: str) -> str:
    body: JsonObject = value if isinstance(value, dict) else {}
    return str(body.get(key) or "no reason was given")
