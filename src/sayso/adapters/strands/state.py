"""What is saved of a run of Strands: for each agent that runs, the framework's own snapshot."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import orjson

from sayso.adapters.state_codec import StateCodec
from sayso.core.digest import JsonObject

#: Under this name the state is kept, and the adapter is known.
NAME = "strands"
_BYTES = "__bytes__"


def _as_text(value: object) -> JsonObject:
    """Return the bytes of an image or a document as JSON."""
    if isinstance(value, bytes):
        return {_BYTES: base64.b64encode(value).decode()}
    raise TypeError(f"{type(value).__name__} is no part of a message")


def _unpack(blob: bytes) -> Any:
    found = orjson.loads(blob)
    return _with_bytes(found) if _BYTES.encode() in blob else found


def _with_bytes(value: Any) -> Any:
    match value:
        case {"__bytes__": str(text)}:
            return base64.b64decode(text)
        case dict():
            return {name: _with_bytes(one) for name, one in value.items()}
        case list():
            return [_with_bytes(one) for one in value]
        case _:
            return value


CODEC = StateCodec(
    framework=NAME,
    distribution="strands-agents",
    format=1,
    pack=partial(orjson.dumps, default=_as_text),
    unpack=_unpack,
)


@dataclass
class AgentRow:
    """What is known of one run of one agent."""

    #: The framework's own snapshot; None before the run has begun.
    snapshot: dict[str, Any] | None = None
    #: Whether what it was asked is in there.
    asked: bool = False
    #: How often its model has replied.
    replies: int = 0
    #: The calls of the newest reply whose arguments are no JSON object.
    unreadable: list[str] = field(default_factory=list)
    #: How it ended: the reason, the message, and its structured answer.
    ended: dict[str, Any] | None = None


@dataclass
class StrandsState:
    """What is saved, under the names of these fields. The chat's memory has the first three."""

    #: The agents that run, by where they stand; the segment's own is at "".
    agents: dict[str, AgentRow]
    #: How many messages of people the memory has seen; later ones are told from the chat.
    people: int = 0
    #: What agents behind tools remember of the chat, by the names of their tools.
    kept: dict[str, Any] = field(default_factory=dict)
    #: The calls that end the turn, with the framework's last words for it.
    stops: dict[str, str | None] = field(default_factory=dict)

    def dump(self) -> bytes:
        agents = {path: vars(row) for path, row in self.agents.items()}
        return CODEC.dump({**vars(self), "agents": agents})

    @classmethod
    def load(cls, blob: bytes, written_by: str) -> StrandsState:
        with CODEC.load(blob, written_by) as body:
            rows = {path: AgentRow(**row) for path, row in body.pop("agents").items()}
            return cls(rows, **body)
