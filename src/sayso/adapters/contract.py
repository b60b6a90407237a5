"""The contract of an adapter: it turns a Segment into chunks and one SegmentEnd, and sends every
tool call of the agent through `segment.toolbox`. There is no other channel.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from sayso.adapters.findings import AppSide, Finding
from sayso.core.interactions import Interaction
from sayso.core.segments import AgentState, Capabilities, SegmentEnd
from sayso.core.sessions import SavedState
from sayso.core.tasks import TaskRequest, TaskStreamChunk, UniversalMessage
from sayso.tools.context import ToolContext
from sayso.tools.segment_env import SegmentEnv
from sayso.tools.tool import Runnable, Traits
from sayso.tools.toolbox import Toolbox


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """What an adapter gets: the agent, the task, what was saved and answered, and the tools."""

    agent: object
    agent_name: str
    task: TaskRequest
    saved: SavedState | None
    answers: Mapping[str, Interaction]
    agent_state: AgentState | None
    history: Sequence[UniversalMessage]
    toolbox: Toolbox
    context: ToolContext
    deps: object = None

    async def make_deps(self) -> object:
        """Return what the application gives to the agent's own tools: an object, or what its
        function makes of the context."""
        if not inspect.isroutine(self.deps):
            return self.deps
        made = self.deps(self.context)
        return await made if inspect.isawaitable(made) else made

    @property
    def env(self) -> SegmentEnv:
        """The hooks: `checkpoint` (the state to go on from), `drain` and `say` (text and events in
        order)."""
        return self.toolbox.env

    @property
    def chat_before(self) -> list[UniversalMessage]:
        """The chat before this message: some callers give a task's earlier messages as history
        too."""
        history, earlier = list(self.history), self.task.messages[:-1]
        if earlier and history[-len(earlier) :] == earlier:
            return history
        return [*history, *earlier]

    def unseen(self, people: int | None) -> tuple[list[UniversalMessage], int]:
        """Return what an agent has not been told whose memory has seen so many messages of people
        (None where it has no memory), and how many it has seen with this one.

        That is the chat from the first message of a person that is not among them: the run of that
        one was cancelled, or failed."""
        chat = self.chat_before
        of_people = [at for at, message in enumerate(chat) if message.role == "user"]
        now = len(of_people) + 1
        if people is None:
            return chat, now
        return (chat[of_people[people] :] if people < len(of_people) else []), now

    def saved_state(self, adapter: str, version: str, blob: bytes) -> SavedState:
        """Return the adapter's own bytes with the journal beside them."""
        return SavedState(
            adapter=adapter, version=version, blob=blob, journal=self.env.journal.dump()
        )


class FrameworkAdapter(Protocol):
    """What knows one framework. It holds no state: one instance serves all runs at once."""

    @property
    def name(self) -> str: ...

    @property
    def capabilities(self) -> Capabilities: ...

    def accepts(self, agent: object) -> bool: ...

    def check(self, agent: object, app: AppSide) -> Sequence[Finding]:
        """Look through the agent, with its tools, sub-agents, outputs and checkpointers, and say
        what works with care and what cannot be served. Runs nothing of it."""
        ...

    def execute_task_interactive(
        self, segment: Segment
    ) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
        """Stream chunks, then exactly one SegmentEnd. Errors may simply be raised."""
        ...


@runtime_checkable
class OwnTools(Protocol):
    """An adapter of agents that have tools of their own."""

    def own_tools(self, agent: object) -> Mapping[str, Traits]:
        """Return, before any run, what they say of themselves."""
        ...

    def own_tool(self, segment: Segment, name: str) -> AbstractAsyncContextManager[Runnable | None]:
        """Give one of them to be called outside a run of the agent: "try again" on an error card
        calls it."""
        ...


@runtime_checkable
class LeansOnPrivateNames(Protocol):
    """An adapter that needs names which its framework does not document. They are looked for at
    start, and docs/frameworks.md lists them."""

    @property
    def leans_on(self) -> Mapping[str, Sequence[str]]:
        """Return the names by their place: a module, or "module:Class"."""
        ...
