"""Lives of other processes: one segment of a run in memory, or an engine over a store in a file.

A life is a picklable object with `live()`. Its process reads it from a file and writes it back
there when it is done. A life may be told to die by SIGKILL at a boundary.
"""

from __future__ import annotations

import asyncio
import pickle
import signal
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from sayso.adapters.program import AgentProgram
from sayso.app import build_engine, open_store
from sayso.core.cards import UncertainEffectCard
from sayso.core.digest import JsonObject
from sayso.core.effects import EffectEnd, EffectStart
from sayso.core.errors import AlreadySettled
from sayso.core.events import EventData
from sayso.core.inbox import InteractionFilter
from sayso.core.interactions import Interaction, InteractionState
from sayso.core.segments import Capabilities, Completed, Recorder, SegmentEnd, SegmentStart, Waiting
from sayso.core.sessions import SavedState
from sayso.core.tasks import TaskStreamChunk
from sayso.engine.engine import Engine
from sayso.engine.runtime import EngineSettings
from sayso.testing.contract.script import Script, load_builder
from sayso.testing.contract.tools import TOOLS, clerk, deeds, use_ledger
from sayso.testing.recorder import MemoryRun

CHAT = "chat"
#: No condition of another process takes this long; the guard only ends a test that hangs.
GUARD_SECONDS = 60.0
POLL_SECONDS = 0.01


@dataclass
class SegmentLife:
    """One segment of a run in memory."""

    builder: str
    script: Script
    run: MemoryRun
    ledger: Path

    def live(self) -> None:
        use_ledger(self.ledger)
        asyncio.run(self.run.go(load_builder(self.builder)(self.script)))


@dataclass
class EngineLife:
    """An engine over the store in a file, a person who answers, and perhaps a sudden end."""

    builder: str
    script: Script
    directory: Path
    ledger: Path
    #: Post the message; else only go on with what there is.
    posts: bool = False
    #: What the person answers to approvals: "approve", "reject", or None for no answer.
    answers: str | None = None
    #: Die by SIGKILL at this boundary.
    dies_at: str | None = None
    #: Wait, before answering, until this many lives have come as far.
    together: int = 1
    name: str = "life"

    outcomes: list[str] = field(default_factory=list)
    #: Which agents asked something, when nobody answered.
    asked: list[str] = field(default_factory=list)
    ended: str = ""
    said: str = ""
    problems: list[str] = field(default_factory=list)

    def live(self) -> None:
        use_ledger(self.ledger)
        asyncio.run(self._live())

    async def _live(self) -> None:
        program = load_builder(self.builder)(self.script)
        engine = build_engine(
            {
                "agent": Mortal(program, self.dies_at),
                "clerk": Mortal(AgentProgram(clerk, tools=TOOLS), self.dies_at, "clerk "),
            },
            open_store(self.directory / "sayso.db"),
            EngineSettings(own_thread=False),
        )
        await engine.start()
        try:
            async with asyncio.timeout(GUARD_SECONDS):
                await self._see_to_it(engine)
        finally:
            await engine.stop()

    async def _see_to_it(self, engine: Engine) -> None:
        if self.posts:
            await engine.store.create_chat("default", agent="agent", chat_id=CHAT)
            await engine.post_message("default", CHAT, content="go", client_message_id="m1")
        while True:
            view = await engine.store.load_view("default", CHAT)
            assert view is not None
            status = view.run.status if view.run is not None else ""
            if status in ("completed", "failed", "cancelled"):
                self.ended = status
                self.said = "".join(m.content for m in view.messages if m.role == "assistant")
                self.problems = [str(m.metadata) for m in view.messages if status == "failed"]
                return
            pending = await _pending(engine)
            if pending and self.answers is None:
                self.ended = "waiting"
                self.asked = [it.agent_name for it in pending]
                return
            for it in pending:
                await self._answer(engine, it)
            await asyncio.sleep(POLL_SECONDS)

    async def _answer(self, engine: Engine, it: Interaction) -> None:
        await self._meet()
        key = f"{self.name}-{it.id}"
        try:
            settled = await engine.answer("default", it.id, self._decide(it), key=key, by=self.name)
        except AlreadySettled:
            self.outcomes.append("too late")
        else:
            self.outcomes.append("repeated" if settled.repeated else "settled")

    def _decide(self, it: Interaction) -> JsonObject:
        if isinstance(it.card, UncertainEffectCard):  # look at the world first
            if deeds():
                return {"selected_option": "mark_done", "values": {"result": "it was"}}
            return {"selected_option": "run_again"}
        answer: JsonObject = {"decision": self.answers, "reason": f"{self.name} said so"}
        return {**answer, "digest": it.digest}

    async def _meet(self) -> None:
        if self.together == 1:
            return
        (self.directory / f"here-{self.name}").touch()
        while len(list(self.directory.glob("here-*"))) < self.together:  # noqa: ASYNC110  # of processes
            await asyncio.sleep(POLL_SECONDS)


async def _pending(engine: Engine) -> list[Interaction]:
    wanted = InteractionFilter(chat_id=CHAT, status=InteractionState.PENDING)
    return await engine.store.interactions("default", wanted)


def kill_here() -> None:
    """Die as by kill -9: nothing of this process runs any more."""
    signal.pthread_kill(threading.get_ident(), signal.SIGKILL)


class Mortal:
    """A program that kills its process at one boundary: "text", "before started:TOOL",
    "after started:TOOL", "before ended:TOOL", "after ended:TOOL", "waiting" or "completed" (the
    segment has ended, and nothing of that is written yet). A prefix tells two programs apart."""

    def __init__(self, program: AgentProgram, dies_at: str | None, prefix: str = "") -> None:
        self._program, self._dies_at, self._prefix = program, dies_at, prefix

    @property
    def name(self) -> str:
        return self._program.name

    @property
    def adapter_name(self) -> str:
        return self._program.adapter_name

    @property
    def capabilities(self) -> Capabilities:
        return self._program.capabilities

    @property
    def tool_names(self) -> Sequence[str]:
        return self._program.tool_names

    async def run_segment(
        self, start: SegmentStart, recorder: Recorder
    ) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
        watched = cast(Recorder, _MortalRecorder(recorder, self._at))
        async with aclosing(self._program.run_segment(start, watched)) as items:  # type: ignore[type-var]
            async for item in items:
                match item:
                    case Waiting():
                        self._at("waiting")
                    case Completed():
                        self._at("completed")
                    case _:
                        pass
                yield item
                if isinstance(item, TaskStreamChunk):
                    self._at("text")

    async def finish_late(self) -> None:
        await self._program.finish_late()

    def _at(self, boundary: str) -> None:
        if f"{self._prefix}{boundary}" == self._dies_at:
            kill_here()


@dataclass
class _MortalRecorder:
    """May die around an effect; all else is the recorder's own."""

    recorder: Recorder
    at: Callable[[str], None]
    #: The tool of each effect: the end of one is told by its key.
    tools: dict[str, str] = field(default_factory=dict)

    def __getattr__(self, name: str) -> object:
        return getattr(self.recorder, name)

    async def start_effect(self, start: EffectStart, saved: SavedState | None) -> None:
        self.tools[start.key] = start.tool_name
        self.at(f"before started:{start.tool_name}")
        await self.recorder.start_effect(start, saved)
        self.at(f"after started:{start.tool_name}")

    async def end_effect(
        self,
        key: str,
        attempt: int,
        end: EffectEnd,
        *events: EventData,
        saved: SavedState | None = None,
    ) -> None:
        tool = self.tools.get(key, key)
        self.at(f"before ended:{tool}")
        await self.recorder.end_effect(key, attempt, end, *events, saved=saved)
        self.at(f"after ended:{tool}")


Life = SegmentLife | EngineLife


def live_in(path: Path) -> None:
    """Live the life that lies in the file, and may_return it there as it has become."""
    life: Life = pickle.loads(path.read_bytes())
    life.live()
    path.write_bytes(pickle.dumps(life))
