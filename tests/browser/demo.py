"""The product as people start it: `sayso demo` in a process of its own, which a test may kill."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
from pathlib import Path

import httpx

START_SECONDS = 30


class Demo:
    """One demo on one port over one folder, through as many lives as a test wants."""

    def __init__(self, data: Path) -> None:
        self.data = data
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None

    async def start(self) -> None:
        self._launch()
        async with asyncio.timeout(START_SECONDS), httpx.AsyncClient() as client:
            # Another process's readiness has no event to wait for.
            while not await self._answers(client):  # noqa: ASYNC110
                await asyncio.sleep(0.05)

    def _launch(self) -> None:
        command = [sys.executable, "-m", "sayso", "demo", "--no-open"]
        command += ["--port", str(self.port), "--data", str(self.data)]
        self.data.mkdir(parents=True, exist_ok=True)
        with (self.data / "demo.log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)

    async def _answers(self, client: httpx.AsyncClient) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, (self.data / "demo.log").read_text()
        try:
            return (await client.get(f"{self.url}/api/health")).is_success
        except httpx.TransportError:
            return False

    def kill(self) -> None:
        """As a power cut would: nothing is finished, nothing is told."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
