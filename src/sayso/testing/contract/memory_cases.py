"""Cases: what a chat remembers, over many turns and over versions."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from sayso.core.errors import StateUnreadable
from sayso.core.segments import Completed, Failed
from sayso.core.tasks import UniversalMessage
from sayso.testing.contract.cancel_cases import goes_on
from sayso.testing.contract.case import Case, approved
from sayso.testing.contract.harness import Bench
from sayso.testing.contract.script import Turn
from sayso.testing.contract.tools import REFUND
from sayso.testing.recorder import MemoryRun

#: As many as a long chat has in `make frameworks`; enough to see how it grows in each push.
TURNS = 200 if os.environ.get("SAYSO_FRAMEWORKS") else 40


class MemoryCases(Case):
    async def test_the_next_run_of_the_chat(self, bench: Bench) -> None:
        run = MemoryRun("first")
        await run.go(bench.program(Turn("one ", [("peek", {})])))
        await goes_on(bench, run)

    async def test_the_next_run_after_one_that_waited(self, bench: Bench) -> None:
        script, run = Turn("so ", [REFUND]), MemoryRun("first")
        await run.go(bench.program(script))
        run.approve("refund")
        await run.go(bench.program(script))
        await goes_on(bench, run)

    async def test_a_chat_of_many_turns(self, bench: Bench) -> None:
        script, state, chat = Turn("so ", [("peek", {})]), None, list[UniversalMessage]()
        program, sizes = bench.program(script), []
        for turn in range(TURNS):
            run = MemoryRun(f"turn {turn}", f"run-{turn}", history=chat, agent_state=state)
            if turn == TURNS - 1:
                run = await bench.in_a_new_process(run, script)
            else:
                await run.go(program)
            assert isinstance(run.end, Completed), run.end
            assert run.said == 'so Results: "seen"'
            chat = [
                *chat,
                UniversalMessage(role="user", content=run.text),
                UniversalMessage(role="assistant", content=run.said),
            ]
            state = run.agent_state
            sizes.append(len(state.blob) if state is not None else 0)
        assert bench.done == ["peek"] * TURNS
        # The memory grows by a turn per turn: nothing is kept twice, nothing is forgotten.
        half, whole = sizes[TURNS // 2], sizes[-1]
        assert whole <= 2.5 * half
        if half:
            assert state is not None
            assert state.version == TURNS

    async def test_a_state_of_another_version(self, bench: Bench) -> None:
        """The same bytes under another version: they go on, or the run says that it cannot."""
        script, run = await approved(bench)
        assert run.recorder.saved is not None
        assert run.recorder.saved.version
        run.recorder.saved = replace(run.recorder.saved, version="another 0.0.1, format 0")
        end = await run.go(bench.program(script))
        if isinstance(end, Completed):
            assert bench.done == ["refund 1001 42.0"]
        else:
            _refused(run)
            assert bench.done == []

    @pytest.mark.parametrize(
        "blob",
        [b"{", b"\x80\x04\xff", b'{"format": 99}', b"[]", b'{"format": 1}'],
        ids=["broken", "binary", "format", "list", "empty"],
    )
    async def test_a_state_of_an_unknown_format(self, bench: Bench, blob: bytes) -> None:
        script, run = await approved(bench)
        assert run.recorder.saved is not None
        if not run.recorder.saved.blob:
            pytest.skip("this adapter saves nothing but the journal")
        run.recorder.saved = replace(run.recorder.saved, blob=blob, version="from the future 99")
        await run.go(bench.program(script))
        _refused(run)
        assert bench.done == []

    @pytest.mark.parametrize("part", ["adapter", "journal"])
    async def test_an_unreadable_state(self, bench: Bench, part: str) -> None:
        script, run = await approved(bench)
        assert run.recorder.saved is not None
        if part == "adapter":
            run.recorder.saved = replace(run.recorder.saved, adapter="other")
        else:
            run.recorder.saved = replace(run.recorder.saved, journal=b'{"version": 99}')
        await run.go(bench.program(script))
        _refused(run)
        assert bench.done == []

    async def test_a_memory_of_another_version(self, bench: Bench) -> None:
        """An agent whose memory cannot be read starts from the chat: no chat is dead for good."""
        run = MemoryRun("first")
        await run.go(bench.program(Turn("one ", [("peek", {})])))
        if run.agent_state is None:
            pytest.skip("this adapter keeps no memory beside the chat")
        run.agent_state = replace(run.agent_state, blob=b'{"format": 99}')
        after = await goes_on(bench, run)
        assert after.agent_state is not None
        assert after.agent_state.version == run.agent_state.version + 1


def _refused(run: MemoryRun) -> None:
    """The run failed, says why, and offers to start the turn again."""
    assert isinstance(run.end, Failed), run.end
    assert isinstance(run.end.error, StateUnreadable)
    assert run.end.error.fix is not None
    assert "Start the turn again" in run.end.error.fix
