"""One segment without any server or store: what `ExecutionEngine.execute_task` runs.

The result of a task that waits holds all there is of it, as bytes: give them back with the answers,
in any process.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from pydantic import Base64Bytes, BaseModel, JsonValue, ValidationError

from sayso.core.answers import read_answer
from sayso.core.children import ChildRequest, Request
from sayso.core.chunks import TaskChunkType, TaskStreamChunk
from sayso.core.decisions import Refused, Repeated, Settle, decide_answer
from sayso.core.digest import JsonObject
from sayso.core.effects import Effect, EffectEnd, EffectStart
from sayso.core.errors import (
    AnswerInvalid,
    LeaseLost,
    NotFound,
    NotSupportedError,
    StateUnreadable,
    StoreBusy,
)
from sayso.core.events import EventData
from sayso.core.interactions import CardRequest, Interaction, InteractionResponse, InteractionState
from sayso.core.requirements import check_next, used_up
from sayso.core.segments import (
    Cancelled,
    Completed,
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
from sayso.engine.segment import end_of, error_body, without_people
from sayso.engine.text import whole_characters

#: The state of a waiting task and the answers to go on with.
Resume = tuple[bytes, Sequence[InteractionResponse]]


async def run_task(
    program: Program, task: TaskRequest, context: ExecutionContext, resume: Resume | None = None
) -> TaskResult:
    """Run a task until it ends or needs people.

    Raises AnswerInvalid, NotFound or StateUnreadable when `resume` is not what was waited for.
    """
    pause = _Pause.start(context, program.name) if resume is None else _Pause.read(resume[0])
    if resume is not None:
        pause.take_answers(resume[1])
        waiting = pause.pending()
        goes_on_with_each = program.capabilities.resume is ResumePolicy.EACH and resume[1]
        if waiting and not goes_on_with_each:
            return pause.result(task, waiting)
    recorder = _MemoryRecorder(pause)
    try:
        stream = program.run_segment(pause.as_start(task, context), recorder)
        limit = task.execution_config.timeout_seconds
        end: SegmentEnd = await end_of(stream, recorder.take, limit)
    except (LeaseLost, StoreBusy) as exc:  # here nobody takes a run over
        end = Failed(error=exc)
    recorder.close_text()
    return pause.after(end, task)


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
    #: What the agent has said, in all segments: a message each, as a chat would show it.
    said: list[str] = []
    #: What is known of the requirements of its actions.
    requirements: JsonObject | None = None

    @classmethod
    def start(cls, context: ExecutionContext, agent: str) -> _Pause:
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
            requirements=self.requirements,
        )

    def after(self, end: SegmentEnd, task: TaskRequest) -> TaskResult:
        mode = task.execution_config.execution_mode
        if isinstance(end, Waiting):
            end = _without_children(end)
        if isinstance(end, Waiting) and mode is ExecutionMode.ASYNC_STREAM:
            end = without_people(end)
        match end:
            case Waiting(saved=saved, requests=requests):
                self.saved = _Saved.model_construct(
                    adapter=saved.adapter,
                    version=saved.version,
                    blob=saved.blob,
                    journal=saved.journal,
                )
                self._open(requests, task)
                return self.result(task, self.pending())
            case Completed(output=final):
                self.said = self.said or ([final] if final else [])
                return self._told(task, TaskStatus.COMPLETED)
            case Failed(error=error):
                return replace(self._told(task, TaskStatus.FAILED), error=error_body(error))
            case Cancelled(reason=reason):
                told = self._told(task, TaskStatus.CANCELLED)
                return replace(told, metadata={"reason": reason})

    def result(self, task: TaskRequest, waiting: Sequence[Interaction]) -> TaskResult:
        return replace(
            self._told(task, TaskStatus.WAITING),
            interactions=[it.as_request() for it in waiting],
            state=self.model_dump_json().encode(),
        )

    def _told(self, task: TaskRequest, status: TaskStatus) -> TaskResult:
        return TaskResult(
            task_id=task.task_id,
            status=status,
            output="\n\n".join(self.said),
            messages=[UniversalMessage(role="assistant", content=text) for text in self.said],
        )

    def _open(self, requests: Sequence[Request], task: TaskRequest) -> None:
        known = {it.call_key for it in self.interactions}
        batch_id, now = str(uuid.uuid4()), datetime.now(UTC)
        for request in requests:
            if isinstance(request, CardRequest) and request.call_key not in known:
                it = request.opened(
                    interaction_id=str(uuid.uuid4()),
                    app_id="default",
                    chat_id=self.run_id,
                    run_id=self.run_id,
                    task_id=task.task_id,
                    batch_id=batch_id,
                    now=now,
                )
                self.interactions.append(it)


class _MemoryRecorder:
    """Keeps effects and texts beside the pause; shows nothing, since nobody looks."""

    def __init__(self, pause: _Pause) -> None:
        self._pause = pause
        self._text: list[str] = []
        self._speaker: JsonValue = None

    async def take(self, chunk: TaskStreamChunk) -> None:
        if chunk.chunk_type is not TaskChunkType.RESPONSE:
            return
        speaker = chunk.metadata.get("agent_name")
        if speaker != self._speaker:
            self.close_text()
        self._speaker = speaker
        self._text.append(str(chunk.content))

    def close_text(self) -> None:
        """A message ends where a chat would show something else: a call, a card, a pause."""
        text, _ = whole_characters("".join(self._text).strip())
        if text:
            self._pause.said.append(text)
        self._text.clear()

    async def show(self, *events: EventData) -> None:
        self.close_text()

    async def start_effect(self, start: EffectStart, saved: SavedState | None) -> None:
        self.close_text()
        known = self._pause.effects.get(start.key)
        if known is not None and known.attempt >= start.attempt:
            raise LeaseLost(f"Attempt {start.attempt} of '{start.key}' has been started before.")
        if start.grant is not None:
            kept = self._pause.requirements
            self._pause.requirements = used_up(kept, start.grant.grant_id, start.grant.value_hash)
        self._pause.effects[start.key] = Effect.started(start, at=datetime.now(UTC))

    def describe(self, metadata: JsonObject) -> None:
        """A task's result is its text; there is no message to carry anything."""

    async def requirements(self) -> JsonObject | None:
        return self._pause.requirements

    async def change_requirements(self, requirements: JsonObject) -> None:
        self.close_text()
        check_next(self._pause.requirements, requirements)
        self._pause.requirements = requirements

    async def end_effect(
        self,
        key: str,
        attempt: int,
        end: EffectEnd,
        *events: EventData,
        saved: SavedState | None = None,
    ) -> None:
        effect = self._pause.effects[key]
        self._pause.effects[key] = effect.ended(end, at=datetime.now(UTC))


def _without_children(end: Waiting) -> Waiting | Failed:
    handed = [request for request in end.requests if isinstance(request, ChildRequest)]
    if not handed:
        return end
    return Failed(
        error=NotSupportedError(
            f"The agent handed a task to '{handed[0].agent}', and without a store there is nowhere "
            "to keep that agent's work.",
            fix="Use InteractiveExecutionEngine, or a server.",
        )
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
