"""The smallest adapter: an agent that is a list of steps. It shows what the contract asks for, and
serves tests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from functools import partial

import orjson
from pydantic import JsonValue

from sayso.adapters.contract import Segment
from sayso.adapters.findings import AppSide, Finding
from sayso.core.digest import JsonObject
from sayso.core.errors import StateUnreadable
from sayso.core.segments import Capabilities, Completed, SegmentEnd, Waiting
from sayso.core.sessions import SavedState
from sayso.core.tasks import TaskStreamChunk, text_chunk
from sayso.tools.calls import CallSuspended, Returned


@dataclass(frozen=True, slots=True)
class Say:
    """Say this, or what the function makes of the results so far."""

    text: str | Callable[[list[JsonValue]], str]


@dataclass(frozen=True, slots=True)
class CallTool:
    """Call a tool."""

    tool: str
    arguments: JsonObject


@dataclass(frozen=True, slots=True)
class Together:
    """Call several tools at once."""

    calls: Sequence[CallTool]


Step = Say | CallTool | Together


@dataclass(frozen=True, slots=True)
class ScriptedAgent:
    steps: Sequence[Step]
    name: str = "scripted"


class ScriptedAdapter:
    name = "scripted"
    capabilities = Capabilities()

    def accepts(self, agent: object) -> bool:
        return isinstance(agent, ScriptedAgent)

    def check(self, agent: object, app: AppSide) -> Sequence[Finding]:
        return ()

    async def execute_task_interactive(
        self, segment: Segment
    ) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
        agent = segment.agent
        assert isinstance(agent, ScriptedAgent)
        at, results = _read(segment)
        said = ""
        for number, step in enumerate(agent.steps):
            if number < at:
                continue
            blob = orjson.dumps({"at": number, "results": results})
            segment.env.checkpoint = partial(_saved, segment, blob)
            if isinstance(step, Say):
                text = step.text if isinstance(step.text, str) else step.text(results)
                said += text
                yield text_chunk(segment.task.task_id, text)
                await asyncio.sleep(0)  # give way, as an agent that waits for its model does
                continue
            came = await _call(
                segment, number, step.calls if isinstance(step, Together) else [step]
            )
            waiting = [r for one in came if isinstance(one, CallSuspended) for r in one.requests]
            if waiting:
                yield Waiting(saved=_saved(segment, blob), requests=waiting)
                return
            results = [*results, *(one.value for one in came if isinstance(one, Returned))]
        yield Completed(output=said)


async def _call(
    segment: Segment, number: int, calls: Sequence[CallTool]
) -> list[Returned | CallSuspended]:
    return await asyncio.gather(
        *(
            segment.toolbox.call(f"{number}.{place}", call.tool, call.arguments)
            for place, call in enumerate(calls)
        )
    )


def _saved(segment: Segment, blob: bytes) -> SavedState:
    return segment.saved_state(ScriptedAdapter.name, "1", blob)


def _read(segment: Segment) -> tuple[int, list[JsonValue]]:
    if segment.saved is None:
        return 0, []
    if segment.saved.version != "1":
        raise StateUnreadable(f"The script's state has version {segment.saved.version}, not 1.")
    body = orjson.loads(segment.saved.blob)
    return int(body["at"]), list(body["results"])
