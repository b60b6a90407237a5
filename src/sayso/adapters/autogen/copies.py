"""A run's own copy of an agent or a team: its state is its own, its models and tools go through our
seams.

The application's objects are never touched, so two runs of one agent never see each other. What is
not state (tools, prompts, functions, memories) is shared.
"""

from __future__ import annotations

import copy
from collections.abc import AsyncGenerator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from autogen_agentchat.agents import (
    AssistantAgent,
    BaseChatAgent,
    CodeExecutorAgent,
    MessageFilterAgent,
    SocietyOfMindAgent,
    UserProxyAgent,
)
from autogen_agentchat.base import ChatAgent, Response, Team, TerminationCondition
from autogen_agentchat.messages import BaseAgentEvent, BaseChatMessage, MessageFactory
from autogen_agentchat.teams import BaseGroupChat
from autogen_core import CancellationToken
from autogen_core.code_executor import CodeExecutor
from autogen_core.model_context import ChatCompletionContext
from autogen_core.models import ChatCompletionClient
from autogen_core.tools import Workbench
from pydantic_core import to_jsonable_python

from sayso.adapters.autogen.code import GatedExecutor
from sayso.adapters.autogen.replies import RecordedClient
from sayso.adapters.autogen.seams import Place, Scope, Stop
from sayso.adapters.autogen.tools import Calls, SaysoWorkbench, delegates_of
from sayso.adapters.finding import check_has
from sayso.core.errors import NotSupportedError

if TYPE_CHECKING:
    from sayso.adapters.autogen.run import Run

#: Agents that do everything through a model, a workbench or a code executor: they are played again.
#: Any other agent's turn is recorded, and given from the record.
_PLAYED = (
    AssistantAgent,
    CodeExecutorAgent,
    MessageFilterAgent,
    SocietyOfMindAgent,
    UserProxyAgent,
)


#: What of them, beyond what AutoGen documents, the copies read or have for their own.
_READ: dict[type, tuple[str, ...]] = {
    AssistantAgent: ("_workbench", "_model_client", "_handoffs", "_model_context"),
    UserProxyAgent: ("_is_async",),
    BaseGroupChat: (
        "_participants",
        "_runtime",
        "_name",
        "_description",
        "_group_chat_manager_name",
        "_base_group_chat_manager_class",
        "_termination_condition",
        "_max_turns",
        "_emit_team_events",
        "_message_factory",
    ),
}


def check_parts(runner: object) -> None:
    """Raises NotSupportedError for what this version of AutoGen has otherwise, in a team or any
    agent of it."""
    for kind, names in _READ.items():
        if isinstance(runner, kind):
            check_has(runner, *names)
    if isinstance(runner, BaseGroupChat):
        for member in runner._participants:
            check_parts(member)


class Copies:
    """Makes the copies of one scope."""

    def __init__(self, run: Run, scope: Scope, *, ours: bool) -> None:
        self._run, self._scope = run, scope
        #: Whether its agents have the application's tools.
        self._ours = ours

    def of(self, runner: object, place: Place) -> Any:
        """The copy of an agent or a team."""
        if isinstance(runner, BaseGroupChat):
            return self._team(runner, place)
        if isinstance(runner, ChatAgent):
            return self._agent(runner, place)
        raise NotSupportedError(f"{runner!r} is neither an agent nor a team of AutoGen.")

    def _team(self, team: BaseGroupChat, place: Place) -> BaseGroupChat:
        mine: Any = copy.copy(team)
        # The model of a team itself chooses who speaks: that is not said to anyone.
        own = Place(place.name, place.above, speaks=False)
        for name, value in vars(team).items():
            if name not in ("_participants", "_runtime"):
                setattr(mine, name, self._own(value, own))
        participants = [
            self.of(member, Place(member.name, place, place.speaks))
            for member in team._participants
        ]
        # A team's queues and its runtime are made here: they belong to one object alone.
        BaseGroupChat.__init__(
            mine,
            name=team._name,
            description=team._description,
            participants=participants,
            group_chat_manager_name=team._group_chat_manager_name,
            group_chat_manager_class=team._base_group_chat_manager_class,
            termination_condition=mine._termination_condition,
            max_turns=team._max_turns,
            emit_team_events=team._emit_team_events,
        )
        mine._message_factory = team._message_factory
        made: BaseGroupChat = mine
        return made

    def _agent(self, agent: ChatAgent, place: Place) -> ChatAgent:
        played = isinstance(agent, _PLAYED)
        if not played:
            place.speaks = False  # its message is said when its turn is recorded
        mine: Any = copy.copy(agent)
        for name, value in vars(agent).items():
            setattr(mine, name, self._own(value, place))
        if isinstance(agent, UserProxyAgent):
            mine.input_func = partial(self._run.ask_for, self._scope, place, agent.name)
            mine._is_async = True
        if isinstance(agent, AssistantAgent):
            own = list(agent._workbench)
            can_call = agent._model_client.model_info["function_calling"]
            ours = self._run.toolbox.tools if self._ours and can_call else []
            delegates = {
                tool.name: partial(self._run.delegate, tool, place, self._scope)
                for tool in delegates_of(own)
            }
            calls = Calls(self._run, place, self._scope)
            mine._workbench = [
                SaysoWorkbench(
                    calls, [t for t in ours if t.name not in agent._handoffs], own, delegates
                )
            ]
        made: ChatAgent = mine
        return made if played else _Recorded(self._run, self._scope, made, place)

    def _own(self, value: object, place: Place) -> object:
        """What a copy holds in the place of this: its own where it is state or a seam, else the
        same."""
        match value:
            case ChatCompletionClient():
                say = partial(self._run.say, place.path) if place.speaks else None
                missed = Calls(self._run, place, self._scope).miss
                return RecordedClient(
                    value, place, self._scope, self._run.record, say=say, missed=missed
                )
            case ChatCompletionContext():
                return _fresh_context(value)
            case TerminationCondition():
                return _fresh_condition(value)
            case CodeExecutor():
                return GatedExecutor(value, Calls(self._run, place, self._scope), self._scope)
            case Workbench():
                return SaysoWorkbench(Calls(self._run, place, self._scope), [], [value], {})
            case ChatAgent() | Team():
                return self.of(value, Place(value.name, place, place.speaks))
            case list():
                return [self._own(one, place) for one in value]
            case dict():
                return {key: self._own(one, place) for key, one in value.items()}
            case _:
                return value


class _Recorded(BaseChatAgent):
    """An agent that Sayso knows nothing of: each turn of it runs once, and is given from the record
    when the run is played again. Its state is what its `save_state` says."""

    def __init__(self, run: Run, scope: Scope, agent: ChatAgent, place: Place) -> None:
        super().__init__(agent.name, agent.description)
        self._run, self._scope, self._agent, self._place = run, scope, agent, place
        self._factory = MessageFactory()
        for kind in agent.produced_message_types:
            if not self._factory.is_registered(kind):
                self._factory.register(kind)

    @property
    def produced_message_types(self) -> Sequence[type[BaseChatMessage]]:
        return self._agent.produced_message_types

    async def on_messages(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken
    ) -> Response:
        async for item in self.on_messages_stream(messages, cancellation_token):
            if isinstance(item, Response):
                return item
        raise AssertionError("a turn ends with its response")

    async def on_messages_stream(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken
    ) -> AsyncGenerator[BaseAgentEvent | BaseChatMessage | Response, None]:
        key = self._place.next_turn()
        known = self._run.turns.get(key)
        if known is None:
            self._scope.check()
            with self._scope.inside():
                response = await self._agent.on_messages(messages, cancellation_token)
            # It may have gone on past a call of its own that waits.
            self._scope.check()
            known = self._run.turns[key] = {
                "inner": [m.dump() for m in response.inner_messages or []],
                "message": response.chat_message.dump(),
                "state": to_jsonable_python(await self._agent.save_state()),
            }
        else:
            await self._agent.load_state(known["state"])
        inner = [self._factory.create(one) for one in known["inner"]]
        for one in inner:
            yield one
        message = self._factory.create(known["message"])
        if not isinstance(message, BaseChatMessage):
            raise Stop
        yield Response(chat_message=message, inner_messages=inner)

    async def on_reset(self, cancellation_token: CancellationToken) -> None:
        await self._agent.on_reset(cancellation_token)

    async def save_state(self) -> Mapping[str, Any]:
        return await self._agent.save_state()

    async def load_state(self, state: Mapping[str, Any]) -> None:
        await self._agent.load_state(state)


def _fresh_context(context: ChatCompletionContext) -> ChatCompletionContext:
    mine = copy.copy(context)
    mine._messages = list(context._messages)
    return mine


def _fresh_condition(condition: TerminationCondition) -> TerminationCondition:
    mine = copy.copy(condition)
    for name, value in vars(condition).items():
        match value:
            case TerminationCondition():
                setattr(mine, name, _fresh_condition(value))
            case list():
                fresh = [_fresh_condition(v) if _is_condition(v) else v for v in value]
                setattr(mine, name, fresh)
            case dict() | set():
                setattr(mine, name, copy.copy(value))
            case _:
                pass
    return mine


def _is_condition(value: object) -> bool:
    return isinstance(value, TerminationCondition)
