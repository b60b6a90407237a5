"""What is saved of a conversation with an agent of Pydantic AI, and how a chat becomes one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import orjson
from pydantic_ai import ModelMessagesTypeAdapter
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    UserPromptPart,
)

from sayso.adapters.state_codec import StateCodec
from sayso.core.tasks import UniversalMessage

CODEC = StateCodec(framework="pydantic-ai", distribution="pydantic-ai-slim", format=2, older=(1,))


@dataclass
class Conversation:
    """What was said with an agent within a call, up to the newest reply of its model."""

    #: A digest of what it was asked.
    asked: str
    messages: list[ModelMessage] = field(default_factory=list)

    def as_json(self) -> dict[str, object]:
        return {"asked": self.asked, "messages": _fragment(self.messages)}


@dataclass
class PydanticAiState:
    """What is saved: the messages, and the calls that wait for people."""

    messages: list[ModelMessage]
    deferred: list[str] = field(default_factory=list)
    #: How many messages of people the memory has seen; later ones are told from the chat.
    turns: int = 0
    #: The conversations within calls that have not ended, by their place.
    said: Mapping[str, Conversation] = field(default_factory=dict)
    #: The calls that a person answers in the place of their tools, by key.
    outside: list[str] = field(default_factory=list)

    def dump(self) -> bytes:
        said = {place: one.as_json() for place, one in self.said.items()}
        return CODEC.dump({**vars(self), "messages": _fragment(self.messages), "said": said})

    @classmethod
    def load(cls, blob: bytes, written_by: str) -> PydanticAiState:
        read = ModelMessagesTypeAdapter.validate_python
        with CODEC.load(blob, written_by) as body:
            said = {
                str(place): Conversation(str(one["asked"]), read(one["messages"]))
                for place, one in body.get("said", {}).items()
            }
            outside = list(body.get("outside", ()))
            deferred, turns = list(body["deferred"]), int(body["turns"])
            return cls(read(body["messages"]), deferred, turns, said, outside)


def _fragment(messages: list[ModelMessage]) -> orjson.Fragment:
    return orjson.Fragment(ModelMessagesTypeAdapter.dump_json(messages))


def open_calls(messages: Sequence[ModelMessage]) -> list[ToolCallPart]:
    """Return the calls of the model's newest response."""
    newest = next((m for m in reversed(messages) if isinstance(m, ModelResponse)), None)
    return list(newest.tool_calls) if newest is not None else []


def responses(messages: Sequence[ModelMessage]) -> int:
    return sum(isinstance(message, ModelResponse) for message in messages)


def as_messages(messages: Sequence[UniversalMessage]) -> list[ModelMessage]:
    made: list[ModelMessage] = []
    for message in messages:
        match message.role:
            case "user":
                made.append(ModelRequest(parts=[UserPromptPart(message.content)]))
            case "system":
                made.append(ModelRequest(parts=[SystemPromptPart(message.content)]))
            case "assistant" if message.content:
                made.append(ModelResponse(parts=[TextPart(message.content)]))
            case _:
                pass
    return made
