"""What every group of cases has: a builder, its declared capabilities, and the bench."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sayso.adapters.base import AgentProgram
from sayso.core.segments import Capabilities
from sayso.testing.contract.bench import Bench, Nursery, nursery
from sayso.testing.contract.script import load_builder
from sayso.testing.contract.tools import entered, leave, use_ledger
from sayso.testing.recorder import Crash, MemoryRun


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

    @pytest.fixture(scope="class")
    @classmethod
    def nursery(cls) -> Iterator[Nursery]:
        with nursery(cls.builder) as opened:
            yield opened

    @pytest.fixture
    def bench(self, tmp_path: Path, nursery: Nursery) -> Bench:
        use_ledger(tmp_path / "ledger")
        entered.clear()
        leave.clear()
        return Bench(tmp_path, self.builder, nursery)

    @property
    def capabilities(self) -> Capabilities:
        return load_builder(self.builder)(()).capabilities


async def crashed(run: MemoryRun, program: AgentProgram, boundary: str) -> None:
    """Run a segment whose process "dies" at the boundary; cheaper than a real death, and exact."""

    def crash(at: str) -> None:
        if at == boundary:
            raise Crash(at)

    run.recorder.crash_at = crash
    with pytest.raises(Crash):
        await run.go(program)
    run.recorder.crash_at = None
