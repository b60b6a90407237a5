"""Runs one segment without any server or store: what `ExecutionEngine.execute_task` does.

The result of a task that waits holds all there is of it, as bytes: give them back with the answers,
in any process.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime

from pydantic import Base64Bytes, BaseModel, JsonValue, ValidationError

from sayso.core.answer_parsing import read_answer
from sayso.core.children import ChildRequest, Request
from sayso.core.decisions import Refused, Repeated, Settle, decide_answer
from sayso.core.digest import JsonObject, content_digest, new_salt
from sayso.core.effects import Effect, EffectEnd, EffectStart, KeyHeld, holder_of
from sayso.core.errors import (
    AnswerInvalid,
    LeaseLost,
    NotFound,
    NotSupportedError,
    StateUnreadable,
)
from sayso.core.events import EventData
from sayso.core.interactions import CardRequest, Interaction, InteractionResponse, InteractionState
from sayso.core.requirements import SpokenYes, check_next, used_up
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
from sayso.core.shown import older_digest
from sayso.core.standing_rules import StandingRule
from sayso.core.tasks import (
    ExecutionContext,
    ExecutionMode,
    TaskChunkType,
    TaskRequest,
    TaskResult,
    TaskStatus,
    TaskStreamChunk,
    UniversalMessage,
)
from sayso.core.usage import ModelCall, usage_of, with_calls
from sayso.engine.failures import error_body
from sayso.engine.segment import fail_if_person_needed, run_to_end
from sayso.engine.text_stream import whole_characters

#: The state of a waiting task and the answers to go on with.
Resume = tuple[bytes, Sequence[InteractionResponse]]


async def run_task(
    program: Program, task: TaskRequest, context: ExecutionContext, resume: Resume | None = None
) -> TaskResult:
    """Run a task until it ends or needs people.

    Raises AnswerInvalid, NotFound or StateUnreadable when `resume` is not what was waited for.
    """
    if resume is None:
        state = _TaskState.start(context, program.name)
    else:
        state = _TaskState.read(resume[0])
        state.take_answers(resume[1])
        waiting = state.pending()
        resumes_with_each = program.capabilities.resume is ResumePolicy.EACH and resume[1]
        if waiting and not resumes_with_each:
            return state.result(task, waiting)
    recorder = _MemoryRecorder(state)
    try:
        stream = program.run_segment(state.as_start(task, context), recorder)
        limit = task.execution_config.timeout_seconds
        end: SegmentEnd = await run_to_end(stream, recorder.take, limit)
    except LeaseLost as exc:  # no other worker can take this run over
        end = Failed(error=exc)
    recorder.close_text()
    return state.after(end, task)


class _AdapterState(BaseModel):
    adapter: str
    version: str
    blob: Base64Bytes
    journal: Base64Bytes


class _TaskState(BaseModel):
    """All there is of a waiting task. Its JSON is the state that a TaskResult holds."""

    #: 2: each interaction holds its digest.
    format: int = 2
    run_id: str
    agent: str
    created_at: datetime
    fence: int = 0
    saved: _AdapterState | None = None
    interactions: list[Interaction] = []
    effects: dict[str, Effect] = {}
    #: What the agent has said, in all segments: a message each, as a chat would show it.
    said: list[str] = []
    #: What its models were asked for.
    model_calls: list[ModelCall] = []
    #: What is known of the requirements of its actions.
    requirements: JsonObject | None = None
    #: What its last message would carry beside its text.
    metadata: JsonObject = {}

    @classmethod
    def start(cls, context: ExecutionContext, agent: str) -> _TaskState:
        run_id = str(context.metadata.get("run_id") or uuid.uuid4())
        return cls(run_id=run_id, agent=agent, created_at=datetime.now(UTC))

    @classmethod
    def read(cls, state: bytes) -> _TaskState:
        try:
            return _with_digests(cls.model_validate_json(state))
        except ValidationError as exc:
            raise StateUnreadable("These bytes are not the state of a waiting task.") from exc

    def pending(self) -> list[Interaction]:
        return [it for it in self.interactions if it.state is InteractionState.PENDING]

    def take_answers(self, answers: Sequence[InteractionResponse]) -> None:
        for answer in answers:
            index = next(
                (i for i, it in enumerate(self.interactions) if it.id == answer.interaction_id),
                None,
            )
            if index is None:
                raise NotFound(f"This task asked nothing with the id '{answer.interaction_id}'.")
            self.interactions[index] = _answered(self.interactions[index], answer)

    def as_start(self, task: TaskRequest, context: ExecutionContext) -> SegmentStart:
        self.fence += 1
        saved = SavedState(**dict(self.saved)) if self.saved else None
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
            end = fail_if_person_needed(end)
        match end:
            case Waiting(saved=saved, requests=requests):
                self.saved = _AdapterState.model_construct(**asdict(saved))
                self._open(requests, task)
                return self.result(task, self.pending())
            case Completed(output=final):
                self.said = self.said or ([final] if final else [])
                return self._result(task, TaskStatus.COMPLETED)
            case Failed(error=error):
                return replace(self._result(task, TaskStatus.FAILED), error=error_body(error))
            case Cancelled(reason=reason):
                ended = self._result(task, TaskStatus.CANCELLED)
                return replace(ended, metadata={**ended.metadata, "reason": reason})

    def result(self, task: TaskRequest, waiting: Sequence[Interaction]) -> TaskResult:
        return replace(
            self._result(task, TaskStatus.WAITING),
            interactions=[it.as_request() for it in waiting],
            state=self.model_dump_json().encode(),
        )

    def _result(self, task: TaskRequest, status: TaskStatus) -> TaskResult:
        return TaskResult(
            task_id=task.task_id,
            status=status,
            output="\n\n".join(self.said),
            messages=[UniversalMessage(role="assistant", content=text) for text in self.said],
            metadata={**self.metadata, **self._usage()},
        )

    def _usage(self) -> JsonObject:
        usage = usage_of(self.model_calls)
        return {"usage": usage.model_dump(mode="json")} if usage is not None else {}

    def _open(self, requests: Sequence[Request], task: TaskRequest) -> None:
        known = {it.call_key: index for index, it in enumerate(self.interactions)}
        batch_id, now = str(uuid.uuid4()), datetime.now(UTC)
        for request in requests:
            if not isinstance(request, CardRequest):
                continue
            index = known.get(request.call_key)
            if index is None:
                it = request.opened(
                    interaction_id=str(uuid.uuid4()),
                    app_id="default",
                    chat_id=self.run_id,
                    run_id=self.run_id,
                    task_id=task.task_id,
                    batch_id=batch_id,
                    now=now,
                    steady=now,
                    salt=new_salt(),
                )
                self.interactions.append(it)
            elif self.interactions[index].state is InteractionState.PENDING:
                it = self.interactions[index].asked_again(request, salt=new_salt())
                self.interactions[index] = it


class _MemoryRecorder:
    """Keeps effects and texts in the task's state; shows nothing, since no chat is open."""

    def __init__(self, state: _TaskState) -> None:
        self._state = state
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
        """End the open message, as a chat would before a call, a card or a wait."""
        text, _ = whole_characters("".join(self._text).strip())
        if text:
            self._state.said.append(text)
        self._text.clear()

    async def show(self, *events: EventData) -> None:
        self.close_text()

    async def keep(self, content: bytes) -> str:
        return content_digest(content)  # nobody will open it

    async def history(self, at: int) -> Sequence[UniversalMessage]:
        raise NotImplementedError("every segment of a task begins with its history")

    async def start_effect(self, start: EffectStart, saved: SavedState | None) -> None:
        self.close_text()
        known = self._state.effects.get(start.key)
        if known is not None and known.attempt >= start.attempt:
            raise LeaseLost(f"Attempt {start.attempt} of '{start.key}' has been started before.")
        holder = holder_of(self._state.effects.values(), start)
        if holder is not None:
            raise KeyHeld(holder)
        if start.grant is not None:
            values, grant = self._state.requirements, start.grant
            self._state.requirements = used_up(values, grant.grant_id, grant.value_hash)
        self._state.effects[start.key] = Effect.started(start, at=datetime.now(UTC))

    async def effect_under(self, business_key: str) -> Effect | None:
        held = (effect for effect in self._state.effects.values() if effect.holds_its_key)
        return next((effect for effect in held if effect.business_key == business_key), None)

    async def standing_rules(self) -> Sequence[StandingRule]:
        return ()

    def used(self, call: ModelCall) -> None:
        self._state.model_calls = [*with_calls(self._state.model_calls, [call])]

    def describe(self, metadata: JsonObject) -> None:
        """Keep it for the task's result."""
        merged = {**self._state.metadata, **metadata}
        self._state.metadata = {name: it for name, it in merged.items() if it is not None}

    async def requirements(self) -> JsonObject | None:
        return self._state.requirements

    async def change_requirements(
        self, requirements: JsonObject, yes: SpokenYes | None = None
    ) -> None:
        self.close_text()
        check_next(self._state.requirements, requirements)
        self._state.requirements = requirements

    async def end_effect(
        self,
        key: str,
        attempt: int,
        end: EffectEnd,
        *events: EventData,
        saved: SavedState | None = None,
    ) -> None:
        effect = self._state.effects[key]
        self._state.effects[key] = effect.ended(end, at=datetime.now(UTC))


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


def _with_digests(state: _TaskState) -> _TaskState:
    """Upgrade a state of format 1, whose cards showed the digest of their proposal."""
    if state.format >= 2:
        return state
    held = [_with_older_digest(it) for it in state.interactions]
    return state.model_copy(update={"format": 2, "interactions": held})


def _with_older_digest(it: Interaction) -> Interaction:
    if it.proposal is None:
        return it
    shown = older_digest(it.proposal.model_dump(mode="json"))
    return replace(it, digest=shown, revision=it.proposal.revision)


def _answered(it: Interaction, answer: InteractionResponse) -> Interaction:
    # A state holds one revision of a card: an answer that comes with it is to that one.
    answer = answer.model_copy(update={"metadata": {"digest": it.digest, **answer.metadata}})
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
