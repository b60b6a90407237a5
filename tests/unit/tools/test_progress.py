"""How far the work has come, as an agent says it."""

from __future__ import annotations

from sayso.adapters.program import AgentProgram
from sayso.core.events import ProgressMade
from sayso.testing.recorder import MemoryRun
from sayso.tools.context import AgentContext


async def test_the_stage_that_is_named_is_the_current_one() -> None:
    async def works(ctx: AgentContext) -> None:
        await ctx.progress(["read", "write"], current="write", fraction=0.5, note="half")

    run = MemoryRun()
    await run.go(AgentProgram(works))
    (made,) = [one for one in run.recorder.events if isinstance(one, ProgressMade)]
    assert [(stage.id, stage.state.value) for stage in made.stages] == [
        ("read", "done"),
        ("write", "current"),
    ]
    assert (made.current, made.fraction, made.note) == ("write", 0.5, "half")
