"""An agent of somebody else's, which asks by `interrupt`, behind Sayso as it is."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import orjson
import pytest

pytest.importorskip("olca_ipc")
pytest.importorskip("langgraph")

from sayso.adapters.program import AgentProgram
from sayso.core.segments import Completed, Waiting
from sayso.packs.openlca.answering import Answering
from sayso.packs.openlca.database import Database
from sayso.packs.openlca.model import Flow, ProductSystem
from sayso.testing.adapter_contract import Turn
from sayso.testing.recorder import MemoryRun
from tests.contract.langgraph_builder import ScriptedModel
from tests.unit.packs.openlca.emulator import reply
from tests.unit.packs.openlca.foreign_agent import foreign_agent

ASKED = ("create_foundation", {"product_name": "Slab"})


@pytest.fixture
def openlca(database: Database) -> Iterator[str]:
    """The address of an IPC server before the database."""
    answering = Answering(database)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = orjson.loads(self.rfile.read(int(self.headers["Content-Length"])))
            body = orjson.dumps(reply(asked, answering))
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("decision", ["approve", "reject"])
async def test_its_interrupt_is_a_card_and_the_answer_reaches_it(
    database: Database, openlca: str, decision: str
) -> None:
    def program() -> AgentProgram:
        model = ScriptedModel(script=[Turn("", [ASKED]), Turn("I was told: ")])
        with pytest.warns(DeprecationWarning, match="create_react_agent"):
            return AgentProgram(foreign_agent(openlca, model))

    run = MemoryRun()
    assert isinstance(await run.go(program()), Waiting)
    [it] = run.pending
    card: Any = it.card
    assert card.entity_summary == "Foundation: Slab (1.0)"
    assert card.entity_details["will_create"] == ["Product flow: Slab", "Slab production"]
    assert database.named(Flow, "Slab") == []
    run.answer(it, {"decision": decision, "reason": "since I say so"})
    # Another process goes on, from what was saved.
    again = pickle.loads(pickle.dumps(run))
    assert isinstance(await again.go(program()), Completed)
    made = [system.name for system in database.all(ProductSystem)]
    if decision == "approve":
        assert made == ["Slab production"]
        assert [one.name for one in database.named(Flow, "Slab")] == ["Slab"]
    else:
        assert "since I say so" in again.said
        assert not made
        assert not database.named(Flow, "Slab")
