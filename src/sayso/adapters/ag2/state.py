"""What is saved of a run of AG2: events, by their classes, and what goes with them."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, ClassVar, TypeVar

import orjson
from ag2.annotations import Context
from ag2.context import ConversationContext, StreamId
from ag2.events import BaseEvent, DataInput, ModelMessage, ModelRequest, ModelResponse, TextInput

from sayso.adapters.state_codec import SavedFields, StateCodec
from sayso.core.digest import JsonObject
from sayso.core.tasks import UniversalMessage

log = logging.getLogger("sayso.adapters")
CODEC = StateCodec(
    framework="ag2",
    distribution="ag2",
    format=1,
    pack=partial(orjson.dumps, default=str, option=orjson.OPT_NON_STR_KEYS),
)
EventT = TypeVar("EventT", bound=BaseEvent)


@dataclass
class Ag2State(SavedFields):
    """As the chat's memory it has the first four only."""

    codec: ClassVar[StateCodec] = CODEC

    #: The history: in a turn that waits, up to the batch it goes on with.
    events: list[Any]
    variables: dict[str, Any] = field(default_factory=dict)
    #: What was enqueued for the model's next call.
    pending: list[Any] = field(default_factory=list)
    #: How many messages of people the memory has seen; later ones are told from the chat.
    people: int = 0
    prompt: list[str] = field(default_factory=list)
    #: Where this turn begins in the history, and how often its model has replied.
    start: int = 0
    replies: int = 0
    #: What the models of agents behind tools have said, for each place that asks one.
    nested: dict[str, list[Any]] = field(default_factory=dict)
    #: What was enqueued for calls of those models.
    enqueued: dict[str, list[Any]] = field(default_factory=dict)
    #: The framework's own results of this batch, with what they hold beyond JSON.
    results: dict[str, Any] = field(default_factory=dict)
    #: Streams that agents behind tools keep (`persistent_stream`), by the name they are kept under.
    streams: dict[str, Any] = field(default_factory=dict)


class Storage:
    """The histories of a run's streams, where a checkpoint can read them at once."""

    def __init__(self) -> None:
        self.events: dict[StreamId, list[BaseEvent]] = {}

    async def save_event(self, event: BaseEvent, context: Context) -> None:
        self.events.setdefault(context.stream.id, []).append(event)

    async def get_history(self, stream_id: StreamId) -> Iterable[BaseEvent]:
        return self.events.setdefault(stream_id, [])

    async def set_history(self, stream_id: StreamId, events: Iterable[BaseEvent]) -> None:
        self.events[stream_id] = list(events)

    async def drop_history(self, stream_id: StreamId) -> None:
        self.events.pop(stream_id, None)


def load_event(row: Any, written_by: str) -> BaseEvent:
    """Return the event of a row that `dump_event` made."""
    with CODEC.reading(written_by):
        cls = _class_of(row["type"])
    made: BaseEvent = load_body(cls, row["event"], written_by)
    return made


@cache
def _class_of(place: str) -> Any:
    module, _, name = place.partition(":")
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def load_body(cls: type[EventT], body: Any, written_by: str) -> EventT:
    """Return an event of this class from its own `to_dict`."""
    with CODEC.reading(written_by):
        made = cls.from_dict(body)
        if not isinstance(made, cls):
            raise TypeError(f"{cls} is not an event")
        return made


def dump_variables(context: ConversationContext) -> dict[str, Any]:
    """Return the variables that can be saved. An agent's own defaults come back with the agent."""
    found: dict[str, Any] = {}
    for name, value in context.variables.items():
        dumped = DataInput(value).to_dict()
        try:
            orjson.dumps(dumped)
        except TypeError:
            log.debug("the variable %r cannot be saved", name)
            continue
        found[str(name)] = dumped
    return found


class LoadedRows:
    """The rows of events that were loaded. Each is written once: a long chat is not written anew at
    every turn."""

    def __init__(self, events: Sequence[BaseEvent], rows: Sequence[Any]) -> None:
        self._known = {id(e): (e, row) for e, row in zip(events, rows, strict=True)}

    def of(self, events: Sequence[BaseEvent]) -> list[Any]:
        known = self._known
        return [known[id(e)][1] if id(e) in known else dump_event(e) for e in events]


def load_events(rows: Sequence[Any], written_by: str) -> list[BaseEvent]:
    return [load_event(row, written_by) for row in rows]


def dump_events(events: Iterable[BaseEvent]) -> list[JsonObject]:
    return [dump_event(event) for event in events]


def dump_event(event: BaseEvent) -> JsonObject:
    cls = type(event)
    return {"type": f"{cls.__module__}:{cls.__qualname__}", "event": event.to_dict()}


def as_events(message: UniversalMessage) -> list[BaseEvent]:
    match message.role:
        case "user":
            return [ModelRequest([TextInput(message.content)])]
        case "assistant" if message.content:
            return [ModelResponse(ModelMessage(message.content))]
        case _:
            return []
