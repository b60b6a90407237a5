"""One server of 2026 over each transport, for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sayso.mcp import Servers
from tests.integration.mcp.world import PATIENT, listening, new_server
from tests.ports import free_port


@pytest.fixture(scope="session")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mcp") / "done"


@pytest.fixture(scope="session", params=["stdio", "http"])
def desk(request: pytest.FixtureRequest, done: Path) -> Iterator[Servers]:
    if request.param == "stdio":
        servers = Servers({"desk": new_server(done, longestForModel=2000)})
        yield servers
        servers.close()
        return
    port = free_port()
    with listening(done, port):
        url = f"http://127.0.0.1:{port}/mcp"
        servers = Servers({"desk": {"url": url, "sayso": {**PATIENT, "longestForModel": 2000}}})
        yield servers
        servers.close()
