"""What can be said of a model's reply, whichever framework reads it: its calls as the model wrote
them, and whether it has come to its end."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

from sayso.core.digest import JsonObject


def object_in(written: str | None) -> JsonObject | None:
    """Return the arguments as the model wrote them; None where they are no JSON object."""
    try:
        found = json.loads(written or "{}")
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def free_id(call_id: str, taken: set[str]) -> str:
    """Return an id for a call that no other one has, and take it."""
    number, free = 1, call_id
    while free in taken:
        number += 1
        free = f"{call_id}_{number}"
    taken.add(free)
    return free


class WatchedStream:
    """A stream in chunks of OpenAI's chat completions, as it is, which knows whether its end has
    come: to these clients a connection that is closed within a reply looks like its end. A reply
    that is whole says how it ended, or what it took."""

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
