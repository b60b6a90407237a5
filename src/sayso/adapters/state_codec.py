"""How an adapter's state becomes bytes and is read again: with a format number, and an error that
names both versions where it cannot be read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, ClassVar, Self

import orjson

from sayso.core.errors import StateUnreadable


@dataclass(frozen=True, kw_only=True)
class StateCodec:
    """The format of one adapter's state: written as `format`, read in that and in `older` ones."""

    #: The framework's name in messages, and the distribution that tells its version.
    framework: str
    distribution: str
    format: int
    older: tuple[int, ...] = ()
    pack: Callable[[object], bytes] = orjson.dumps
    unpack: Callable[[bytes], Any] = orjson.loads

    def written_by(self) -> str:
        """Return who writes states now. It is stored beside each of them."""
        return f"{self.framework} {version(self.distribution)}, format {self.format}"

    def dump(self, body: Mapping[str, object]) -> bytes:
        return self.pack({"format": self.format, **body})

    @contextmanager
    def load(self, blob: bytes, written_by: str) -> Iterator[dict[str, Any]]:
        """Give what `dump` was given to a block that reads it. Raises StateUnreadable, also for
        what the block cannot make sense of."""
        with self.reading(written_by):
            body = self.unpack(blob)
            found = body.pop("format")
            if found not in (self.format, *self.older):
                raise ValueError(f"its format is {found}, not {self.format}")
            yield body

    @contextmanager
    def reading(self, written_by: str) -> Iterator[None]:
        """Raise StateUnreadable for whatever in the block does not fit."""
        try:
            yield
        # pydantic's errors are ValueErrors
        except (ValueError, KeyError, TypeError, AttributeError, ImportError) as exc:
            raise self.unreadable(written_by, exc) from exc

    def unreadable(self, written_by: str, why: object) -> StateUnreadable:
        return StateUnreadable(
            f"The saved state ({written_by}) cannot be read by {self.written_by()}: {why}"
        )


class SavedFields:
    """A dataclass that is saved under the names of its fields."""

    codec: ClassVar[StateCodec]

    def dump(self) -> bytes:
        return self.codec.dump(vars(self))

    @classmethod
    def load(cls, blob: bytes, written_by: str) -> Self:
        """Raises StateUnreadable."""
        with cls.codec.load(blob, written_by) as body:
            return cls(**body)
