"""What a server that runs here writes beside the protocol: it goes to our log, a line each."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable
from types import TracebackType
from typing import TextIO

log = logging.getLogger("sayso.mcp")

_LONGEST_LINE = 2000


class ServerLog:
    """Enter it for the file that such a server gets as its standard error."""

    def __init__(self, name: str, clean: Callable[[str], str]) -> None:
        self._name, self._clean = name, clean

    async def __aenter__(self) -> TextIO:
        reading, writing = os.pipe()
        self._file = os.fdopen(writing, "w")
        self._pipe = os.fdopen(reading, "rb", 0)
        self._transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: _Lines(self._line), self._pipe
        )
        return self._file

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()
        self._transport.close()

    def _line(self, line: bytes) -> None:
        text = line[:_LONGEST_LINE].decode(errors="replace").rstrip()
        log.debug("%s: %s", self._name, self._clean(text))


class _Lines(asyncio.Protocol):
    def __init__(self, on_line: Callable[[bytes], None]) -> None:
        self._on_line, self._rest = on_line, b""

    def data_received(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._on_line(line)
        if len(self._rest) > _LONGEST_LINE:
            self._on_line(self._rest)
            self._rest = b""
