"""A segment: one stretch of running agent code, a function of (saved state, answers).

It streams chunks and ends in exactly one way. The engine runs it through `Program`, and gives it a
`Recorder`: the only way its tools leave anything behind.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol, runtime_checkable

from pydantic import JsonValue

from sayso.core.children import ChildEnd, Request
from sayso.core.digest import JsonObject
from sayso.core.effects import Effect, EffectEnd, EffectStart
from sayso.core.errors import SaysoError
from sayso.core.events import EventData
from sayso.core.interactions import Interaction
from sayso.core.raised import Unwinding
from sayso.core.requirements import SpokenYes
from sayso.core.sessions import Run, SavedState
from sayso.core.standing_rules import StandingRule
from sayso.core.tasks import TaskStreamChunk, UniversalMessage
from sayso.core.usage import ModelCall


class ResumePolicy(StrEnum):
    """When a batch lets its run go on: once all of it is settled, or after each answer."""

    ALL = "all"
    EACH = "each"


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What an agent behind this adapter can do. It never pretends: the console and the docs show
    these."""

    #: Text is shown while the model still writes it.
    streams_text: bool = True
    #: A person may change a call's arguments; the changed ones run.
    edits_arguments: bool = True
    #: The model is told which arguments a person changed.
    tells_edits: bool = True
    #: The reason and the suggestions of a rejection reach the model in the person's own words.
    rejects_with_reason: bool = True
    #: A tool may ask a question in the middle of its work.
    asks_free_questions: bool = True
    #: After a crash in a call the run goes on at that call, and the model is not asked again.
    checkpoints_calls: bool = True
    #: A call that must be approved waits as any other, also in an agent within the agent.
    nested_agents: bool = True
    #: Of several open cards: the run goes on after each answer, or when all are answered.
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
class Spoken:
    """A text, or a card that asks for something, which stood before the person as they wrote."""

    message_id: str
    text: str
    #: The kind of the card, None for a text.
    card: str | None = None
    #: Whether the card was open until this message set it aside.
    was_open: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentStart:
    """Everything a segment may know: it is the same in whatever process it is read."""

    run: Run
    #: Every settled interaction of this run, by call key.
    answers: Mapping[str, Interaction] = field(default_factory=dict)
    #: The newest attempt of every effect of this run, by key.
    effects: Mapping[str, Effect] = field(default_factory=dict)
    #: How the child runs that calls of this run have started came to their ends, by call key.
    children: Mapping[str, ChildEnd] = field(default_factory=dict)
    agent_state: AgentState | None = None
    #: The chat before this task, oldest first (only at the start of a run).
    history: Sequence[UniversalMessage] = ()
    #: Where in the chat's log that was read: `Recorder.history` reads the same again.
    history_at: int = 0
    #: What was said and asked after the person's message before this one, oldest first: the last
    #: of it is what this message answers.
    spoken: Sequence[Spoken] = ()
    #: The chat's preferences ("always_allow" …).
    preferences: Mapping[str, JsonValue] = field(default_factory=dict)
    #: The message that asked for this run, if one did.
    message_id: str | None = None
    #: What is known in the chat of the requirements of its actions (core.requirements).
    requirements: JsonObject | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """The task is done. `memory` is what the agent keeps for the chat's next run; None leaves it as
    it was."""

    output: str = ""
    memory: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """People or other agents are needed: the state to go on from, and what to ask them."""

    saved: SavedState
    requests: Sequence[Request]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """`saved` is where trying again can go on from, where that can help."""

    error: SaysoError
    saved: SavedState | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancelled:
    """The agent itself stopped (a person answered a cancellation card with yes)."""

    reason: str


SegmentEnd = Completed | Waiting | Failed | Cancelled


class GivenUp(Unwinding):
    """The store does not take what this segment has to write, so the segment is over: whoever takes
    the run over goes on from its row. No Exception, so that no code of an agent goes on after it.
    """

    def __init__(self, error: BaseException) -> None:
        super().__init__(str(error))
        self.error = error


class Recorder(Protocol):
    """What a running segment may leave behind. Every call is fenced: it raises LeaseLost when the
    run is no longer ours, and GivenUp when the store cannot take it."""

    async def show(self, *events: EventData) -> None:
        """Append events to the chat, in order, after closing the text that is being written."""

    async def keep(self, content: bytes) -> str:
        """Keep what is too large for an event beside the chats. Returns its digest."""

    async def history(self, at: int) -> Sequence[UniversalMessage]:
        """Return the chat before this task as `SegmentStart.history` was at its beginning; `at` is
        the `history_at` of that start."""

    async def start_effect(self, start: EffectStart, saved: SavedState | None) -> None:
        """Commit "started" (and the state to go on from) before a call that acts. Raises GrantVoid
        where it needs a grant that no longer holds, RuleOver where a person's rule allowed it
        that no longer holds, KeyHeld where another effect holds its business key."""

    async def effect_under(self, business_key: str) -> Effect | None:
        """Return the effect of this tenant that holds this business key, in whatever chat."""

    async def standing_rules(self) -> Sequence[StandingRule]:
        """Return the rules of people that hold now."""

    def used(self, call: ModelCall) -> None:
        """Count a call of a model; it is kept with the end of the segment."""

    def describe(self, metadata: JsonObject) -> None:
        """Add to what every message of this segment carries as its metadata from now on; None takes
        away."""

    async def requirements(self) -> JsonObject | None:
        """Return what the chat's row says of its requirements now."""

    async def change_requirements(
        self, requirements: JsonObject, yes: SpokenYes | None = None
    ) -> None:
        """Write the next version of them; with it, that words were the yes to a card. Raises
        VersionConflict where somebody else was first."""

    async def end_effect(
        self,
        key: str,
        attempt: int,
        end: EffectEnd,
        *events: EventData,
        saved: SavedState | None = None,
    ) -> None:
        """Commit how a call ended, with its events. The one write that is not fenced; the state to
        go on from, where the call has changed it, is kept only while the run is still ours. An end
        that the store does not take now is kept and tried again, whatever becomes of the
        segment."""


@runtime_checkable
class HoldsRequirements(Protocol):
    """A program with actions behind a gate: what a person changes beside the chat goes through
    it."""

    def edited(
        self, kept: JsonObject | None, field: str, value: JsonValue, *, at: datetime
    ) -> JsonObject:
        """Return what is kept once a person has set this field, or cleared it with None. Raises
        InvalidInput."""

    def started_over(self, kept: JsonObject | None) -> JsonObject:
        """Return what is kept once nothing is known any more; no grant holds."""


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
