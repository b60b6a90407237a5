"""A recorder and a whole run in memory: drive a program segment by segment, without an engine or a
store.

`MemoryRun` is what an engine and a store are to a program: it keeps the saved state, opens the
cards that a segment asks for, settles them with answers read at the real door, and starts the next
segment. It can be pickled at any pause, so that another process goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from sayso.core.answers import read_answer
from sayso.core.chunks import TaskStreamChunk
from sayso.core.effects import Effect, EffectEnd, EffectState
from sayso.core.errors import LeaseLost
from sayso.core.events import EventData, ToolCalled, ToolReturned
from sayso.core.interactions import (
    CardRequest,
    Interaction,
    InteractionState,
    expiry_of,
    state_after,
)
from sayso.core.segments import (
    AgentState,
    Completed,
    EffectStart,
    Program,
    SegmentEnd,
    SegmentStart,
    Waiting,
)
from sayso.core.sessions import Run, RunState, SavedState
from sayso.core.tasks import TaskRequest, UniversalMessage


class Crash(BaseException):
    """The process "dies" here: raised by a recorder at the boundary a test has chosen."""


@dataclass
class MemoryRecorder:
    """Keeps what a segment leaves behind. `crash_at` may raise at a boundary named like "before
    started:KEY"."""

    events: list[EventData] = field(default_factory=list)
    effects: dict[str, Effect] = field(default_factory=dict)
    attempts: list[EffectStart] = field(default_factory=list)
    saved: SavedState | None = None
    lost: bool = False
    crash_at: Callable[[str], None] | None = None

    def _at(self, boundary: str) -> None:
        if self.crash_at is not None:
            self.crash_at(boundary)

    def _fenced(self) -> None:
        if self.lost:
            raise LeaseLost("Another worker has this run.")

    async def show(self, *events: EventData) -> None:
        self._fenced()
        self.events.extend(events)

    async def start_effect(self, start: EffectStart, saved: SavedState | None) -> None:
        self._fenced()
        self._at(f"before started:{start.tool_name}")
        known = self.effects.get(start.key)
        assert known is None or known.attempt < start.attempt, "an attempt was started twice"
        self.attempts.append(start)
        self.effects[start.key] = Effect(
            key=start.key,
            attempt=start.attempt,
            state=EffectState.STARTED,
            tool_name=start.tool_name,
            arguments=start.arguments,
            started_at=datetime.now(UTC),
            shown_digest=start.shown_digest,
            executed_digest=start.executed_digest,
        )
        if saved is not None:
            self.saved = saved
        self._at(f"after started:{start.tool_name}")

    async def end_effect(self, key: str, attempt: int, end: EffectEnd, *events: EventData) -> None:
        self._at(f"before ended:{self.effects[key].tool_name}")
        effect = self.effects[key]
        if effect.attempt == attempt:
            self.effects[key] = replace(
                effect,
                state=end.state,
                result=end.result,
                error=end.error,
                ended_at=datetime.now(UTC),
            )
        self.events.extend(events)
        self._at(f"after ended:{effect.tool_name}")


@dataclass
class MemoryRun:
    """One run of a program, in memory."""

    text: str = "go"
    run_id: str = "run-1"
    task: TaskRequest | None = None
    person: str | None = "ada"
    history: Sequence[UniversalMessage] = ()
    preferences: Mapping[str, object] = field(default_factory=dict)
    agent_state: AgentState | None = None
    recorder: MemoryRecorder = field(default_factory=MemoryRecorder)
    #: Every interaction of the run by call key, pending ones too.
    interactions: dict[str, Interaction] = field(default_factory=dict)
    chunks: list[TaskStreamChunk] = field(default_factory=list)
    ends: list[SegmentEnd] = field(default_factory=list)
    fence: int = 0

    @property
    def said(self) -> str:
        return "".join(str(chunk.content) for chunk in self.chunks)

    @property
    def end(self) -> SegmentEnd:
        return self.ends[-1]

    @property
    def pending(self) -> list[Interaction]:
        return [it for it in self.interactions.values() if not it.state.is_final]

    @property
    def calls(self) -> list[ToolCalled]:
        return [event for event in self.recorder.events if isinstance(event, ToolCalled)]

    @property
    def returns(self) -> list[ToolReturned]:
        """How calls ended; a call that waits has not."""
        found = [event for event in self.recorder.events if isinstance(event, ToolReturned)]
        return [event for event in found if event.status.value != "waiting"]

    def start(self) -> SegmentStart:
        task = self.task or TaskRequest(
            task_id="task-1", messages=[UniversalMessage(role="user", content=self.text)]
        )
        now = datetime.now(UTC)
        run = Run(
            id=self.run_id,
            app_id="test",
            chat_id="chat-1",
            agent="agent",
            task=task,
            state=RunState.RUNNING,
            created_at=now,
            updated_at=now,
            fence=self.fence,
            saved=self.recorder.saved,
            person=self.person,
        )
        return SegmentStart(
            run=run,
            answers={k: it for k, it in self.interactions.items() if it.state.is_final},
            effects=dict(self.recorder.effects),
            agent_state=self.agent_state,
            history=self.history if self.recorder.saved is None else (),
            preferences=dict(self.preferences),  # type: ignore[arg-type]  # JSON in tests
        )

    async def go(self, program: Program) -> SegmentEnd:
        """Run one segment to its end."""
        self.fence += 1
        end: SegmentEnd | None = None
        async with aclosing(program.run_segment(self.start(), self.recorder)) as items:  # type: ignore[type-var]
            async for item in items:
                assert end is None, "a segment goes on after its end"
                if isinstance(item, TaskStreamChunk):
                    self.chunks.append(item)
                else:
                    end = item
        assert end is not None, "a segment ended without saying how"
        self.ends.append(end)
        self._take(end)
        return end

    def answer(self, which: str | Interaction, body: Mapping[str, object]) -> Interaction:
        """Settle a card: `which` is its call key, its tool's name or its title."""
        it = self._find(which)
        response = read_answer(it, body, reason_required=False)
        return self._settle(it, state_after(it, response), response=response)

    def approve(self, which: str | Interaction, **parts: object) -> Interaction:
        return self.answer(which, {"decision": "approve", **parts})

    def reject(self, which: str | Interaction, reason: str, *suggestions: str) -> Interaction:
        body = {"decision": "reject", "reason": reason, "suggestions": list(suggestions)}
        return self.answer(which, body)

    def dismiss(self, which: str | Interaction) -> Interaction:
        return self._settle(self._find(which), InteractionState.DISMISSED, response=None)

    def expire(self, which: str | Interaction) -> Interaction:
        it = self._find(which)
        settled = expiry_of(it)
        return self._settle(it, settled.state, response=settled.response)

    def _settle(self, it: Interaction, state: InteractionState, **fields: object) -> Interaction:
        settled = replace(
            it,
            state=state,
            settled_at=datetime.now(UTC),
            settled_by="ada",
            **fields,  # type: ignore[arg-type]
        )
        self.interactions[it.call_key] = settled
        return settled

    def _find(self, which: str | Interaction) -> Interaction:
        if isinstance(which, Interaction):
            return which
        for it in self.pending:
            if which in (it.call_key, it.title, getattr(it.card, "tool_name", None)):
                return it
        raise KeyError(f"no open card {which!r}; open are {[it.title for it in self.pending]}")

    def _take(self, end: SegmentEnd) -> None:
        if isinstance(end, Waiting):
            self.recorder.saved = end.saved
            for request in end.requests:
                known = self.interactions.get(request.call_key)
                if known is None or not known.state.is_final:
                    self.interactions[request.call_key] = self._open(request)
        if isinstance(end, Completed) and end.memory is not None:
            version = self.agent_state.version + 1 if self.agent_state else 1
            self.agent_state = AgentState(agent="agent", version=version, blob=end.memory)

    def _open(self, request: CardRequest) -> Interaction:
        return Interaction(
            id=f"it-{request.call_key}",
            app_id="test",
            chat_id="chat-1",
            run_id=self.run_id,
            task_id="task-1",
            call_key=request.call_key,
            batch_id="batch",
            type=request.interaction_type,
            state=InteractionState.PENDING,
            card=request.card,
            ui_tool_id=request.ui_tool_id,
            agent_name=request.agent_name,
            display=request.display,
            created_at=datetime.now(UTC),
            tool_call_id=request.tool_call_id,
            proposal=request.proposal,
            on_expiry=request.on_expiry,
            assignees=request.assignees,
        )
