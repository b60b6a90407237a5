"""A server of before 2026 asks in the middle of a call, which stays open until a person answers."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from sayso.adapters.program import AgentProgram
from sayso.adapters.scripted import CallTool
from sayso.core.cards import ConfirmationCard, FormCard
from sayso.core.errors import AnswerInvalid
from sayso.core.events import ToolCallStatus
from sayso.core.interactions import Interaction
from sayso.core.segments import Completed, Waiting
from sayso.mcp import Servers
from sayso.testing.recorder import MemoryRun
from tests.integration.mcp.asking_agent import desk
from tests.integration.mcp.world import (
    ASKING,
    PATIENT,
    lines,
    listening,
    new_server,
    program,
    ran,
    registry,
    until,
)
from tests.integration.world import GUARD_SECONDS, Wire, World, begin, running
from tests.ports import free_port


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("asking") / "done"


@pytest.fixture(scope="module", params=["stdio", "http"])
def asking(request: pytest.FixtureRequest, done: Path) -> Iterator[Servers]:
    if request.param == "stdio":
        servers = Servers({"desk": new_server(done, module=ASKING)})
        yield servers
        servers.close()
        return
    port = free_port()
    with listening(done, port, ASKING):
        servers = Servers({"desk": {"url": f"http://127.0.0.1:{port}/mcp", "sayso": PATIENT}})
        yield servers
        servers.close()


def a_name() -> str:
    return uuid4().hex[:8]


def call(tool: str, name: str | None = None) -> CallTool:
    return CallTool(tool, {"name": name} if name else {})


async def asked(servers: Servers, run: MemoryRun, step: CallTool) -> Interaction:
    assert isinstance(await run.go(program(servers, step)), Waiting)
    [asked] = run.pending
    return asked


async def test_each_question_is_a_form_that_names_the_server_and_the_call_goes_on_once(
    asking: Servers, done: Path
) -> None:
    assert asking.statuses()[0].name == "desk"
    run, name = MemoryRun(), a_name()
    step = call("place", name)
    first = await asked(asking, run, step)
    assert isinstance(first.card, FormCard)
    assert first.card.title == f"desk: How large should {name} be?"
    [held] = asking.held_calls()
    assert held.is_asking
    with pytest.raises(AnswerInvalid):
        run.answer(first, {"values": {"cores": 65}})
    run.answer(first, {"values": {"cores": 8}})
    second = await asked(asking, run, step)
    assert second.card.title == f"desk: Where should {name} stand?"
    run.answer(second, {"values": {"rack": "R1"}})
    assert isinstance(await run.go(program(asking, step)), Completed)
    assert run.said == f'["booked {name} with 8 cores, in R1"]'
    assert lines(done).count(f"{name} 8") == 1
    assert asking.held_calls() == []


async def test_what_is_set_aside_or_asks_for_a_secret_is_told_to_the_server(
    asking: Servers,
) -> None:
    run, name = MemoryRun(), a_name()
    run.dismiss(await asked(asking, run, call("book", name)))
    assert isinstance(await run.go(program(asking, call("book", name))), Completed)
    assert run.said == f'["{name}: cancel"]'
    run = await ran(asking, call("unlock"))
    assert (run.interactions, run.said) == ({}, '["decline"]')


async def test_an_address_is_shown_whole_also_where_it_comes_first(asking: Servers) -> None:
    for answer, said in (("approve", "accept"), ("reject", "decline")):
        run = MemoryRun()
        page = await asked(asking, run, call("pay"))
        assert isinstance(page.card, ConfirmationCard)
        assert {row.label: row.value for row in page.card.details} == {
            "MCP server": "desk",
            "host": "xn--bcher-kva.test",
            "address": "https://bücher.test/pay?n=1",
        }
        run.answer(page, {"decision": answer})
        await run.go(program(asking, call("pay")))
        assert run.said == f'["{said}"]'
        # A call that is refused until somebody has been to a page is made again after a yes.
        run, enter = MemoryRun(), call("enter", a_name())
        run.answer(await asked(asking, run, enter), {"decision": answer})
        await run.go(program(asking, enter))
        status = ToolCallStatus.DONE if said == "accept" else ToolCallStatus.FAILED
        assert run.returns[-1].status is status


async def test_two_calls_at_once_each_get_their_own_answer(asking: Servers, done: Path) -> None:
    runs = {a_name(): MemoryRun(run_id=f"run-{number}") for number in (1, 2)}
    ends = await asyncio.gather(
        *(run.go(program(asking, call("book", name))) for name, run in runs.items())
    )
    assert all(isinstance(end, Waiting) for end in ends)
    for cores, (name, run) in reversed(list(enumerate(runs.items(), 1))):
        [question] = run.pending
        assert question.card.title == f"desk: How large should {name} be?"
        run.answer(question, {"values": {"cores": cores}})
        await run.go(program(asking, call("book", name)))
        assert run.said == f'["booked {name} with {cores} cores"]'


async def test_beside_another_call_it_asks_at_once_where_its_line_names_it(
    asking: Servers, done: Path
) -> None:
    other, name, run = a_name(), a_name(), MemoryRun()
    beside = MemoryRun(run_id="beside").go(program(asking, call("slow", other)))
    slow = asyncio.create_task(beside)
    await until(lambda: f"{other} began" in lines(done))
    asks = asyncio.create_task(asked(asking, run, call("book", name)))
    if asking.servers["desk"].url is not None:
        await asyncio.wait_for(asyncio.shield(asks), GUARD_SECONDS)
    done.with_name(f"let-{other}-go").touch()
    assert isinstance(await slow, Completed)
    run.dismiss(await asks)
    assert isinstance(await run.go(program(asking, call("book", name))), Completed)


async def test_a_call_whose_server_died_begins_anew_where_a_person_allows_it(
    tmp_path: Path,
) -> None:
    done, run, step = tmp_path / "done", MemoryRun(), call("book", "db")
    async with registry({"desk": new_server(done, module=ASKING)}) as servers:
        question = await asked(servers, run, step)
        os.kill(int(done.with_suffix(".pid").read_text()), signal.SIGKILL)
        await until(lambda: not servers.held_calls()[0].is_asking)
        await until(lambda: servers.statuses()[0].state == "ready")
        run.answer(question, {"values": {"cores": 4}})
        anew = await asked(servers, run, step)
        assert anew.title == "desk: begin book anew?"
        run.approve(anew)
        # What a person has answered is not asked again.
        assert isinstance(await run.go(program(servers, step)), Completed)
    assert lines(done) == ["db 4"]


@pytest.mark.parametrize("tool", ["book", "rebook"])
async def test_a_call_that_was_lost_with_our_process_begins_anew_where_it_may(
    tmp_path: Path, tool: str
) -> None:
    done, run, step = tmp_path / "done", MemoryRun(), call(tool, "db")
    async with registry({"desk": new_server(done, module=ASKING)}) as servers:
        question = await asked(servers, run, step)
    run.answer(question, {"values": {"cores": 4}})
    async with registry({"desk": new_server(done, module=ASKING)}) as servers:
        if tool == "book":
            run.reject(await asked(servers, run, step), "no")
        assert isinstance(await run.go(program(servers, step)), Completed)
    assert ("db 4" in lines(done)) is (tool == "rebook")


class Desk:
    """Our server, whose agent calls the tool that a person names."""

    def __init__(self, world: World) -> None:
        self.world = world

    async def asked(self, words: str) -> tuple[str, Wire]:
        chat_id = await self.world.chat()
        await begin(self.world, chat_id, words)
        [card] = await self.world.pending(chat_id)
        return chat_id, card

    async def said(self, chat_id: str) -> str:
        view = await self.world.until_run(chat_id, "completed")
        return str(view["messages"][-1]["content"])


@pytest.fixture(scope="module")
async def our(asking: Servers) -> AsyncIterator[Desk]:
    programs = {"desk": AgentProgram(desk, source=asking)}
    async with running(programs=programs, mcp=asking) as world:
        yield Desk(world)


async def test_the_same_answer_twice_is_given_once(our: Desk, done: Path) -> None:
    name = a_name()
    chat_id, card = await our.asked(f"book {name}")
    address = f"/api/interactions/{card['interaction_id']}/response"
    answers = await asyncio.gather(
        *(our.world.http.post(address, json={"values": {"cores": 2}}) for _ in range(3))
    )
    assert [answer.json()["status"] for answer in answers] == ["completed"] * 3
    assert await our.said(chat_id) == f"booked {name} with 2 cores"
    assert lines(done).count(f"{name} 2") == 1


async def test_a_server_that_waits_no_more_ends_the_card_and_the_run_goes_on(
    our: Desk, done: Path
) -> None:
    name = a_name()
    chat_id, card = await our.asked(f"hurry {name}")
    done.with_name(f"{name}-gives-up").touch()
    assert await our.said(chat_id) == f"nobody came for {name}"
    found = (await our.world.http.get(f"/api/interactions/{card['interaction_id']}")).json()
    assert found["status"] == "expired"
    assert found["response"]["user_message"] == "The other side waits for no answer any more."


async def test_a_person_who_stops_the_run_stops_the_call_at_its_server(
    our: Desk, asking: Servers, done: Path
) -> None:
    name = a_name()
    chat_id, _ = await our.asked(f"book {name}")
    await our.world.http.post(f"/api/chats/{chat_id}/cancel", json={"reason": "enough"})
    await until(lambda: f"{name} was cancelled" in lines(done))
    await until(lambda: asking.held_calls() == [])
