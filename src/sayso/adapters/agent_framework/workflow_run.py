"""One segment of a workflow: from its message, or from where its last superstep ended, to its end
or to what waits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
from agent_framework import (
    AgentExecutor,
    AgentResponse,
    AgentResponseUpdate,
    Message,
    Workflow,
    WorkflowEvent,
)
from pydantic import JsonValue
from pydantic_core import to_jsonable_python

from sayso.adapters.agent_framework.agent_copy import route_reachable
from sayso.adapters.agent_framework.requests import Request, answer_to, pending_of
from sayso.adapters.agent_framework.state import (
    CODEC,
    ENCLOSING,
    NAME,
    AgentFrameworkEnclosing,
    AgentFrameworkState,
    AgentFrameworkTurn,
)
from sayso.adapters.agent_framework.workflow_copy import (
    Checkpoints,
    copy_of,
    member_of,
    text_path,
    workflow_of,
)
from sayso.adapters.contract import Segment
from sayso.adapters.text_queue import SayText
from sayso.core.segments import Completed, SegmentEnd
from sayso.core.sessions import SavedState
from sayso.core.tasks import UniversalMessage
from sayso.tools.calls import CallSuspended


class WorkflowRun:
    """One segment of a workflow."""

    def __init__(self, segment: Segment, say_text: SayText) -> None:
        flow = workflow_of(segment.agent)
        assert flow is not None
        self._segment, self._flow, self._say_text = segment, flow, say_text
        saved = segment.saved
        self._state = (
            AgentFrameworkState.load(saved.blob, saved.version)
            if saved is not None
            else AgentFrameworkState()
        )
        self._turn = AgentFrameworkTurn(segment, self._state, flow)
        self._enclosing = AgentFrameworkEnclosing(self._turn, f"@{self._state.step}")
        self._asked: dict[str, WorkflowEvent[Any]] = {}
        #: What was said last, and by which executor in which superstep.
        self._output, self._speaker = "", ("", 0)

    async def run(self) -> SegmentEnd:
        turn = self._turn
        if self._state.checkpoint is not None:
            self._segment.env.checkpoint = self._saved
        answers = await self._answers()
        if turn.requests:
            return turn.end(self._saved)
        ENCLOSING.set(self._enclosing)
        route_reachable(list(self._flow.executors.values()))
        try:
            await self._play(answers)
        except Exception:
            # What the framework made of a call that waits; the superstep is played again.
            if not turn.is_over:
                raise
        if not turn.is_over:
            self._state.pending.update(
                {name: pending_of(event) for name, event in self._asked.items()}
            )
            await self._answers()
        if turn.is_over:
            return turn.end(self._saved)
        await self._segment.env.flush_text()
        return Completed(output=self._output)

    async def _play(self, answers: Mapping[str, JsonValue]) -> None:
        storage = Checkpoints(self._enclosing, self._flow)
        deps = await self._segment.make_deps()
        mine = copy_of(self._flow, self._enclosing, storage)
        how: dict[str, Any] = {
            "function_invocation_kwargs": deps if isinstance(deps, Mapping) else None
        }
        if self._state.checkpoint is None:
            how["message"] = _message(self._flow, self._segment)
        else:
            how["checkpoint_id"] = str(self._state.checkpoint["checkpoint_id"])
            how["responses"] = dict(answers) or None
        self._segment.env.checkpoint = self._saved
        async for event in mine.run(stream=True, **how):
            await self._hear(event)
            if event.type == "superstep_completed" and self._turn.is_over:
                break

    async def _hear(self, event: WorkflowEvent[Any]) -> None:
        if event.type == "request_info":
            self._asked[str(event.request_id)] = event
        elif event.type == "output":
            await self._say(event)

    async def _say(self, event: WorkflowEvent[Any]) -> None:
        """Say what has not been said before: a superstep that is done again says it again."""
        name, text = str(event.executor_id), _text(event.data)
        journal, path = self._segment.env.journal, text_path(self._enclosing, name)
        fresh = journal.say(path, text)
        is_piece, speaker = isinstance(event.data, AgentResponseUpdate), (name, self._state.step)
        if not is_piece:
            journal.mark_whole(path)
        self._output = self._output + text if is_piece and speaker == self._speaker else text
        self._speaker = speaker
        if fresh:
            is_agent = member_of(self._flow.executors[name]) is not None
            await self._say_text(fresh, name if is_agent else None)

    async def _answers(self) -> dict[str, JsonValue]:
        """Return what people have answered to what executors asked; ask what is not answered."""
        found: dict[str, JsonValue] = {}
        for name, one in self._state.pending.items():
            executor, asked = str(one["executor"]), one["asked"]
            assert isinstance(asked, dict)
            came = await self._turn.toolbox.call(
                f"request:{name}",
                executor,
                {},
                agent_name=self._segment.agent_name,
                tool=Request(executor, asked),
            )
            if isinstance(came, CallSuspended):
                self._turn.requests.update({each.call_key: each for each in came.requests})
            else:
                found[name] = answer_to(one, came.value)
        return found

    def _saved(self) -> SavedState:
        return self._segment.saved_state(NAME, CODEC.written_by(), self._state.dump())


def takes(flow: Workflow) -> type | None:
    """Return what a workflow begins with, of what a chat can give: its messages, or the words of
    the newest; None where it is neither."""
    kinds = flow.input_types
    if list[Message] in kinds or isinstance(flow.get_start_executor(), AgentExecutor):
        return list
    return str if str in kinds else None


def _message(flow: Workflow, segment: Segment) -> Any:
    words = segment.task.words
    if takes(flow) is str:
        return words
    said = [one for one in segment.chat_before if one.content]
    return [_as_message(one) for one in [*said, UniversalMessage(role="user", content=words)]]


def _as_message(message: UniversalMessage) -> Message:
    role = message.role if message.role in ("user", "system", "assistant") else "assistant"
    return Message(role, [message.content])


def _text(data: object) -> str:
    if isinstance(data, str):
        return data
    if isinstance(data, AgentResponse | AgentResponseUpdate | Message):
        return data.text
    if isinstance(data, list) and data and all(isinstance(one, Message) for one in data):
        return str(data[-1].text)
    return "" if data is None else orjson.dumps(to_jsonable_python(data, fallback=str)).decode()
