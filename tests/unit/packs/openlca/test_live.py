"""An openLCA that runs: the same walk as on a file of ours, and whatever may go wrong on the way to
it. Each fault leaves the decision kept, and nothing doubled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sayso import Done, SystemAway, TaskStatus, ToolMistake
from sayso.packs.openlca.backend import Changes
from sayso.packs.openlca.database import Database
from sayso.packs.openlca.live import Live
from sayso.packs.openlca.model import Flow, FlowProperty, Process, ProductSystem
from sayso.packs.openlca.rpc import RpcError
from tests.unit.packs.openlca import emulator
from tests.unit.packs.openlca.emulator import Emulator, Fault, and_nobody_to_look, refusing
from tests.unit.packs.openlca.practitioner import Practitioner

EXAMPLE = "model the fabrication of reinforced concrete"
PRODUCT = "Output product flow: Reinforced concrete"
PROCESS = "Process: Fabrication of reinforced concrete (unit_process)"
AWAY = "openLCA did not answer. Your approval is kept: shall I try again?"


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def server(database: Database) -> Emulator:
    return Emulator(database)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def live(server: Emulator, clock: Clock, tmp_path: Path) -> Live:
    return Live(server.rpc, tmp_path / "sent.sqlite", clock=clock)


@pytest.fixture
def practitioner(live: Live, monkeypatch: pytest.MonkeyPatch) -> Practitioner:
    return Practitioner(live, monkeypatch)


async def test_the_example_goes_from_a_goal_to_a_product_system(
    practitioner: Practitioner, server: Emulator
) -> None:
    result = await practitioner.say(EXAMPLE)
    assert "9 processes and 16 links" in result.output
    [process] = server.database.named(Process, "Fabrication of reinforced concrete")
    assert [one.amount for one in process.exchanges] == [10, 5, 1]
    [system] = server.database.named(ProductSystem, "Fabrication of reinforced concrete")
    assert len(system.process_links) == 16
    named = {card["context"]["database"] for card in practitioner.payloads if "tool_name" in card}
    assert named == {"openLCA at openlca.test:8080"}
    # Lists are asked for once in a while, and each entity once for a proposal.
    assert server.calls["data/get/descriptors"] < 25
    assert server.calls["data/put"] == 4


def test_it_reads_what_a_file_of_ours_reads(live: Live, database: Database) -> None:
    for one in database.all(Process):
        assert live.read(Process, one.id) == one
    assert [one.name for one in live.all(FlowProperty)] == [
        one.name for one in database.all(FlowProperty)
    ]
    [concrete] = live.named(Flow, "concrete")
    assert set(live.providers(concrete.id)) == set(database.providers(concrete.id))
    assert live.read(Flow, "gone") is None
    assert live.providers("gone") == []
    for words in ("concrete", "concrete pro", "steel", "", "no such thing"):
        theirs = live.search_flows(words, limit=50, offset=0)
        ours = database.search_flows(words, limit=50, offset=0)
        assert {flow.id for flow in theirs[1]} == {flow.id for flow in ours[1]}


def test_a_list_is_believed_for_a_while_and_not_after_a_write(
    live: Live, server: Emulator, clock: Clock
) -> None:
    for _ in range(3):
        live.named(Flow, "Concrete")
    assert server.calls["data/get/descriptors"] == 1
    clock.now = 60
    live.named(Flow, "Concrete")
    assert server.calls["data/get/descriptors"] == 2
    live.write_once("key", putting("Slab"))
    assert [one.name for one in live.named(Flow, "slab")] == ["Slab"]


def putting(name: str) -> Any:
    def write(changes: Changes) -> dict[str, Any]:
        body: Any = changes.get("Flow", _concrete_id) or {}
        changes.put("Flow", {**body, "@id": "slab", "name": name})
        return {"flow_id": "slab"}

    return write


_concrete_id = ""


@pytest.fixture(autouse=True)
def _concrete(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    [found] = database.named(Flow, "Concrete")
    monkeypatch.setattr(f"{__name__}._concrete_id", found.id)


# ── what goes wrong while something is read ──


@pytest.mark.parametrize("fault", [emulator.down, emulator.hanging, emulator.dying_before])
async def test_a_server_that_is_away_is_a_critical_failure_with_what_to_do(
    practitioner: Practitioner, server: Emulator, fault: Fault
) -> None:
    server.faults["*"] = [fault] * 3
    result = await practitioner.say("search concrete")
    assert "OpenLCA client not available" in str(result)
    assert practitioner.titles == []


def test_what_is_away_is_told_with_steps(live: Live, server: Emulator) -> None:
    server.faults["data/get"] = [emulator.down]
    with pytest.raises(SystemAway) as away:
        live.read(Flow, "any")
    assert "Connection refused" in away.value.details
    assert any("IPC Server" in step for step in away.value.steps)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (emulator.another_server, "is no IPC server of openLCA"),
        (refusing(500, "the database is closed"), "the database is closed"),
        (refusing(-32601, "Does not understand: data/get"), "too old"),
        (refusing(-32602, "Invalid parameters: x"), "Invalid parameters: x"),
    ],
)
def test_what_the_server_refuses_is_told_in_its_words(
    live: Live, server: Emulator, fault: Fault, said: str
) -> None:
    server.faults["data/get"] = [fault]
    with pytest.raises(ToolMistake, match=said):
        live.read(Flow, "any")


def test_what_is_not_there_is_no_error(server: Emulator) -> None:
    assert server.rpc.read("data/get", {"@type": "Flow", "@id": "gone"}) is None
    with pytest.raises(RpcError, match="no valid @type"):
        server.rpc.read("data/get", {"@type": "Cup", "@id": "gone"})


# ── what goes wrong at the commit ──


@pytest.mark.parametrize(
    "fault",
    [
        emulator.down,
        and_nobody_to_look(emulator.hanging),
        and_nobody_to_look(emulator.dying_before),
        and_nobody_to_look(emulator.dying_after),
    ],
    ids=["down", "hanging", "dying before", "dying after"],
)
async def test_an_approval_is_kept_while_openlca_is_away(
    practitioner: Practitioner, server: Emulator, fault: Fault
) -> None:
    server.faults["data/put"] = [fault]
    result = await practitioner.say(EXAMPLE)
    assert practitioner.titles[:3] == [PRODUCT, AWAY, PROCESS]
    assert "9 processes and 16 links" in result.output
    assert len(server.database.named(Flow, "Reinforced concrete")) == 1


async def test_as_often_as_it_is_away_it_is_asked_and_nothing_is_doubled(
    practitioner: Practitioner, server: Emulator
) -> None:
    server.faults["data/put"] = [emulator.down] * 3
    await practitioner.say(EXAMPLE)
    assert practitioner.titles[:5] == [PRODUCT, AWAY, AWAY, AWAY, PROCESS]
    assert len(server.database.named(Flow, "Reinforced concrete")) == 1


@pytest.mark.parametrize(
    "fault", [emulator.down, emulator.dying_before], ids=["down", "dying before"]
)
async def test_what_is_left_is_not_written_when_openlca_comes_back(
    practitioner: Practitioner, server: Emulator, fault: Fault
) -> None:
    server.faults["data/put"] = [fault]
    leave = {"data": {"selected_option": "leave"}}
    result = await practitioner.say(EXAMPLE, options=[leave])
    assert AWAY in practitioner.titles
    assert result.status is TaskStatus.COMPLETED
    assert server.database.named(Flow, "Reinforced concrete") == []
    assert server.calls["data/put"] == 1


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (refusing(500, "library data cannot be updated"), "library data cannot be updated"),
        (refusing(-32601, "Does not understand: data/put"), "too old"),
        (emulator.another_server, "is no IPC server of openLCA"),
    ],
)
async def test_what_openlca_refuses_at_the_commit_is_told(
    practitioner: Practitioner, server: Emulator, fault: Fault, said: str
) -> None:
    server.faults["data/put"] = [fault]
    result = await practitioner.say(EXAMPLE)
    assert said in str(result)
    assert server.database.named(Flow, "Reinforced concrete") == []


def test_what_arrived_without_an_answer_is_read_back(live: Live, server: Emulator) -> None:
    server.faults["data/put"] = [emulator.dying_after]
    assert live.write_once("key", putting("Slab")) == {"flow_id": "slab"}
    assert server.calls["data/put"] == 1
    assert live.written("key") == {"flow_id": "slab"}


def test_what_was_sent_before_a_crash_is_looked_for(
    live: Live, server: Emulator, tmp_path: Path
) -> None:
    receipts = live._receipts
    concrete: Any = server.database.get("Flow", _concrete_id)
    slab = {**concrete, "@id": "slab", "name": "Slab"}
    receipts.sending("key", [("Flow", slab)], {"flow_id": "slab"})
    assert live.written("key") is None
    with server.database.writing() as writer:
        writer.put("Flow", {**slab, "version": "01.00.001", "lastChange": "2026-01-01"})
    assert live.written("key") == {"flow_id": "slab"}
    again = Live(server.rpc, tmp_path / "sent.sqlite")
    assert again.write_once("key", putting("Slab")) == {"flow_id": "slab"}
    assert server.calls["data/put"] == 0
    assert Done(again.written("key")).result == {"flow_id": "slab"}
