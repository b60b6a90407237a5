"""What every group of cases has: a builder, its declared capabilities, and the bench."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import ClassVar

import pytest

from sayso.core.segments import Capabilities, Program
from sayso.testing.contract.harness import Bench, ForkServer
from sayso.testing.contract.script import Idiom, Turn, load_builder
from sayso.testing.contract.tools import REFUND, entered, may_return, use_ledger
from sayso.testing.recorder import Crash, MemoryRun

#: The programs of `Case.more`. Each is written as the framework's tutorials write it.
MORE: Mapping[str, str] = {
    "own_blocking": "`own_slow`, a plain blocking function, is a tool of the framework's own.",
    "output_tool": "The answer is an OrderState, which the model gives by calling a tool.",
    "output_native": "The answer is an OrderState, by the provider's own schema.",
    "output_prompted": "The answer is an OrderState, which the prompt asks for.",
    "output_validated": "The framework lets a function look at the answer; the first one it "
    "returns to the model.",
    "own_memory": "The framework keeps the chat itself, in memory.",
    "ends_on_result": "`own_final` is a tool whose result is the answer: no model is asked again.",
    "asks_as_object": "`own_question` returns QUESTION_RESULT as an object.",
    "asks_as_text": "`own_question` returns QUESTION_RESULT as JSON text.",
    "speakers": "An agent hands over to the agent `clerk`, which plays the script and has "
    "`own_refund` under OWN_POLICY.",
    "refused": "An agent that cannot be served.",
}


def programs_of(
    file: Path, *, prefix: str = "", lacks: Collection[str] = ()
) -> Mapping[str, str | None]:
    """Return `Case.more` where a file's builders are called as the programs are, but for a prefix;
    what the framework lacks is named."""
    assert MORE.keys() >= set(lacks), lacks
    return {name: None if name in lacks else f"{file}:{prefix}{name}" for name in MORE}


class Case:
    #: "path/to/file.py:function" that makes the framework's agent which plays a script.
    builder: str
    #: The same, with `own_refund` as a tool of the framework's own and OWN_POLICY as the policy;
    #: None where a framework has no tools of its own.
    own_tools: str | None = None
    #: The same, where the script is played by an agent within the agent; None where a framework has
    #: no agents within agents.
    nested: str | None = None
    #: The same, with two tools of the framework's own: `note` writes "once" into what its tools
    #: share beside the messages, and `recall` reads it; None where they share nothing.
    own_state: str | None = None
    #: What the framework has beside these, each with its builder: see MORE. One that it lacks is
    #: declared by None, so that nothing is left out in silence.
    more: ClassVar[Mapping[str, str | None]] = {}
    #: The framework's own ways to ask a person, by name.
    idioms: ClassVar[Mapping[str, Idiom]] = {}

    @pytest.fixture(scope="class")
    @classmethod
    def fork_server(cls) -> Iterator[ForkServer]:
        with closing(ForkServer(cls.builder)) as opened:
            yield opened

    @pytest.fixture
    def bench(self, tmp_path: Path, fork_server: ForkServer) -> Bench:
        use_ledger(tmp_path / "ledger")
        entered.clear()
        may_return.clear()
        return Bench(tmp_path, self.builder, fork_server)

    def use(self, bench: Bench, name: str) -> None:
        """Let the bench build this program of `more`; skip where the framework has none."""
        place = self.more.get(name)
        if place is None:
            pytest.skip(f"this framework has nothing of the kind: {MORE[name]}")
        bench.builder = place

    def use_own_tools(self, bench: Bench) -> None:
        """Let the bench build the agent with a tool of the framework's own; skip without one."""
        if self.own_tools is None:
            pytest.skip("this framework has no tools of its own")
        bench.builder = self.own_tools

    @property
    def capabilities(self) -> Capabilities:
        return load_builder(self.builder)(()).capabilities


async def approved(bench: Bench) -> tuple[Turn, MemoryRun]:
    """Return a script of one call that asks, and its run, which has just been told yes."""
    script, run = Turn("go ", [REFUND]), MemoryRun()
    await run.go(bench.program(script))
    run.approve("refund")
    return script, run


async def crashed(run: MemoryRun, program: Program, boundary: str) -> None:
    """Run a segment whose process "dies" at the boundary; cheaper than a real death, and exact."""

    def crash(at: str) -> None:
        if at == boundary:
            raise Crash(at)

    run.recorder.crash_at = crash
    with pytest.raises(Crash):
        await run.go(program)
    run.recorder.crash_at = None
