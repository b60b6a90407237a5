"""What a run of ADK leaves in the blob: how it began, and the record to play it again by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version

import orjson
from google.adk.events.event import Event
from google.adk.sessions.state import State
from pydantic_core import to_jsonable_python

from sayso.core.digest import JsonObject
from sayso.core.errors import StateUnreadable

FORMAT = 1


@dataclass
class Memory:
    """What the agents remember of the chat: ADK's session."""

    events: list[Event] = field(default_factory=list)
    state: JsonObject = field(default_factory=dict)
    #: How many messages of people it has seen; later ones are told from the chat.
    turns: int = 0

    def dump(self) -> bytes:
        lasting = {k: v for k, v in self.state.items() if not k.startswith(State.TEMP_PREFIX)}
        return orjson.dumps(
            {
                "format": FORMAT,
                "events": [orjson.Fragment(dump_event(event)) for event in self.events],
                "state": to_jsonable_python(lasting),
                "turns": self.turns,
            }
        )

    @classmethod
    def load(cls, blob: bytes, written_by: str) -> Memory:
        try:
            body = orjson.loads(blob)
            _check_format(body)
            events = [load_event(orjson.dumps(event)) for event in body["events"]]
            return cls(events, dict(body["state"]), int(body["turns"]))
        except (ValueError, KeyError, TypeError) as exc:  # pydantic's errors are ValueErrors
            raise _unreadable(written_by, exc) from exc


@dataclass
class Record:
    """The run so far: how it began, and what came from outside of it."""

    began: Memory
    message: str
    #: Replies of models, as ADK's events, by the moment that asked for them.
    replies: dict[str, list[bytes]] = field(default_factory=dict)
    #: What the agents' own tools did to the session (ADK's EventActions), by call key.
    actions: dict[str, JsonObject] = field(default_factory=dict)
    #: What a tool that asked for a confirmation by itself wants to get back, by call key.
    payloads: dict[str, object] = field(default_factory=dict)
    #: How many characters of each speaker were said in whole messages.
    told: dict[str, int] = field(default_factory=dict)
    #: The beginning as it lies in the blob: it does not change, and may be long.
    began_dumped: bytes | None = None

    def dump(self) -> bytes:
        if self.began_dumped is None:
            self.began_dumped = self.began.dump()
        replies = {at: [orjson.Fragment(one) for one in some] for at, some in self.replies.items()}
        return orjson.dumps(
            {
                "format": FORMAT,
                "began": orjson.Fragment(self.began_dumped),
                "message": self.message,
                "replies": replies,
                "actions": self.actions,
                "payloads": self.payloads,
                "told": self.told,
            }
        )

    @classmethod
    def load(cls, blob: bytes, written_by: str) -> Record:
        try:
            body = orjson.loads(blob)
            _check_format(body)
            began = orjson.dumps(body["began"])
            replies = {
                str(at): [orjson.dumps(one) for one in some] for at, some in body["replies"].items()
            }
            return cls(
                began=Memory.load(began, written_by),
                message=str(body["message"]),
                replies=replies,
                actions=dict(body["actions"]),
                payloads=dict(body["payloads"]),
                told={str(key): int(count) for key, count in body["told"].items()},
                began_dumped=began,
            )
        except (ValueError, KeyError, TypeError, AttributeError) as exc:
            raise _unreadable(written_by, exc) from exc

    def read_reply(self, at: str) -> Sequence[Event]:
        try:
            return [load_event(one) for one in self.replies[at]]
        except ValueError as exc:
            raise _unreadable("this run", exc) from exc


def dump_event(event: Event) -> bytes:
    return event.model_dump_json(by_alias=True, exclude_none=True).encode()


def load_event(raw: bytes) -> Event:
    return Event.model_validate_json(raw)


def versions() -> str:
    return f"google-adk {version('google-adk')}, format {FORMAT}"


def _check_format(body: JsonObject) -> None:
    if body["format"] != FORMAT:
        raise ValueError(f"its format is {body['format']}, not {FORMAT}")


def _unreadable(written_by: str, exc: Exception) -> StateUnreadable:
    return StateUnreadable(
        f"The session saved by {written_by} cannot be read by {versions()}: {exc}"
    )
