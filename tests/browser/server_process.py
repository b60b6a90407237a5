"""A real `sayso` server in a process of its own, which keeps its port and its data over deaths."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.ports import free_port

ROOT = Path(__file__).parents[2]
DEMO = ("demo", "--no-open")
#: For a start on a busy machine; a start takes about a second.
START_SECONDS = 120.0


class ServerProcess:
    """One server over one data directory. Started again, it is found where it was."""

    def __init__(self, data: Path, *command: str, environment: Mapping[str, str] = {}) -> None:
        self.data = data
        self.port = free_port()
        self._command = command or DEMO
        self._environment = {"SAYSO_DEMO_TOKEN_MS": "0", **environment}
        self._process: asyncio.subprocess.Process | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def start(self) -> None:
        """Returns when it answers."""
        assert self._process is None, "It runs already"
        self.data.mkdir(parents=True, exist_ok=True)
        kept = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith("SAYSO_") or key == "SAYSO_AUDIT_KEY"
        }
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "sayso", *self._command),
                *("--port", str(self.port), "--data", str(self.data)),
                cwd=ROOT,
                env={**kept, **self._environment},
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
            )
        async with asyncio.timeout(START_SECONDS):
            await self._says_that_it_listens()

    async def kill(self) -> None:
        """kill -9: nothing is closed, flushed or said."""
        await self._end(signal.SIGKILL)

    async def stop(self) -> None:
        await self._end(signal.SIGTERM)

    async def until_dead(self) -> None:
        """It is about to fall over by itself."""
        assert self._process is not None
        async with asyncio.timeout(START_SECONDS):
            await self._process.communicate()
        self._process = None

    async def restart_after_kill(self) -> None:
        await self.kill()
        await self.start()

    async def get(self, path: str) -> Any:
        """The JSON of a GET."""
        async with httpx.AsyncClient(base_url=self.url, timeout=START_SECONDS) as client:
            return (await client.get(path)).raise_for_status().json()

    async def post(self, path: str, body: object, **headers: str) -> Any:
        async with httpx.AsyncClient(base_url=self.url, timeout=START_SECONDS) as client:
            answer = await client.post(path, json=body, headers=headers)
            return answer.raise_for_status().json()

    async def _says_that_it_listens(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            if b"listens on" in line:
                return
        await self._process.wait()
        self._process = None
        raise AssertionError(f"The server did not start:\n{self._log.read_text()[-4000:]}")

    async def _end(self, by: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if process.returncode is None:
            process.send_signal(by)
        await process.communicate()

    @property
    def _log(self) -> Path:
        return self.data / "server.log"


@asynccontextmanager
async def running(
    data: Path, *command: str, environment: Mapping[str, str] = {}
) -> AsyncIterator[ServerProcess]:
    server = ServerProcess(data, *command, environment=environment)
    try:
        await server.start()
        yield server
    finally:
        await server.stop()
