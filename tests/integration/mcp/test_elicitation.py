"""What a server asks a person in the middle of a call."""

from __future__ import annotations

from pathlib import Path

import pytest

from sayso.adapters.scripted import CallTool
from sayso.core.cards import ConfirmationCard, FormCard
from sayso.core.errors import AnswerInvalid
from sayso.core.events import ToolCallStatus
from sayso.core.segments import Completed, Waiting
from sayso.mcp import Servers
from sayso.testing.recorder import MemoryRun
from tests.integration.mcp.world import lines, new_server, program, ran, registry


async def test_a_question_of_a_server_is_a_form_that_names_it(desk: Servers, done: Path) -> None:
    before = lines(done).count("book web 8")
    agent = program(desk, CallTool("book", {"name": "web"}))
    run = MemoryRun()
    assert isinstance(await run.go(agent), Waiting)
    [asked] = run.pending
    assert isinstance(asked.card, FormCard)
    assert asked.card.title == "desk: How large should web be?"
    with pytest.raises(AnswerInvalid):
        run.answer(asked, {"values": {"cores": 65}})
    run.answer(asked, {"values": {"cores": 8}})
    assert isinstance(await run.go(agent), Completed)
    assert run.said == '["booked web with 8 cores"]'
    assert lines(done).count("book web 8") == before + 1


async def test_a_question_that_is_set_aside_is_cancelled_there(desk: Servers, done: Path) -> None:
    agent = program(desk, CallTool("book", {"name": "aside"}))
    run = MemoryRun()
    await run.go(agent)
    run.dismiss(run.pending[0])
    assert isinstance(await run.go(agent), Completed)
    assert run.returns[-1].status is ToolCallStatus.FAILED
    assert not [line for line in lines(done) if line.startswith("book aside")]


async def test_a_form_never_asks_for_a_secret(desk: Servers, done: Path) -> None:
    run = await ran(desk, CallTool("unlock", {}))
    assert run.interactions == {}
    assert run.returns[-1].status is ToolCallStatus.FAILED
    assert not [line for line in lines(done) if line.startswith("unlock")]


async def test_an_address_is_shown_whole_and_opened_by_nobody(desk: Servers, done: Path) -> None:
    agent = program(desk, CallTool("pay", {}))
    run = MemoryRun()
    await run.go(agent)
    [asked] = run.pending
    assert isinstance(asked.card, ConfirmationCard)
    shown = {row.label: row.value for row in asked.card.details}
    assert shown == {
        "MCP server": "desk",
        "host": "xn--bcher-kva.test",
        "address": "https://bücher.test/pay?n=1",
    }
    run.approve(asked)
    await run.go(agent)
    assert run.said == '["the page was accepted"]'


@pytest.mark.parametrize("name", ["book", "rebook", "refused"])
async def test_a_server_that_forgot_its_question_begins_anew_where_that_is_safe_or_allowed(
    tmp_path: Path, name: str
) -> None:
    done = tmp_path / "done"
    step = CallTool("rebook" if name == "rebook" else "book", {"name": "db"})
    run = MemoryRun()
    async with registry({"desk": new_server(done)}) as servers:
        assert isinstance(await run.go(program(servers, step)), Waiting)
    run.answer(run.pending[0], {"values": {"cores": 4}})
    # With another key it cannot read the state that it gave before.
    async with registry({"desk": new_server(done, "--state-key", "z")}) as servers:
        agent = program(servers, step)
        end = await run.go(agent)
        if name != "rebook":  # it may have acted before it asked
            assert isinstance(end, Waiting)
            [asked] = run.pending
            assert asked.title == "desk: begin book anew?"
            run.approve(asked) if name == "book" else run.reject(asked, "no")
            end = await run.go(agent)
    assert isinstance(end, Completed)
    # The same question has been answered: nobody is asked it again.
    assert len(run.interactions) == (1 if name == "rebook" else 2)
    assert lines(done) == ([] if name == "refused" else [f"{name} db 4"])
