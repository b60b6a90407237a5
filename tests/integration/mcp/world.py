"""Real MCP servers for tests, of both eras and over both transports, and agents of their tools."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx

from sayso.adapters.program import AgentProgram
from sayso.adapters.scripted import Say, ScriptedAgent
from sayso.core.segments import Completed
from sayso.mcp import Servers
from sayso.testing.recorder import MemoryRun
from tests.integration.world import GUARD_SECONDS

ROOT = Path(__file__).parents[3]
NEW, OLD = "tests.mcp_server", ROOT / "tests/old_mcp_server.py"
#: Of before 2026, and asks in the middle of a call.
ASKING = "tests.asking_mcp_server"
#: A machine that is busy with other tests may take long to start one.
PATIENT = {"startSeconds": 240}


def new_server(done: Path, *options: str, module: str = NEW, **own: Any) -> dict[str, Any]:
    args = ["-m", module, "--done", str(done), *options]
    return {
        "command": sys.executable,
        "args": args,
        "cwd": str(ROOT),
        "sayso": {**PATIENT, **own},
    }


def old_server(folder: Path, *, env: dict[str, str] | None = None, **own: Any) -> dict[str, Any]:
    args = ["-S", "-E", str(OLD), str(folder)]
    return {
        "command": sys.executable,
        "args": args,
        "env": env or {},
        "sayso": {**PATIENT, **own},
    }


def program(servers: Servers, *steps: Any, **options: Any) -> AgentProgram:
    agent = ScriptedAgent([*steps, Say(lambda results: json.dumps(results))])
    return AgentProgram(agent, source=servers, **options)


async def ran(servers: Servers, *steps: Any, **options: Any) -> MemoryRun:
    run = MemoryRun(person=options.pop("person", "ada"))
    end = await run.go(program(servers, *steps, **options))
    assert isinstance(end, Completed), end
    return run


async def until(is_so: Any) -> None:
    async with asyncio.timeout(GUARD_SECONDS):
        while True:
            if is_so():
                return
            await asyncio.sleep(0.01)


def lines(file: Path) -> list[str]:
    return file.read_text().splitlines() if file.exists() else []


@asynccontextmanager
async def registry(servers: Any, **options: Any) -> AsyncIterator[Servers]:
    made = Servers(servers, **options)
    try:
        yield made
    finally:
        await made.aclose()


@contextmanager
def listening(done: Path, port: int, module: str = NEW) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", module, "--done", str(done), "--http", str(port)]
    nowhere = subprocess.DEVNULL
    process = subprocess.Popen(command, cwd=ROOT, stdout=nowhere, stderr=nowhere)
    try:
        until = time.monotonic() + 60
        while True:
            assert process.poll() is None, "the server has ended"
            try:
                httpx.get(f"http://127.0.0.1:{port}/", timeout=5)
                break
            except httpx.TransportError:
                assert time.monotonic() < until, "the server does not listen"
                time.sleep(0.05)
        yield process
    finally:
        process.kill()
        process.wait()
