"""What two byte strings share: a state that a run goes on from holds its agent's whole memory, and
is kept without it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

#: Less than this is not worth the look at the memory when it is read.
LEAST_BYTES = 1024
#: How much has to be alike for the rest to be compared, and where that is looked for.
_PROBE_BYTES = 64
_CHUNK = 4096


@dataclass(frozen=True, slots=True)
class SharedPart:
    """`length` bytes that stand at `start` in the memory, and at `at` in the state."""

    start: int
    length: int
    at: int


def shared_part(memory: bytes, state: bytes) -> SharedPart | None:
    """Return a long part that both have; None where there is none that is worth it."""
    for place in _places(len(memory)):
        found = state.find(memory[place : place + _PROBE_BYTES])
        if found < 0:
            continue
        before = _alike(memory[:place][::-1], state[:found][::-1])
        length = before + _alike(memory[place:], state[found:])
        if length >= max(LEAST_BYTES, len(memory) // 2):
            return SharedPart(place - before, length, found - before)
    return None


def without_part(state: bytes, part: SharedPart) -> bytes:
    return state[: part.at] + state[part.at + part.length :]


def with_part(rest: bytes, part: SharedPart, memory: bytes) -> bytes:
    """Return the state that `without_part` was given."""
    return rest[: part.at] + memory[part.start : part.start + part.length] + rest[part.at :]


def _places(size: int) -> Iterator[int]:
    """Yield where to look: behind what names a format, and farther in, where what comes first has
    changed."""
    for place in (32, size // 4, size // 2):
        if place + _PROBE_BYTES <= size:
            yield place


def _alike(a: bytes, b: bytes) -> int:
    """Return how many bytes at their beginnings are alike."""
    size, at = min(len(a), len(b)), 0
    while at < size and a[at : at + _CHUNK] == b[at : at + _CHUNK]:
        at += _CHUNK
    return next((n for n in range(min(at, size), size) if a[n] != b[n]), size)
