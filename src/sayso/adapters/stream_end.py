"""Whether a reply that streams in chunks of OpenAI's chat completions has come to its end.

A connection that is closed in good order within a reply looks like its end to these clients. A
reply that is whole says how it ended, or what it took.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any


class WatchedStream:
    """A stream of chunks, as it is, which knows whether its end has come."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.has_ended = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    async def __aiter__(self) -> AsyncIterator[Any]:
        async for chunk in self._stream:
            self.has_ended = self.has_ended or _says_the_end(chunk)
            yield chunk


def _says_the_end(chunk: Any) -> bool:
    return bool(chunk.usage) or any(one.finish_reason for one in chunk.choices or ())
