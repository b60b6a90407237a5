"""What lies in a run's state and in an agent's memory: the graph's checkpoints, or where its own
checkpointer has them."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.metadata import version

import ormsgpack

from sayso.core.errors import StateUnreadable

FORMAT = 1


@dataclass
class Saved:
    thread: str
    checkpoints: bytes = b""
    checkpoint_id: str = ""
    turns: int = 0
    #: The messages that were said, by id, with a digest of the text of those that were streamed: no
    #: node's output says them again.
    said: dict[str, str] = field(default_factory=dict)
    #: The nodes that are next, while the run waits.
    next: list[str] = field(default_factory=list)

    def dump(self) -> bytes:
        return ormsgpack.packb({"format": FORMAT, **vars(self)})

    @classmethod
    def load(cls, blob: bytes, written_by: str) -> Saved:
        try:
            body = ormsgpack.unpackb(blob)
            if body.pop("format") != FORMAT:
                raise ValueError("it has another format")
            return cls(**body)
        except (ValueError, KeyError, TypeError, AttributeError) as exc:
            raise unreadable(written_by, exc) from exc


def unreadable(written_by: str, why: object) -> StateUnreadable:
    return StateUnreadable(
        f"The saved graph ({written_by}) cannot be read by {written_with()}: {why}"
    )


def written_with() -> str:
    return f"langgraph {version('langgraph')}, format {FORMAT}"
