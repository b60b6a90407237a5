"""One test's bench: a directory, a ledger, and ways to go on in other processes."""

from __future__ import annotations

import asyncio
import json
import pickle
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from sayso.adapters.program import AgentProgram
from sayso.core.segments import Completed
from sayso.testing.contract.lives import EngineLife, Life, SegmentLife
from sayso.testing.contract.script import Script, Turn, load_builder
from sayso.testing.contract.tools import deeds, ledger
from sayso.testing.recorder import MemoryRun

L = TypeVar("L", bound=Life)


class ForkServer:
    """The fork server of one builder, started with its first life."""

    def __init__(self, builder: str) -> None:
        self._builder = builder
        self._zygote: subprocess.Popen[str] | None = None

    def live(self, paths: list[Path]) -> list[int]:
        """Live these lives at the same time; how each process ended."""
        if self._zygote is None:
            command = [sys.executable, "-m", "sayso.testing.contract.fork_server", self._builder]
            self._zygote = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        assert self._zygote.stdin is not None
        assert self._zygote.stdout is not None
        self._zygote.stdin.write(json.dumps([str(path) for path in paths]) + "\n")
        self._zygote.stdin.flush()
        line = self._zygote.stdout.readline()
        assert line, "the other process did not start; its words are above"
        return [int(code) for code in json.loads(line)]

    def close(self) -> None:
        if self._zygote is not None:
            self._zygote.communicate()


@dataclass
class Bench:
    directory: Path
    builder: str
    fork_server: ForkServer
    lives: int = field(default=0)

    def program(self, *script: Turn) -> AgentProgram:
        return load_builder(self.builder)(script)

    @property
    def done(self) -> list[str]:
        """What the tools have done, in whatever process."""
        return deeds()

    async def in_a_new_process(self, run: MemoryRun, *script: Turn) -> MemoryRun:
        """Run the next segment of a run in a process that knows nothing but what was saved."""
        run.recorder.crash_at = None
        (life,) = await self.live(SegmentLife(self.builder, script, run, ledger()))
        return life.run

    async def ends_in_a_new_process(self, run: MemoryRun, *script: Turn) -> MemoryRun:
        """Run the last segment of a run so."""
        run = await self.in_a_new_process(run, *script)
        assert isinstance(run.end, Completed), run.end
        return run

    def life(self, script: Script, **how: object) -> EngineLife:
        """Return a process with an engine over this bench's store."""
        return EngineLife(self.builder, script, self.directory, ledger(), **how)  # type: ignore[arg-type]

    async def killed(self, life: EngineLife) -> None:
        """Live a life that ends by SIGKILL at its boundary."""
        assert await self._codes([life]) == [-signal.SIGKILL], f"{life.dies_at} was not reached"

    async def live(self, *lives: L) -> list[L]:
        """Live them at the same time, to their natural ends."""
        codes = await self._codes(lives)
        assert not any(codes), "another process ended badly; its words are above"
        return [pickle.loads(path.read_bytes()) for path in self._paths(len(lives))]

    async def _codes(self, lives: tuple[L, ...] | list[L]) -> list[int]:
        self.lives += len(lives)
        paths = self._paths(len(lives))
        for life, path in zip(lives, paths, strict=True):
            path.write_bytes(pickle.dumps(life))
        return await asyncio.to_thread(self.fork_server.live, paths)

    def _paths(self, count: int) -> list[Path]:
        """Return the files of the newest lives."""
        first = self.lives - count
        return [self.directory / f"life{first + n}" for n in range(count)]
