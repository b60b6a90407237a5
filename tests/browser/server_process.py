"""A real `sayso` server in a process of its own, which keeps its port and its data over deaths."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from tests.browser import fork_server
from tests.loopback import client_of
from tests.ports import free_port

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
        self._process: Process | None = None

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
        async with asyncio.timeout(START_SECONDS):
            with self._log.open("ab") as log:
                self._process = await Process.start(
                    (*self._command, "--port", str(self.port), "--data", str(self.data)),
                    {**kept, **self._environment},
                    log.fileno(),
                )
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
            await self._process.until_dead()
        self._process = None

    async def restart_after_kill(self) -> None:
        await self.kill()
        await self.start()

    async def get(self, path: str) -> Any:
        """The JSON of a GET."""
        async with client_of(self.url) as client:
            return (await client.get(path)).raise_for_status().json()

    async def post(self, path: str, body: object, **headers: str) -> Any:
        async with client_of(self.url) as client:
            answer = await client.post(path, json=body, headers=headers)
            return answer.raise_for_status().json()

    async def delete(self, path: str) -> None:
        async with client_of(self.url) as client:
            (await client.delete(path)).raise_for_status()

    async def _says_that_it_listens(self) -> None:
        assert self._process is not None
        async for line in self._process.output:
            if b"listens on" in line:
                return
        await self._process.until_dead()
        self._process = None
        raise AssertionError(f"The server did not start:\n{self._log.read_text()[-4000:]}")

    async def _end(self, by: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.send(by)
        await process.until_dead()

    @property
    def _log(self) -> Path:
        return self.data / "server.log"


class Process:
    """A forked `sayso`: what it prints, and whether it is dead."""

    def __init__(
        self, pid: int, output: asyncio.StreamReader, report: asyncio.StreamReader
    ) -> None:
        self.output = output
        self._pid, self._report = pid, report

    @classmethod
    async def start(
        cls, arguments: Sequence[str], environment: Mapping[str, str], log: int
    ) -> Process:
        output, its_output = await _pipe()
        report, its_report = await _pipe()
        with its_output, its_report:
            files = (its_output.fileno(), log, its_report.fileno())
            fork_server.start(arguments, environment, files)
        return cls(int(await report.readline()), output, report)

    def send(self, number: signal.Signals) -> None:
        """A signal; to one that is dead already, none."""
        if not self._report.at_eof():
            with suppress(ProcessLookupError):
                os.kill(self._pid, number)

    async def until_dead(self) -> None:
        await self._report.read()
        await self.output.read()


async def _pipe() -> tuple[asyncio.StreamReader, BinaryIO]:
    """A pipe: its end that is read here, and the one that another process writes to."""
    read, write = os.pipe()
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(read, "rb", 0)
    )
    return reader, os.fdopen(write, "wb", 0)


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
