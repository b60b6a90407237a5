"""The gateway before an openLCA, over real sockets: reads pass, and each write of any client is a
card first. What is behind is the emulator of the unit tests; no real openLCA was met."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

from sayso.client.connection import AsyncClient, Place
from sayso.packs.openlca.answering import Answering
from sayso.packs.openlca.database import Database
from sayso.packs.openlca.demo_background import demo_database, demo_id
from sayso.packs.openlca.gateway import gateway
from sayso.packs.openlca.gateway.app import Gateway
from sayso.packs.openlca.gateway.write import Upstream
from sayso.packs.openlca.model import Flow, ProductSystem
from sayso.server.process import address_of, bind, guarded
from tests.integration.world import GUARD_SECONDS, Wire, World, running
from tests.loopback import client_of
from tests.unit.packs.openlca import emulator
from tests.unit.packs.openlca.emulator import Emulator, Fault, and_nobody_to_look, refusing

CONCRETE = demo_id("Flow", "Concrete")
MAKING = demo_id("Process", "Concrete production")


class Door:
    """The gateway, and a client of it."""

    def __init__(
        self, app: Gateway, world: World, server: Emulator, http: httpx.AsyncClient
    ) -> None:
        self.app, self.world, self.server, self.http = app, world, server, http
        #: Asks of the tests before this one.
        self.others: set[str] = set()

    async def call(self, method: str, params: Any) -> Wire:
        body = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
        reply = await self.http.post("/", json=body)
        assert reply.status_code == 200, reply.text
        found: Wire = reply.json()
        assert found["id"] == 7
        return found

    async def cards(self, count: int) -> list[Wire]:
        """The open cards, once there are so many."""
        async with asyncio.timeout(GUARD_SECONDS):
            while True:
                found = await self.world.http.get("/api/interactions?status=pending")
                cards: list[Wire] = found.json()["interactions"]
                if len(cards) >= count:
                    return cards
                await asyncio.sleep(0.01)

    async def answer(self, **said: Any) -> Wire:
        """Answer the one card that is open."""
        [card] = await self.cards(1)
        path = f"/api/interactions/{card['interaction_id']}/response"
        body = {
            "approved": True,
            "metadata": {"digest": card["payload"]["sayso"]["digest"]},
            **said,
        }
        reply = await self.world.http.post(path, json=body)
        assert reply.status_code == 200, reply.text
        return card

    async def answered(self, method: str, params: Any, **said: Any) -> Wire:
        """Make the call, and answer its card."""
        calling = asyncio.create_task(self.call(method, params))
        await self.answer(**said)
        return await calling

    async def states(self) -> list[str]:
        """How each ask of this test stands."""
        asks = (await self.world.http.get("/api/asks?limit=200")).json()["asks"]
        return [one["state"] for one in asks if one["interaction_id"] not in self.others]

    async def until_asks_are(self, *states: str) -> None:
        async with asyncio.timeout(GUARD_SECONDS):
            while True:
                if await self.states() == [*states]:
                    return
                await asyncio.sleep(0.02)

    async def until_waiting(self, callers: int) -> None:
        """The gateway has noticed who has come, and who has gone."""
        async with asyncio.timeout(GUARD_SECONDS):
            while True:
                if self.app.waiting == callers:
                    return
                await asyncio.sleep(0.01)

    def flow(self, name: str, **more: Any) -> Wire:
        found: Any = self.server.database.get("Flow", CONCRETE)
        return {**found, "@id": name.lower(), "name": name, **more}


class Served(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield  # the test has them


@asynccontextmanager
async def serving(app: Gateway) -> AsyncIterator[str]:
    listening = bind("127.0.0.1", 0)
    config = uvicorn.Config(guarded(app), lifespan="on", log_level="warning")
    served = Served(config)
    running = asyncio.create_task(served.serve(sockets=[listening]))
    try:
        yield address_of(listening)
    finally:
        served.should_exit = served.force_exit = True
        await running
        # Whoever is forced out leaves the lifespan waiting, for the garbage collector to break off.
        await served.lifespan.shutdown()
        listening.close()


def through(server: Emulator) -> Upstream:
    rpc = server.rpc
    return lambda method, params: rpc.call(method, params, 5)


@pytest.fixture(scope="module")
async def world() -> AsyncIterator[World]:
    async with running() as it:
        yield it


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return demo_database(tmp_path_factory.mktemp("demo")).path.read_bytes()


@pytest.fixture
def database(filled: bytes, tmp_path: Path) -> Database:
    (tmp_path / "demo.db").write_bytes(filled)
    return Database(tmp_path / "demo.db")


@pytest.fixture
async def door(world: World, database: Database, tmp_path: Path) -> AsyncIterator[Door]:
    server = Emulator(database)
    app = gateway(through(server), AsyncClient(Place(world.url)), tmp_path / "book.sqlite")
    async with serving(app) as url, client_of(url) as http:
        made = Door(app, world, server, http)
        asks = (await world.http.get("/api/asks?limit=200")).json()["asks"]
        made.others = {one["interaction_id"] for one in asks}
        yield made


async def test_reads_pass_and_nobody_is_asked(door: Door) -> None:
    got = await door.call("data/get", {"@type": "Flow", "@id": CONCRETE})
    assert got["result"]["name"] == "Concrete"
    gone = await door.call("data/get", {"@type": "Flow", "@id": "gone"})
    assert gone["error"] == {"code": 404, "message": "resource not found"}
    assert await door.states() == []


@pytest.mark.parametrize(
    ("method", "code"),
    [("runtime/shutdown", 403), ("my/method", -32601), ("data/drop", -32601), ("result/x", -32601)],
)
async def test_what_is_no_read_and_no_write_is_refused(door: Door, method: str, code: int) -> None:
    refused = await door.call(method, {})
    assert refused["error"]["code"] == code
    assert door.server.calls == {}
    assert await door.states() == []


async def test_what_is_no_request_is_told_so(door: Door) -> None:
    http = door.http
    for reply in (await http.get("/"), await http.post("/", content=b"[]")):
        assert reply.json()["error"]["code"] == -32600
    other = await http.post("/", json={}, headers={"Host": "evil.example"})
    page = await http.post("/", json={}, headers={"Origin": "https://evil.example"})
    assert (other.status_code, page.status_code) == (403, 403)


async def test_a_put_is_a_card_that_says_what_changes(door: Door) -> None:
    changed = {**(door.server.database.get("Flow", CONCRETE) or {}), "category": "Minerals"}
    calling = asyncio.create_task(door.call("data/put", changed))
    card = await door.answer()
    assert card["payload"]["title"] == "Write Flow 'Concrete' into openLCA"
    assert card["payload"]["context"]["changes"] == ["category: Construction materials → Minerals"]
    assert card["payload"]["tool_params"]["method"] == "data/put"
    assert json.loads(card["payload"]["tool_params"]["params"]) == changed
    assert (await calling)["result"]["@id"] == CONCRETE
    assert (door.server.database.get("Flow", CONCRETE) or {})["category"] == "Minerals"
    await door.until_asks_are("done")


async def test_what_is_refused_is_not_written_and_the_reason_is_told(door: Door) -> None:
    reply = await door.answered(
        "data/put", door.flow("Slab"), approved=False, user_message="Not that one."
    )
    assert reply["error"] == {"code": 403, "message": "A person refused it: Not that one."}
    assert door.server.database.get("Flow", "slab") is None


async def test_a_caller_that_dies_leaves_the_card_and_its_answer_is_kept(door: Door) -> None:
    dying = asyncio.create_task(door.call("data/put", door.flow("Slab")))
    await door.cards(1)
    dying.cancel()
    await asyncio.wait([dying])
    await door.until_waiting(0)
    await door.answer()
    await door.until_asks_are("approved")
    assert door.server.database.get("Flow", "slab") is None
    again = await door.call("data/put", door.flow("Slab"))
    assert again["result"]["@id"] == "slab"
    await door.until_asks_are("done")


async def test_the_same_call_twice_at_once_is_one_card(door: Door) -> None:
    calls = [asyncio.create_task(door.call("data/put", door.flow("Slab"))) for _ in range(2)]
    await door.until_waiting(2)
    await door.answer()
    assert [(await one)["result"]["@id"] for one in calls] == ["slab", "slab"]
    assert door.server.calls["data/put"] == 1


async def test_the_same_call_after_its_answer_was_told_is_a_new_one(door: Door) -> None:
    for _ in range(2):
        await door.answered("data/put", door.flow("Slab"))
    await door.until_asks_are("done", "done")


async def test_an_entity_without_an_id_gets_one_before_it_is_asked_about(door: Door) -> None:
    slab = door.flow("Slab")
    del slab["@id"]
    calling = asyncio.create_task(door.call("data/put", slab))
    card = await door.answer()
    shown = json.loads(card["payload"]["tool_params"]["params"])
    assert (await calling)["result"]["@id"] == shown["@id"]


async def test_a_delete_names_what_goes(door: Door) -> None:
    calling = asyncio.create_task(door.call("data/delete", {"@type": "Flow", "@id": CONCRETE}))
    card = await door.answer()
    assert card["payload"]["context"] == {"is_deleted": "Concrete, in Construction materials"}
    assert (await calling)["result"]["@id"] == CONCRETE
    assert door.server.database.get("Flow", CONCRETE) is None


async def test_of_a_file_the_digest_is_shown_and_not_the_content(door: Door) -> None:
    file = {"name": "report.pdf", "content": base64.b64encode(b"words").decode()}
    door.server.faults["data/put/source-file"] = [refusing(500, "no file store")]
    params = {"source": {"@type": "Source", "@id": "s"}, "file": file}
    calling = asyncio.create_task(door.call("data/put/source-file", params))
    card = await door.answer()
    shown = card["payload"]["tool_params"]["params"]["file"]
    assert (shown["name"], shown["bytes"], len(shown["sha256"])) == ("report.pdf", 5, 64)
    assert (await calling)["error"] == {"code": 500, "message": "no file store"}
    await door.until_asks_are("failed")


# ── what goes wrong behind it ──


async def test_where_nobody_can_be_asked_nothing_is_written(
    database: Database, tmp_path: Path
) -> None:
    server = Emulator(database)
    nobody = AsyncClient(Place("http://127.0.0.1:9"))
    app = gateway(through(server), nobody, tmp_path / "book.sqlite")
    async with serving(app) as url, client_of(url) as http:
        body = {"id": 1, "method": "data/delete", "params": {"@type": "Flow", "@id": CONCRETE}}
        reply = (await http.post("/", json=body)).json()
    assert reply["error"]["code"] == 503
    assert "Nobody can be asked" in reply["error"]["message"]
    assert database.get("Flow", CONCRETE) is not None


# ── the real client ──


class RealClient:
    """olca-ipc, which waits without a limit, and takes every error for None."""

    def __init__(self, door: Door) -> None:
        self.door = door
        self.ipc = pytest.importorskip("olca_ipc").Client(str(door.http.base_url))

    async def does(self, what: Callable[[Any], Any]) -> Any:
        async with asyncio.timeout(GUARD_SECONDS):
            return await asyncio.to_thread(what, self.ipc)

    async def answered(self, what: Callable[[Any], Any]) -> Any:
        """Let it do this, and answer its card."""
        doing = asyncio.create_task(self.does(what))
        await self.door.answer()
        return await doing

    async def slab(self) -> Any:
        """A flow of its own that is not in the database."""
        schema = pytest.importorskip("olca_schema")
        concrete = await self.does(lambda ipc: ipc.get(schema.Flow, CONCRETE))
        concrete.id, concrete.name = "slab", "Slab"
        return concrete


@pytest.mark.parametrize(
    ("fault", "code", "puts"),
    [
        (emulator.down, 503, 2),
        (and_nobody_to_look(emulator.hanging), 503, 2),
        (emulator.dying_before, 504, 2),
        (and_nobody_to_look(emulator.dying_after), 503, 1),
    ],
    ids=["down", "hanging", "dying before", "dying after"],
)
async def test_the_real_client_comes_again_and_its_write_is_there_once(
    door: Door, fault: Fault, code: int, puts: int
) -> None:
    client = RealClient(door)
    slab = await client.slab()
    door.server.faults["data/put"] = [fault]
    nothing, why = await client.answered(lambda ipc: ipc.rpc_call("data/put", slab.to_dict()))
    assert nothing is None
    assert why.startswith(f"{code}: ")
    # The decision is kept: nobody is asked again.
    again = await client.does(lambda ipc: ipc.put(slab))
    assert again.id == "slab"
    await door.until_asks_are("done")
    assert len(door.server.database.named(Flow, "Slab")) == 1
    assert door.server.calls["data/put"] == puts


@pytest.mark.parametrize(
    "fault",
    [
        refusing(500, "library data cannot be updated"),
        refusing(-32601, "Does not understand: data/put"),
        emulator.another_server,
    ],
    ids=["500", "unknown method", "404"],
)
async def test_the_real_client_gets_none_for_what_openlca_refuses_and_the_decision_is_kept(
    door: Door, fault: Fault
) -> None:
    client = RealClient(door)
    slab = await client.slab()
    door.server.faults["data/put"] = [fault]
    assert await client.answered(lambda ipc: ipc.put(slab)) is None
    await door.until_asks_are("failed")
    [ask] = (await door.world.http.get("/api/asks?limit=1")).json()["asks"]
    assert ask["response"]["approved"] is True
    assert door.server.calls["data/put"] == 1
    assert door.server.database.get("Flow", "slab") is None


async def test_the_real_clients_product_system_is_made_once_though_openlca_dies_of_it(
    door: Door,
) -> None:
    schema = pytest.importorskip("olca_schema")
    client = RealClient(door)
    door.server.faults["data/create/system"] = [emulator.dying_after]
    making = await client.does(lambda ipc: ipc.get_descriptor(schema.Process, MAKING))
    made = await client.answered(lambda ipc: ipc.create_product_system(making))
    assert [one.id for one in door.server.database.all(ProductSystem)] == [made.id]


async def test_the_real_client_reads_what_is_there_while_openlca_fails(door: Door) -> None:
    schema = pytest.importorskip("olca_schema")
    client = RealClient(door)
    for fault in (
        emulator.down,
        emulator.hanging,
        refusing(500, "closed"),
        emulator.another_server,
    ):
        door.server.faults["data/get"] = [fault]
        assert await client.does(lambda ipc: ipc.get(schema.Flow, CONCRETE)) is None
    assert (await client.does(lambda ipc: ipc.get(schema.Flow, CONCRETE))).name == "Concrete"
    assert (await client.does(lambda ipc: ipc.rpc_call("my/method")))[1].startswith("-32601: ")
    assert await door.states() == []


async def test_the_real_client_drives_the_database_through_the_gateway(
    world: World, database: Database, tmp_path: Path
) -> None:
    o = pytest.importorskip("olca_schema")
    app = gateway(Answering(database), AsyncClient(Place(world.url)), tmp_path / "book.sqlite")
    async with serving(app) as url, client_of(url) as http:
        client = RealClient(Door(app, world, Emulator(database), http))

        ipc, read = client.ipc, asyncio.to_thread
        flows = await read(ipc.get_descriptors, o.Flow)
        concrete = next(one for one in flows if one.name == "Concrete")
        assert (concrete.ref_unit, concrete.flow_type) == ("kg", o.FlowType.PRODUCT_FLOW)
        whole = await read(ipc.get, o.Flow, concrete.id)
        assert whole.name == "Concrete"
        providers = await read(ipc.get_providers, concrete)
        assert {one.provider.name for one in providers} >= {"Concrete production"}
        assert await read(ipc.get, o.Flow, "gone") is None
        mass = await read(ipc.get, o.FlowProperty, None, "Mass")
        slab = await client.answered(lambda ipc: ipc.put(o.new_product("Slab", mass)))
        assert (await read(ipc.get, o.Flow, slab.id)).name == "Slab"
        making = await read(ipc.get_descriptor, o.Process, None, "Concrete production")
        system = await client.answered(lambda ipc: ipc.create_product_system(making))
        result = await read(ipc.calculate, o.CalculationSetup(target=system))
        assert (await read(result.get_state)).is_ready
        total = await read(result.get_total_flows)
        co2 = next(one for one in total if "Carbon dioxide" in one.envi_flow.flow.name)
        assert co2.amount > 0
        await read(result.dispose)
        assert (await client.answered(lambda ipc: ipc.delete(slab))).id == slab.id
        assert await read(ipc.get, o.Flow, slab.id) is None
