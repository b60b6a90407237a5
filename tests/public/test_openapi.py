"""The REST API as its users see it. A difference here is a change of the public contract.

UPDATE=1 pytest tests/public/test_openapi.py      takes the difference over
"""

import json
import os
from pathlib import Path

from sayso.clock import SystemClock
from sayso.engine.engine import Engine
from sayso.feed import LocalFeed
from sayso.server.app import create_app
from sayso.settings import Settings
from sayso.store.store import SqlStore
from tests.integration.world import Puppet

SNAPSHOT = Path(__file__).with_name("openapi.json")


def test_the_openapi_document_is_the_one_that_was_published():
    document = _document()
    if os.environ.get("UPDATE"):
        SNAPSHOT.write_text(document)
    assert document == SNAPSHOT.read_text()


def test_every_route_of_the_reference_is_there_and_none_is_missing():
    reference = (Path(__file__).parents[2] / "docs/reference/wire.md").read_text()
    for path in json.loads(_document())["paths"]:
        written = path.replace("chat_id", "id").replace("interaction_id", "id")
        for name in ("artifact_id", "tool_call_id", "run_id"):
            written = written.replace(name, "id")
        assert written in reference, f"{written} is not in docs/reference/wire.md"


def _document() -> str:
    clock = SystemClock()
    store = SqlStore.in_memory(clock=clock)
    engine = Engine(store=store, feed=LocalFeed(), clock=clock, programs={"puppet": Puppet()})
    document = create_app(engine, Settings()).openapi()
    document["info"]["version"] = "any"
    return json.dumps(document, indent=1, sort_keys=True) + "\n"
