"""A call that its server takes as a task: it works on it, and asks a person on the way."""

from __future__ import annotations

import asyncio
from pathlib import Path
from uuid import uuid4

from sayso.adapters.scripted import CallTool
from sayso.core.cards import FormCard
from sayso.core.events import ProgressMade, ToolCallStatus
from sayso.core.interactions import Interaction
from sayso.core.segments import Completed, Waiting
from sayso.mcp import Servers
from sayso.testing.recorder import MemoryRun
from tests.integration.mcp.world import lines, program, ran, until


def render(name: str) -> CallTool:
    return CallTool("render", {"name": name})


async def asked(servers: Servers, run: MemoryRun, name: str) -> Interaction:
    assert isinstance(await run.go(program(servers, render(name))), Waiting)
    [asked] = run.pending
    return asked


async def test_a_task_that_asks_is_a_form_as_any_other(desk: Servers, done: Path) -> None:
    run, name = MemoryRun(), f"film-{uuid4().hex}"
    card = (question := await asked(desk, run, name)).card
    assert isinstance(card, FormCard)
    assert card.title == "desk: How many frames?"
    run.answer(question, {"values": {"frames": 24}})
    assert isinstance(await run.go(program(desk, render(name))), Completed)
    # What was answered is not asked again, although the task said so for a while.
    assert len(run.interactions) == 1
    assert run.said == f'["rendered {name} with 24 frames"]'
    assert lines(done).count(f"render {name} 24") == 1
    told = [event for event in run.recorder.events if isinstance(event, ProgressMade)]
    assert [one.note for one in told] == ["render: half of it"]


async def test_a_task_that_fails_or_is_called_off_says_so(desk: Servers) -> None:
    run = await ran(desk, render("failing"))
    assert (run.returns[-1].status, run.returns[-1].error) == (
        ToolCallStatus.FAILED,
        "no film left",
    )
    run = MemoryRun()
    run.dismiss(await asked(desk, run, "set-aside"))
    assert isinstance(await run.go(program(desk, render("set-aside"))), Completed)
    assert run.returns[-1].error == "'desk' has cancelled its task."


async def test_a_person_who_stops_the_run_stops_the_task(desk: Servers, done: Path) -> None:
    run, name = MemoryRun(), f"endless-{uuid4().hex}"
    going = asyncio.create_task(run.go(program(desk, render(name))))
    await until(lambda: any(isinstance(e, ProgressMade) for e in run.recorder.events))
    going.cancel()
    await asyncio.gather(going, return_exceptions=True)
    await until(lambda: any(line.startswith(f"cancelled {name}") for line in lines(done)))
