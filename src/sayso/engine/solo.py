"""One segment without any server or store: what `ExecutionEngine.execute_task` runs.

The result of a task that waits holds all there is of it, as bytes: give them back with the answers,
in any process.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime

from pydantic import Base64Bytes, BaseModel, ValidationError

from sayso.core.answers import read_answer
from sayso.core.chunks import TaskChunkType, TaskStreamChunk
from sayso.core.effects import Effect, EffectEnd, EffectState
from sayso.core.errors import (
    AgentFailed,
    AnswerInvalid,
    LeaseLost,
    NotFound,
    PersonNeeded,
    SaysoError,
    StateUnreadable,
)
from sayso.core.events import EventData
from sayso.core.interactions import (
    CardRequest,
    Interaction,
    InteractionResponse,
    InteractionState,
    Refused,
    Repeated,
    Settle,
    decide_answer,
)
from sayso.core.segments import (
    Cancelled,
    Completed,
    EffectStart,
    Failed,
    Program,
    ResumePolicy,
    SegmentEnd,
    SegmentStart,
    Waiting,
)
from sayso.core.sessions import Run, RunState, SavedState
from sayso.core.tasks import (
    ExecutionContext,
    ExecutionMode,
    TaskRequest,
    TaskResult,
    TaskStatus,
    UniversalMessage,
)
from sayso.engine.segment import error_body

#: The state of a waiting task and the answers to go on with.
Resume = tuple[bytes, Sequence[InteractionResponse]]


async def run_task(
    program: Program, task: TaskRequest, context: ExecutionContext, resume: Resume | None = None
) -> TaskResult:
    """Run a task until it ends or needs people.

    Raises AnswerInvalid, NotFound or StateUnreadable when `resume` is not what was waited for.
    """
    pause = _Pause.start(task, context, program.name) if resume is None else _Pause.read(resume[0])
    if resume is not None:
        pause.take_answers(resume[1])
        waiting = pause.pending()
        goes_on_with_each = program.capabilities.resume is ResumePolicy.EACH and resume[1]
        if waiting and not goes_on_with_each:
            return pause.result(task, waiting)
    recorder = _MemoryRecorder(pause)
    output: list[str] = []
    end = await _end_of(program, pause.as_start(task, context), recorder, output)
    return pause.after(end, task, "".join(output))


class _Saved(BaseModel):
    adapter: str
    version: str
    blob: Base64Bytes
    journal: Base64Bytes


class _Pause(BaseModel):
    """All there is of a waiting task."""

    format: int = 1
    run_id: str
    agent: str
    created_at: datetime
    fence: int = 0
    saved: _Saved | None = None
    interactions: list[Interaction] = []
    effects: dict[str, Effect] = {}

    @classmethod
    def start(cls, task: TaskRequest, context: ExecutionContext, agent: str) -> _Pause:
        run_id = str(context.metadata.get("run_id") or uuid.uuid4())
        return cls(run_id=run_id, agent=agent, created_at=datetime.now(UTC))

    @classmethod
    def read(cls, state: bytes) -> _Pause:
        try:
            return cls.model_validate_json(state)
        except ValidationError as exc:
            raise StateUnreadable("These bytes are not the state of a waiting task.") from exc

    def pending(self) -> list[Interaction]:
        return [it for it in self.interactions if it.state is InteractionState.PENDING]

    def take_answers(self, answers: Sequence[InteractionResponse]) -> None:
        for answer in answers:
            place = next(
                (i for i, it in enumerate(self.interactions) if it.id == answer.interaction_id),
                None,
            )
            if place is None:
                raise NotFound(f"This task asked nothing with the id '{answer.interaction_id}'.")
            self.interactions[place] = _answered(self.interactions[place], answer)

    def as_start(self, task: TaskRequest, context: ExecutionContext) -> SegmentStart:
        self.fence += 1
        saved = (
            SavedState(
                adapter=self.saved.adapter,
                version=self.saved.version,
                blob=self.saved.blob,
                journal=self.saved.journal,
            )
            if self.saved
            else None
        )
        run = Run(
            id=self.run_id,
            app_id=context.app_id,
            chat_id=context.chat_id or self.run_id,
            agent=self.agent,
            task=task,
            state=RunState.RUNNING,
            created_at=self.created_at,
            updated_at=datetime.now(UTC),
            fence=self.fence,
            saved=saved,
            person=context.user,
        )
        return SegmentStart(
            run=run,
            answers={it.call_key: it for it in self.interactions if it.state.is_final},
            effects=dict(self.effects),
            history=task.messages[:-1],
        )

    def after(self, end: SegmentEnd, task: TaskRequest, output: str) -> TaskResult:
        mode = task.execution_config.execution_mode
        if isinstance(end, Waiting) and mode is ExecutionMode.ASYNC_STREAM:
            end = Failed(error=PersonNeeded("The agent needs a person to go on."))
        match end:
            case Waiting(saved=saved, requests=requests):
                self.saved = _Saved.model_construct(
                    adapter=saved.adapter,
                    version=saved.version,
                    blob=saved.blob,
                    journal=saved.journal,
                )
                self._open(requests, task)
                return replace(self.result(task, self.pending()), output=output)
            case Completed(output=final):
                said = final or output
                return TaskResult(
                    task_id=task.task_id,
                    status=TaskStatus.COMPLETED,
                    output=said,
                    messages=[UniversalMessage(role="assistant", content=said)],
                )
            case Failed(error=error):
                return TaskResult(
                    task_id=task.task_id,
                    status=TaskStatus.FAILED,
                    output=output,
                    error=error_body(error),
                )
            case Cancelled(reason=reason):
                return TaskResult(
                    task_id=task.task_id,
                    status=TaskStatus.CANCELLED,
                    output=output,
                    metadata={"reason": reason},
                )

    def result(self, task: TaskRequest, waiting: Sequence[Interaction]) -> TaskResult:
        return TaskResult(
            task_id=task.task_id,
            status=TaskStatus.WAITING,
            interactions=[it.as_request() for it in waiting],
            state=self.model_dump_json().encode(),
        )

    def _open(self, requests: Sequence[CardRequest], task: TaskRequest) -> None:
        known = {it.call_key for it in self.interactions}
        batch = str(uuid.uuid4())
        for request in requests:
            if request.call_key not in known:
                self.interactions.append(_opened(request, self, task, batch))


class _MemoryRecorder:
    """Keeps effects beside the pause; shows nothing, since nobody looks."""

    def __init__(self, pause: _Pause) -> None:
        self._pause = pause

    async def show(self, *events: EventData) -> None:
        return None

    async def start_effect(self, start: EffectStart, saved: SavedState | None) -> None:
        known = self._pause.effects.get(start.key)
        if known is not None and known.attempt >= start.attempt:
            raise LeaseLost(f"Attempt {start.attempt} of '{start.key}' has been started before.")
        self._pause.effects[start.key] = Effect(
            key=start.key,
            attempt=start.attempt,
            state=EffectState.STARTED,
            tool_name=start.tool_name,
            arguments=start.arguments,
            started_at=datetime.now(UTC),
            shown_digest=start.shown_digest,
            executed_digest=start.executed_digest,
        )

    async def end_effect(self, key: str, attempt: int, end: EffectEnd, *events: EventData) -> None:
        effect = self._pause.effects[key]
        self._pause.effects[key] = replace(
            effect,
            state=end.state,
            result=end.result,
            error=end.error,
            ended_at=datetime.now(UTC),
        )


async def _end_of(
    program: Program, start: SegmentStart, recorder: _MemoryRecorder, output: list[str]
) -> SegmentEnd:
    try:
        async with aclosing(program.run_segment(start, recorder)) as chunks:  # type: ignore[type-var]
            async for out in chunks:
                if not isinstance(out, TaskStreamChunk):
                    return out
                if out.chunk_type is TaskChunkType.RESPONSE:
                    output.append(str(out.content))
    except SaysoError as exc:
        return Failed(error=exc)
    except Exception as exc:
        return Failed(error=AgentFailed(f"{type(exc).__name__}: {exc}"))
    return Failed(error=AgentFailed("The agent's stream ended without saying how."))


def _opened(request: CardRequest, pause: _Pause, task: TaskRequest, batch: str) -> Interaction:
    now = datetime.now(UTC)
    return Interaction(
        id=str(uuid.uuid4()),
        app_id="default",
        chat_id=pause.run_id,
        run_id=pause.run_id,
        task_id=task.task_id,
        call_key=request.call_key,
        batch_id=batch,
        type=request.interaction_type,
        state=InteractionState.PENDING,
        card=request.card,
        ui_tool_id=request.ui_tool_id,
        agent_name=request.agent_name,
        display=request.display,
        created_at=now,
        tool_call_id=request.tool_call_id,
        proposal=request.proposal,
        expires_at=now + request.expires_in if request.expires_in else None,
        on_expiry=request.on_expiry,
        assignees=request.assignees,
    )


def _answered(it: Interaction, answer: InteractionResponse) -> Interaction:
    checked = read_answer(it, answer.model_dump(exclude_none=True), reason_required=False)
    now = datetime.now(UTC)
    match decide_answer(it, checked, key=None, now=now):
        case Settle(state=state, response=response):
            return replace(
                it, state=state, response=response, settled_at=now, settled_by="in process"
            )
        case Repeated():
            return it
        case Refused(error=error):
            raise error
        case _:
            raise AnswerInvalid("The time to answer this has passed.")
