"""A segment: one stretch of running agent code, a function of (saved state, answers).

It streams chunks and ends in exactly one way. The engine runs it through `Program`, and gives it a
`Recorder`: the only way its tools leave anything behind.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Protocol

from pydantic import JsonValue

from sayso.core.chunks import TaskStreamChunk
from sayso.core.digest import JsonObject
from sayso.core.effects import Effect, EffectEnd
from sayso.core.errors import SaysoError
from sayso.core.events import EventData
from sayso.core.interactions import CardRequest, Interaction
from sayso.core.sessions import Run, SavedState
from sayso.core.tasks import UniversalMessage


class ResumePolicy(StrEnum):
    """When a batch lets its run go on: once all of it is settled, or after each answer."""

    ALL = "all"
    EACH = "each"


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What an agent behind this adapter can do. It never pretends: the console and the docs show
    these."""

    streams_text: bool = True
    edits_arguments: bool = True
    rejects_with_reason: bool = True
    asks_free_questions: bool = True
    checkpoints_calls: bool = True
    resume: ResumePolicy = ResumePolicy.ALL

    def as_json(self) -> JsonObject:
        return {**asdict(self), "resume": self.resume.value}


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentState:
    """What an agent remembers between the runs of a chat. `version` counts its replacements."""

    agent: str
    version: int
    blob: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentStart:
    """Everything a segment may know: it is the same in whatever process it is read."""

    run: Run
    #: Every settled interaction of this run, by call key.
    answers: Mapping[str, Interaction] = field(default_factory=dict)
    #: The newest attempt of every effect of this run, by key.
    effects: Mapping[str, Effect] = field(default_factory=dict)
    agent_state: AgentState | None = None
    #: The chat before this task, oldest first (only at the start of a run).
    history: Sequence[UniversalMessage] = ()
    #: The chat's preferences ("always_allow" …).
    preferences: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """The task is done. `memory` is what the agent keeps for the chat's next run; None leaves it as
    it was."""

    output: str = ""
    memory: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """People are needed: the state to go on from, and what to ask them."""

    saved: SavedState
    requests: Sequence[CardRequest]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    error: SaysoError


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancelled:
    """The agent itself stopped (a person answered a cancellation card with yes)."""

    reason: str


SegmentEnd = Completed | Waiting | Failed | Cancelled


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectStart:
    key: str
    attempt: int
    tool_name: str
    arguments: JsonObject
    #: The call's row in the chat: a cancelled run leaves it open, and `end_effect` tells its truth.
    tool_call_id: str | None = None
    shown_digest: str | None = None
    executed_digest: str | None = None


class Recorder(Protocol):
    """What a running segment may leave behind. Every call is fenced: it raises LeaseLost when the
    run is no longer ours."""

    async def show(self, *events: EventData) -> None:
        """Append events to the chat, in order, after closing the text that is being written."""

    async def start_effect(self, start: EffectStart, saved: SavedState | None) -> None:
        """Commit "started" (and the state to go on from) before a call that acts."""

    async def end_effect(self, key: str, attempt: int, end: EffectEnd, *events: EventData) -> None:
        """Commit how a call ended, with its events. The one write that is not fenced."""


class Program(Protocol):
    """An agent made ready to run: its adapter, its tools and its policy, behind one door."""

    @property
    def name(self) -> str: ...

    @property
    def adapter_name(self) -> str: ...

    @property
    def capabilities(self) -> Capabilities: ...

    @property
    def tool_names(self) -> Sequence[str]: ...

    def run_segment(
        self, start: SegmentStart, recorder: Recorder
    ) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
        """Stream chunks, then exactly one SegmentEnd. Cancelling the consumer cancels the agent."""
        ...

    async def finish_late(self) -> None:
        """Wait until calls that outlived their cancelled segments (threads cannot be stopped) have
        recorded how they ended."""
        ...
