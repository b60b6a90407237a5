"""What is saved of a run of ADK: how it began, the record to play it again by, and the artifacts of
a chat whose agent has no service for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson
from google.adk.artifacts import InMemoryArtifactService
from google.adk.events.event import Event
from google.adk.sessions.state import State
from pydantic import JsonValue
from pydantic_core import to_jsonable_python

from sayso.adapters.state_codec import StateCodec
from sayso.core.digest import JsonObject
from sayso.core.errors import NotSupportedError

CODEC = StateCodec(framework="google-adk", distribution="google-adk", format=1)


#: They are written with each state of a run: what is larger belongs into a service of its own.
MAX_ARTIFACTS_BYTES = 1_000_000


class ChatArtifacts(InMemoryArtifactService):
    """The artifacts of one chat."""

    @classmethod
    def load(cls, kept: JsonValue) -> ChatArtifacts:
        return cls.model_validate_json(orjson.dumps(kept)) if kept else cls()

    def dump(self) -> JsonValue:
        """Return them as JSON; None where there are none."""
        if not self.artifacts:
            return None
        found: JsonValue = orjson.loads(self._as_json())
        return found

    async def save_artifact(self, **given: Any) -> int:
        before = {path: list(versions) for path, versions in self.artifacts.items()}
        version = await super().save_artifact(**given)
        if len(self._as_json()) > MAX_ARTIFACTS_BYTES:
            self.artifacts = before
            raise NotSupportedError(
                f"The artifacts of this chat would be larger than {MAX_ARTIFACTS_BYTES} bytes.",
                fix="Serve a Runner that has an artifact_service.",
            )
        return version

    def _as_json(self) -> str:
        return self.model_dump_json(exclude_none=True)


@dataclass
class SavedSession:
    """What the agents remember of the chat: ADK's session."""

    events: list[Event] = field(default_factory=list)
    state: JsonObject = field(default_factory=dict)
    #: How many messages of people it has seen; later ones are told from the chat.
    turns: int = 0
    #: What its tools saved, as ChatArtifacts writes it.
    artifacts: JsonValue = None

    def dump(self) -> bytes:
        lasting = {k: v for k, v in self.state.items() if not k.startswith(State.TEMP_PREFIX)}
        return CODEC.dump(
            {
                "events": [orjson.Fragment(dump_event(event)) for event in self.events],
                "state": to_jsonable_python(lasting),
                "turns": self.turns,
                **({"artifacts": self.artifacts} if self.artifacts is not None else {}),
            }
        )

    @classmethod
    def load(cls, blob: bytes, written_by: str) -> SavedSession:
        with CODEC.load(blob, written_by) as body:
            events = [load_event(orjson.dumps(event)) for event in body["events"]]
            artifacts = body.get("artifacts")
            return cls(events, dict(body["state"]), int(body["turns"]), artifacts)


@dataclass
class AdkRecord:
    """The run so far: how it began, and what came from outside of it."""

    began: SavedSession
    message: str
    #: Replies of models, as ADK's events, by the moment that asked for them.
    replies: dict[str, list[bytes]] = field(default_factory=dict)
    #: What the agents' own tools did to the session (ADK's EventActions), by call key.
    actions: dict[str, JsonObject] = field(default_factory=dict)
    #: What a tool that asked for a confirmation by itself wants to get back, by call key.
    payloads: dict[str, JsonValue] = field(default_factory=dict)
    #: What a long-running tool returned whose result is still to come, by call key.
    returned: dict[str, JsonValue] = field(default_factory=dict)
    #: What the tools saved so far, as ChatArtifacts writes it.
    artifacts: JsonValue = None
    #: How many characters of each speaker were said in whole messages.
    told: dict[str, int] = field(default_factory=dict)
    #: The beginning as it is saved: it does not change, and may be long.
    began_dumped: bytes | None = None

    def dump(self) -> bytes:
        if self.began_dumped is None:
            self.began_dumped = self.began.dump()
        body = vars(self) | {
            "began": orjson.Fragment(self.began_dumped),
            "replies": {at: list(map(orjson.Fragment, some)) for at, some in self.replies.items()},
        }
        del body["began_dumped"]
        return CODEC.dump(body)

    @classmethod
    def load(cls, blob: bytes, written_by: str) -> AdkRecord:
        with CODEC.load(blob, written_by) as body:
            began = orjson.dumps(body["began"])
            return cls(
                **body
                | {
                    "began": SavedSession.load(began, written_by),
                    "began_dumped": began,
                    "replies": {
                        at: list(map(orjson.dumps, some)) for at, some in body["replies"].items()
                    },
                }
            )

    def read_reply(self, at: str) -> Sequence[Event]:
        with CODEC.reading("this run"):
            return [load_event(one) for one in self.replies[at]]


def dump_event(event: Event) -> bytes:
    return event.model_dump_json(by_alias=True, exclude_none=True).encode()


def load_event(raw: bytes) -> Event:
    return Event.model_validate_json(raw)
