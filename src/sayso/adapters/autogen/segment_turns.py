"""What all agents of one segment share: what is saved of it, the toolbox, the record of their
models and turns, and the person they talk to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from autogen_agentchat.base import ChatAgent
from autogen_agentchat.messages import (
    BaseChatMessage,
    HandoffMessage,
    TextMessage,
    ToolCallSummaryMessage,
)
from autogen_agentchat.teams import BaseGroupChat
from autogen_core import CancellationToken
from autogen_core.model_context import ChatCompletionContext
from autogen_core.models import AssistantMessage, CreateResult, UserMessage
from pydantic_core import to_jsonable_python

from sayso.adapters.autogen.model_replies import RecordedReplies
from sayso.adapters.autogen.scope import AgentPlace, RunScope, StopRun
from sayso.adapters.contract import Segment
from sayso.adapters.state_codec import SavedFields, StateCodec
from sayso.adapters.text_queue import SayText
from sayso.core.children import Request
from sayso.core.digest import JsonObject
from sayso.core.tasks import UniversalMessage
from sayso.core.usage import ModelCall
from sayso.tools import questions
from sayso.tools.answer_messages import approval_answer

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


#: What an agent hears instead of an answer.
_UNANSWERED = "The person did not answer ({status})."


class AutoGenTurns:
    """The turns of one segment of an agent or a team of AutoGen."""

    def __init__(self, segment: Segment, say: SayText) -> None:
        self._segment, self._say = segment, say
        self.name, self.toolbox = segment.agent_name, segment.toolbox
        self.replies = RecordedReplies(on_whole=self._mark_whole)
        #: Turns of agents that cannot be played again, by their key.
        self.recorded_turns: dict[str, Any] = {}
        #: The cards that this segment asked for, by their keys.
        self.requests: dict[str, Request] = {}
        self.state = AutoGenState(None)
        #: Where each agent stands whose model has spoken, by its name.
        self._spoke: dict[str, AgentPlace] = {}
        self._people = {"user"}
        self._asked: dict[str, int] = {}

    def name_of(self, place: AgentPlace) -> str:
        """Return the name people know an agent by: the root's is the one it is served under."""
        return place.known_as or place.name

    async def say(self, place: AgentPlace, text: str) -> None:
        """Say what a model of the agent says."""
        self._spoke.setdefault(place.name, place)
        await self._speak(place, text)

    async def _speak(self, place: AgentPlace, text: str) -> None:
        """Say, under the agent's name, what has not been said before."""
        fresh = self._segment.env.journal.say(f"text:{place.path}", text)
        speaker = self.name_of(place)
        if fresh:
            await self._say(fresh, None if speaker == self.name else speaker)

    async def replied(self, place: AgentPlace, result: CreateResult) -> None:
        """Tell what a reply took, and what the model thought before it."""
        used, speaker = result.usage, self.name_of(place)
        call = ModelCall(
            agent_name=speaker,
            input_tokens=used.prompt_tokens,
            output_tokens=used.completion_tokens,
        )
        is_known = bool(used.prompt_tokens or used.completion_tokens) and not result.cached
        # Beside calls it is what the model says.
        thought = result.thought if isinstance(result.content, str) else None
        await self._segment.env.model_replied(call if is_known else None, thought or "", speaker)

    def _mark_whole(self, path: str) -> None:
        self._segment.env.journal.mark_whole(f"text:{path}")

    async def hear(self, message: object) -> None:
        """Say a message that no recorded model has said: summaries of calls, and what agents say by
        themselves."""
        if not isinstance(message, BaseChatMessage) or self.requests:
            return
        if message.source in self._people:
            return
        said = message.source in self._spoke
        if said and not isinstance(message, ToolCallSummaryMessage | HandoffMessage):
            return
        place = self._spoke.get(message.source) or self._place_of(message.source)
        await self._speak(place, message.to_text())
        self._mark_whole(place.path)

    def _place_of(self, source: str) -> AgentPlace:
        """Return a place for an agent that has no model here."""
        is_root = source == getattr(self._segment.agent, "name", None)
        return AgentPlace(source, known_as=self.name if is_root else None)

    async def ask_person(
        self,
        scope: RunScope,
        place: AgentPlace,
        name: str,
        prompt: str,
        token: CancellationToken | None,
    ) -> str:
        """Ask the person by a card: a UserProxyAgent calls this instead of its `input_func`."""
        scope.check()
        self._people.add(name)
        _, handed_over, rest = prompt.partition("Handoff received from ")
        who = rest.partition(".")[0] if handed_over else ""
        said = self.answer(place.path, hands_over(who) if who else "What do you say?", who)
        if said is None:
            scope.pending = True
            raise StopRun
        return said

    def answer(self, path: str, words: str, who: str = "") -> str | None:
        """Return the person's answer to the next question of this place; None where it is open.
        `who` asks it, where that is not the run's own agent."""
        number = self._asked[path] = self._asked.get(path, 0) + 1
        key = f"{path}?{number}"
        it = self._segment.env.answer(key)
        if it is None:
            card = questions.question(words, [], True, {})
            self.requests[key] = questions.request(
                key, card, {}, agent_name=who or self.name, tool_call_id=None
            )
            return None
        outcome = approval_answer(it)
        if it.response is None or not outcome.approved:
            return _UNANSWERED.format(status=outcome.status)
        data = it.response.response_data
        return data.additional_notes or data.selected_option or ""


def hands_over(who: str) -> str:
    return f"{who} hands over to you. What do you say?"
