"""A run's own copies of its agents, with their models and tools routed to us.

The application's objects are never touched: two runs of one agent never see each other.
"""

from __future__ import annotations

from copy import copy
from typing import Any

from agents import Agent, FunctionTool, Handoff, RunContextWrapper, Tool

from sayso.adapters.openai_agents.enclosing import Enclosing
from sayso.adapters.openai_agents.model_replies import RecordedModel, Replies
from sayso.adapters.openai_agents.tool_calls import Calls
from sayso.adapters.openai_agents.turn import Turn


class AgentCopies:
    """The copies for one run of an agent, and of all it may hand over to."""

    def __init__(self, turn: Turn, enclosing: Enclosing, path: str) -> None:
        self._enclosing, self._is_root = enclosing, not path
        self._replies = Replies(turn, enclosing, path)
        self._calls = Calls(turn, enclosing, self._replies)
        self._made: dict[int, Agent[Any]] = {}
        self._turn = turn

    def of(self, agent: Agent[Any]) -> Agent[Any]:
        known = self._made.get(id(agent))
        if known is not None:
            return known
        if any(agent is mine for mine in self._made.values()):
            return agent
        mine: Any = copy(agent)
        self._made[id(agent)] = mine
        mine.model = RecordedModel(agent, self._replies)
        mine.tool_use_behavior = self._calls.final_by(agent)
        mine.handoffs = [self._handoff(one) for one in agent.handoffs]

        async def get_all_tools(ctx: RunContextWrapper[Any]) -> list[Tool]:
            own = await agent.get_all_tools(ctx)
            given = self._calls.offered(mine.name) if self._is_root else []
            return [*(self._tool(tool, mine.name) for tool in own), *given]

        mine.get_all_tools = get_all_tools
        made: Agent[Any] = mine
        return made

    def _tool(self, tool: Tool, speaker: str) -> Tool:
        return self._calls.routed(tool, speaker) if isinstance(tool, FunctionTool) else tool

    def _handoff(self, given: Agent[Any] | Handoff[Any, Any]) -> Agent[Any] | Handoff[Any, Any]:
        if isinstance(given, Agent):
            return self.of(given)
        mine, invoke = copy(given), given.on_invoke_handoff

        async def hand_over(ctx: RunContextWrapper[Any], arguments: str) -> Any:
            return self.of(await invoke(ctx, arguments))

        mine.on_invoke_handoff = hand_over
        return mine
