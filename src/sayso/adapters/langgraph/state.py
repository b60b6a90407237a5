"""What is saved of a run, and of an agent's memory: the graph's checkpoints, or where its own
checkpointer keeps them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import ormsgpack

from sayso.adapters.state_codec import SavedFields, StateCodec

CODEC = StateCodec(
    framework="langgraph",
    distribution="langgraph",
    format=1,
    pack=ormsgpack.packb,
    unpack=ormsgpack.unpackb,
)


@dataclass
class GraphState(SavedFields):
    codec: ClassVar[StateCodec] = CODEC

    thread: str
    checkpoints: bytes = b""
    checkpoint_id: str = ""
    turns: int = 0
    #: The messages that were said, by id, with a digest of the text of those that were streamed, so
    #: that no node's output says them again.
    said: dict[str, str] = field(default_factory=dict)
    #: The nodes that are next, while the run waits.
    next: list[str] = field(default_factory=list)
