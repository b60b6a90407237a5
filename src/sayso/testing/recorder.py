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

from sayso.core.answer_parsing import read_answer
from sayso.core.children import ChildEnd, ChildRequest
from sayso.core.decisions import expiry_of, state_after
from sayso.core.digest import JsonObject, content_digest, new_salt
from sayso.core.effects import Effect, EffectEnd, EffectStart, KeyHeld, holder_of
from sayso.core.errors import LeaseLost, RuleOver
from sayso.core.events import EventData, RequirementsChanged, ToolCalled, ToolReturned
from sayso.core.interactions import Interaction, InteractionState
from sayso.core.raised import Unwinding
from sayso.core.requirements import SpokenYes, check_next, used_up
from sayso.core.segments import (
    AgentState,
    Completed,
    Program,
    SegmentEnd,
    SegmentStart,
    Spoken,
    Waiting,
)
from sayso.core.sessions import Run, RunState, SavedState
from sayso.core.standing_rules import StandingRule
from sayso.core.tasks import TaskRequest, TaskStreamChunk, UniversalMessage
from sayso.core.usage import ModelCall


class Crash(Unwinding):
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
    #: What is known of the chat's requirements, as its row would say it.
    known: JsonObject | None = None
    #: What the messages of the segment carry.
    metadata: JsonObject = field(default_factory=dict)
    #: What the models were asked for.
    model_calls: list[ModelCall] = field(default_factory=list)
    #: The rules of people that hold, by their ids.
    rules: dict[str, StandingRule] = field(default_factory=dict)
    #: What was kept beside the chat, by its digest.
    kept: dict[str, bytes] = field(default_factory=dict)
    #: The chat before the run.
    chat: Sequence[UniversalMessage] = ()

    def _at(self, boundary: str) -> None:
        if self.crash_at is not None:
            self.crash_at(boundary)

    def _fenced(self) -> None:
        if self.lost:
            raise LeaseLost("Another worker has this run.")

    async def show(self, *events: EventData) -> None:
        self._fenced()
        self.events.extend(events)

    async def keep(self, content: bytes) -> str:
        digest = content_digest(content)
        self.kept[digest] = content
        return digest

    async def history(self, at: int) -> Sequence[UniversalMessage]:
        return list(self.chat[:at])

    async def start_effect(self, start: EffectStart, saved: SavedState | None) -> None:
        self._fenced()
        self._at(f"before started:{start.tool_name}")
        known = self.effects.get(start.key)
        assert known is None or known.attempt < start.attempt, "an attempt was started twice"
        holder = holder_of(self.effects.values(), start)
        if holder is not None:
            raise KeyHeld(holder)
        if start.grant is not None:
            self.known = used_up(self.known, start.grant.grant_id, start.grant.value_hash)
        used = start.allowed.standing
        if used is not None and used.rule_id not in self.rules:
            raise RuleOver(f"'{used.rule_id}' holds no longer.")
        self.attempts.append(start)
        self.effects[start.key] = Effect.started(start, at=datetime.now(UTC))
        if saved is not None:
            self.saved = saved
        self._at(f"after started:{start.tool_name}")

    async def effect_under(self, business_key: str) -> Effect | None:
        held = (effect for effect in self.effects.values() if effect.holds_its_key)
        return next((effect for effect in held if effect.business_key == business_key), None)

    async def standing_rules(self) -> Sequence[StandingRule]:
        return list(self.rules.values())

    def used(self, call: ModelCall) -> None:
        self.model_calls.append(call)

    def describe(self, metadata: JsonObject) -> None:
        merged = {**self.metadata, **metadata}
        self.metadata = {name: it for name, it in merged.items() if it is not None}

    async def requirements(self) -> JsonObject | None:
        return self.known

    async def change_requirements(
        self, requirements: JsonObject, yes: SpokenYes | None = None
    ) -> None:
        self._fenced()
        self._at("before requirements")
        check_next(self.known, requirements)
        self.known = requirements
        self.events.append(RequirementsChanged(requirements=requirements))
        self._at("after requirements")

    async def end_effect(
        self,
        key: str,
        attempt: int,
        end: EffectEnd,
        *events: EventData,
        saved: SavedState | None = None,
    ) -> None:
        self._at(f"before ended:{self.effects[key].tool_name}")
        effect = self.effects[key]
        if effect.attempt == attempt:
            self.effects[key] = effect.ended(end, at=datetime.now(UTC))
        self.events.extend(events)
        if saved is not None and not self.lost:
            self.saved = saved
        self._at(f"after ended:{effect.tool_name}")


@dataclass
class MemoryRun:
    """One run of a program, in memory."""

    text: str = "go"
    run_id: str = "run-1"
    task: TaskRequest | None = None
    person: str | None = "ada"
    history: Sequence[UniversalMessage] = ()
    spoken: Sequence[Spoken] = ()
    preferences: Mapping[str, object] = field(default_factory=dict)
    agent_state: AgentState | None = None
    recorder: MemoryRecorder = field(default_factory=MemoryRecorder)
    #: Every interaction of the run by call key, pending ones too.
    interactions: dict[str, Interaction] = field(default_factory=dict)
    chunks: list[TaskStreamChunk] = field(default_factory=list)
    ends: list[SegmentEnd] = field(default_factory=list)
    #: The tasks that were handed to other agents, and how these ended, by call key.
    handed: dict[str, ChildRequest] = field(default_factory=dict)
    children: dict[str, ChildEnd] = field(default_factory=dict)
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
        self.recorder.chat = self.history
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
            children=dict(self.children),
            agent_state=self.agent_state,
            history=self.history if self.recorder.saved is None else (),
            history_at=len(self.history) if self.recorder.saved is None else 0,
            spoken=self.spoken if self.recorder.saved is None else (),
            preferences=dict(self.preferences),  # type: ignore[arg-type]  # JSON in tests
            requirements=self.recorder.known,
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
                if isinstance(request, ChildRequest):
                    self.handed[request.call_key] = request
                    continue
                known = self.interactions.get(request.call_key)
                if known is not None and not known.state.is_final:
                    drawn = known.asked_again(request, salt=new_salt())
                    self.interactions[request.call_key] = drawn
                if known is None:
                    now = datetime.now(UTC)
                    self.interactions[request.call_key] = request.opened(
                        interaction_id=f"it-{self.run_id}-{request.call_key}",
                        app_id="test",
                        chat_id="chat-1",
                        run_id=self.run_id,
                        task_id="task-1",
                        batch_id="batch",
                        now=now,
                        steady=now,
                        salt=new_salt(),
                    )
        if isinstance(end, Completed) and end.memory is not None:
            version = self.agent_state.version + 1 if self.agent_state else 1
            self.agent_state = AgentState(agent="agent", version=version, blob=end.memory)
