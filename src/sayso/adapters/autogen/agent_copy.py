"""A run's own copy of an agent or a team: its state is its own, its models are recorded, and its
tools are called by way of the toolbox.

The application's objects are never touched, so two runs of one agent never see each other. What is
not state (tools, prompts, functions, memories) is shared.
"""

from __future__ import annotations

import copy
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any

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
from autogen_agentchat.tools import AgentTool, TeamTool
from autogen_core import CancellationToken
from autogen_core.code_executor import CodeExecutor
from autogen_core.model_context import ChatCompletionContext
from autogen_core.models import ChatCompletionClient
from autogen_core.tools import FunctionTool, StaticWorkbench, Workbench
from pydantic_core import to_jsonable_python

from sayso.adapters.autogen.code_executor import RoutedExecutor
from sayso.adapters.autogen.model_replies import RecordedClient
from sayso.adapters.autogen.native_tool import delegates_of
from sayso.adapters.autogen.offered_tools import OfferedTool, offered, offered_strictly
from sayso.adapters.autogen.scope import AgentPlace, RunScope, StopRun
from sayso.adapters.autogen.segment_turns import AutoGenTurns
from sayso.adapters.autogen.tool_calls import AgentCalls, SaysoWorkbench
from sayso.adapters.registry import check_has
from sayso.core.errors import NotSupportedError

#: Agents that do everything through a model, a workbench or a code executor: they are played again.
#: Any other agent's turn is recorded, and given from the record.
PLAYED = (
    AssistantAgent,
    CodeExecutorAgent,
    MessageFilterAgent,
    SocietyOfMindAgent,
    UserProxyAgent,
)


#: What the copies read or have of their own, beyond what AutoGen documents.
READ: dict[type, tuple[str, ...]] = {
    StaticWorkbench: ("_tools", "_override_name_to_original"),
    FunctionTool: ("_func",),
    AgentTool: ("_task_runner",),
    TeamTool: ("_task_runner",),
    ChatCompletionContext: ("_messages",),
    AssistantAgent: (
        "_workbench",
        "_model_client",
        "_handoffs",
        "_model_context",
        "_output_content_type",
        "_model_client_stream",
    ),
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
    """Raise NotSupportedError where this version of AutoGen builds a team or an agent
    differently."""
    for kind, names in READ.items():
        if isinstance(runner, kind):
            check_has(runner, *names)
    if isinstance(runner, BaseGroupChat):
        for member in runner._participants:
            check_parts(member)
    if isinstance(runner, AssistantAgent):
        for part in (runner._model_context, *runner._workbench):
            check_parts(part)
    if isinstance(runner, StaticWorkbench):
        for tool in runner._tools:
            check_parts(tool)


#: Runs the task of a tool that passes it on: for this place, this scope, under the key of its call.
PassOn = Callable[[AgentTool | TeamTool, AgentPlace, RunScope, str, str], Awaitable[str]]


class AgentCopier:
    """Makes the copies of one scope."""

    def __init__(
        self, turns: AutoGenTurns, scope: RunScope, pass_on: PassOn, *, ours: bool
    ) -> None:
        self._turns, self._scope, self._pass_on = turns, scope, pass_on
        #: Whether its agents have the application's tools.
        self._ours = ours

    def of(self, runner: object, place: AgentPlace) -> Any:
        """Return the copy of an agent or a team."""
        if isinstance(runner, BaseGroupChat):
            return self._team(runner, place)
        if isinstance(runner, ChatAgent):
            return self._agent(runner, place)
        raise NotSupportedError(f"{runner!r} is neither an agent nor a team of AutoGen.")

    def _team(self, team: BaseGroupChat, place: AgentPlace) -> BaseGroupChat:
        mine: Any = copy.copy(team)
        # The model of a team itself chooses who speaks: that is not said to anyone.
        own = AgentPlace(place.name, place.above, speaks=False)
        for name, value in vars(team).items():
            if name not in ("_participants", "_runtime"):
                setattr(mine, name, self._own(value, own))
        participants = [
            self.of(member, AgentPlace(member.name, place, speaks=place.speaks))
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

    def _agent(self, agent: ChatAgent, place: AgentPlace) -> ChatAgent:
        played = isinstance(agent, PLAYED)
        if not played:
            place.speaks = False  # its message is said when its turn is recorded
        mine: Any = copy.copy(agent)
        for name, value in vars(agent).items():
            setattr(mine, name, self._own(value, place))
        if isinstance(agent, UserProxyAgent):
            mine.input_func = partial(self._turns.ask_person, self._scope, place, agent.name)
            mine._is_async = True
        if isinstance(agent, AssistantAgent):
            own = list(agent._workbench)
            delegates = {
                tool.name: partial(self._pass_on, tool, place, self._scope)
                for tool in delegates_of(own)
            }
            calls = AgentCalls(self._turns, place, self._scope)
            ours = self._offered(agent) if self._ours else {}
            mine._workbench = [SaysoWorkbench(calls, ours, own, delegates)]
        made: ChatAgent = mine
        return made if played else RecordedAgent(self._turns, self._scope, made, place)

    def _offered(self, agent: AssistantAgent) -> Mapping[str, OfferedTool]:
        if not agent._model_client.model_info["function_calling"]:
            return {}
        tools = [tool for tool in self._turns.toolbox.tools if tool.name not in agent._handoffs]
        return offered_strictly(tools) if agent._output_content_type else offered(tools)

    def _own(self, value: object, place: AgentPlace) -> object:
        """Return what a copy holds in place of this: one of its own for state, models and tools,
        else the same."""
        calls = AgentCalls(self._turns, place, self._scope)
        match value:
            case ChatCompletionClient():
                say = partial(self._turns.say, place) if place.speaks else None
                return RecordedClient(
                    value,
                    place,
                    self._scope,
                    self._turns.replies,
                    say=say,
                    replied=self._turns.replied,
                    unheard=calls.show_unheard,
                )
            case ChatCompletionContext():
                return _fresh_context(value)
            case TerminationCondition():
                return _fresh_condition(value)
            case CodeExecutor():
                return RoutedExecutor(value, calls, self._scope)
            case Workbench():
                return SaysoWorkbench(calls, {}, [value], {})
            case ChatAgent() | Team():
                return self.of(value, AgentPlace(value.name, place, speaks=place.speaks))
            case list():
                return [self._own(one, place) for one in value]
            case dict():
                return {key: self._own(one, place) for key, one in value.items()}
            case _:
                return value


class RecordedAgent(BaseChatAgent):
    """An agent that Sayso knows nothing of: each turn of it runs once, and is given from the record
    when the run is played again. Its state is what its `save_state` says."""

    def __init__(
        self, turns: AutoGenTurns, scope: RunScope, agent: ChatAgent, place: AgentPlace
    ) -> None:
        super().__init__(agent.name, agent.description)
        self._turns, self._scope, self._agent, self._place = turns, scope, agent, place
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
        known = self._turns.recorded_turns.get(key)
        if known is None:
            self._scope.check()
            with self._scope.inside():
                response = await self._agent.on_messages(messages, cancellation_token)
            # It may have gone on past a call of its own that waits.
            self._scope.check()
            known = self._turns.recorded_turns[key] = {
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
            raise StopRun
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
                setattr(mine, name, [_fresh_part(one) for one in value])
            case dict() | set():
                setattr(mine, name, copy.copy(value))
            case _:
                pass
    return mine


def _fresh_part(value: object) -> object:
    return _fresh_condition(value) if isinstance(value, TerminationCondition) else value
