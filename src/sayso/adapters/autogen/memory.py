"""What is saved of a run of AutoGen, and how a copy of its agent is told of the chat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

import orjson
from autogen_agentchat.base import ChatAgent
from autogen_agentchat.messages import TextMessage
from autogen_agentchat.teams import BaseGroupChat
from autogen_core.model_context import ChatCompletionContext
from autogen_core.models import AssistantMessage, UserMessage
from pydantic_core import to_jsonable_python

from sayso.core.digest import JsonObject
from sayso.core.errors import StateUnreadable
from sayso.core.tasks import UniversalMessage

FORMAT = 1


@dataclass
class Saved:
    """What lies in the blob: the state before this turn, and what the turn has come to."""

    #: The agent's own `save_state`, before the turn; after it, where this is the chat's memory.
    state: Any
    replies: dict[str, list[JsonObject]] = field(default_factory=dict)
    #: Turns of agents that cannot be played again.
    turns: dict[str, Any] = field(default_factory=dict)
    #: (path, call key, state after that call) of every task that a delegate has done.
    delegates: list[tuple[str, str, Any]] = field(default_factory=list)
    #: Who spoke last: another one's words begin a new paragraph.
    speaker: str = ""
    #: [who, words] of earlier messages, for an agent that keeps no messages itself.
    untold: list[list[str]] = field(default_factory=list)
    #: How many messages of people the memory has seen; later ones are told from the chat.
    people: int = 0

    def dump(self) -> bytes:
        return orjson.dumps({"format": FORMAT, **vars(self)})

    @classmethod
    def load(cls, blob: bytes, written_by: str) -> Saved:
        try:
            body = orjson.loads(blob)
            if body.pop("format") != FORMAT:
                raise ValueError("its format is another")
            made = cls(**body)
            made.delegates = [(path, key, state) for path, key, state in made.delegates]
            return made
        except (ValueError, KeyError, TypeError, AttributeError) as exc:
            raise unreadable(written_by, exc) from exc


async def restore(
    runner: Any, state: Any, missed: Sequence[UniversalMessage], name: str, written_by: str
) -> list[list[str]]:
    """Bring a copy to a state (None: as it was made), and tell it what was said in the chat
    meanwhile. Gives back what it has no place for."""
    told = [
        ("user" if message.role == "user" else name, message.content)
        for message in missed
        if message.role in ("user", "assistant") and message.content
    ]
    if isinstance(runner, BaseGroupChat) and told:
        # Loaded once, told and all: a selector's state adds up where it is loaded twice.
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
    """Into what each member has still to read, and into the team's thread: as a task, old words
    could end the new turn (a TextMentionTermination)."""
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
    try:
        await runner.load_state(state)
    except (ValueError, KeyError, TypeError, AttributeError) as exc:  # pydantic's are ValueErrors
        raise unreadable(written_by, exc) from exc


def unreadable(written_by: str, exc: Exception) -> StateUnreadable:
    return StateUnreadable(
        f"The saved state ({written_by}) cannot be read by {written_by_now()}: {exc}"
    )


def written_by_now() -> str:
    return f"autogen-agentchat {version('autogen-agentchat')}, format {FORMAT}"
