"""What is saved of a run of AutoGen, and how a copy of its agent is told of the chat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from autogen_agentchat.base import ChatAgent
from autogen_agentchat.messages import TextMessage
from autogen_agentchat.teams import BaseGroupChat
from autogen_core.model_context import ChatCompletionContext
from autogen_core.models import AssistantMessage, UserMessage
from pydantic_core import to_jsonable_python

from sayso.adapters.state_codec import SavedFields, StateCodec
from sayso.core.digest import JsonObject
from sayso.core.tasks import UniversalMessage

CODEC = StateCodec(framework="autogen-agentchat", distribution="autogen-agentchat", format=1)


@dataclass
class AutoGenState(SavedFields):
    """The state before this turn, and the record of the turn."""

    codec: ClassVar[StateCodec] = CODEC

    #: The agent's own `save_state`, before the turn; after it, where this is the chat's memory.
    state: Any
    replies: dict[str, list[JsonObject]] = field(default_factory=dict)
    #: Turns of agents that cannot be played again.
    turns: dict[str, Any] = field(default_factory=dict)
    #: (path, call key, state after that call) of every task that a delegate has done.
    delegates: list[tuple[str, str, Any]] = field(default_factory=list)
    #: [who, words] of earlier messages, for an agent that keeps no messages itself.
    untold: list[list[str]] = field(default_factory=list)
    #: How many messages of people the memory has seen; later ones are told from the chat.
    people: int = 0

    @classmethod
    def load(cls, blob: bytes, written_by: str) -> Self:
        with CODEC.load(blob, written_by) as body:
            body.pop("speaker", None)  # of earlier versions, which said all under one name
            made = cls(**body)
            made.delegates = [(path, key, state) for path, key, state in made.delegates]
            return made


async def restore(
    runner: Any, state: Any, missed: Sequence[UniversalMessage], name: str, written_by: str
) -> list[list[str]]:
    """Bring a copy to a state (None: as it was made), and tell it what was said in the chat
    meanwhile. Returns what it has no place for."""
    told = [
        ("user" if message.role == "user" else name, message.content)
        for message in missed
        if message.role in ("user", "assistant") and message.content
    ]
    if isinstance(runner, BaseGroupChat) and told:
        # Loaded once, with the messages: a selector's state adds up where it is loaded twice.
        known = state if state is not None else to_jsonable_python(await runner.save_state())
        await load_into(runner, _told_to_all(known, told), written_by)
        return []
    if state is not None:
        await load_into(runner, state, written_by)
    context = getattr(runner, "_model_context", None)
    if not isinstance(context, ChatCompletionContext):
        return [list(one) for one in told] if isinstance(runner, ChatAgent) else []
    for who, words in told:
        made = UserMessage if who == "user" else AssistantMessage
        await context.add_message(made(content=words, source=who))
    return []


def _told_to_all(state: Any, told: Sequence[tuple[str, str]]) -> Any:
    """Add messages to what each member has still to read, and to the team's thread: as a task, old
    words could end the new turn (a TextMentionTermination)."""
    messages = [TextMessage(source=who, content=words).dump() for who, words in told]
    members = {
        name: {
            key: [*value, *messages] if key in ("message_buffer", "message_thread") else value
            for key, value in member.items()
        }
        for name, member in state["agent_states"].items()
    }
    return to_jsonable_python({**state, "agent_states": members})


async def load_into(runner: Any, state: Any, written_by: str) -> None:
    with CODEC.reading(written_by):
        await runner.load_state(state)
