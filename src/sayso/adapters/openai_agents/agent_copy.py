"""A run's own copies of its agents, with their models and tools routed to us, also where the body
of a call runs agents.

The application's objects are never touched: two runs of one agent never see each other.
"""

from __future__ import annotations

from copy import copy
from typing import Any

from agents import Agent, FunctionTool, Handoff, RunConfig, RunContextWrapper, Tool
from agents.run import AgentRunner, get_default_agent_runner, set_default_agent_runner

from sayso.adapters.openai_agents.model_replies import RecordedModel, Replies
from sayso.adapters.openai_agents.tool_calls import Calls
from sayso.adapters.openai_agents.turn import ENCLOSING, OpenAIEnclosing


class AgentCopies:
    """The copies for one run of an agent, and of all it may hand over to."""

    def __init__(self, enclosing: OpenAIEnclosing, path: str) -> None:
        self._replies = Replies(enclosing, path)
        self._calls = Calls(self._replies)
        self._made: dict[int, Agent[Any]] = {}

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
            given = self._calls.offered(mine.name) if self._replies.is_root else []
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


class SaysoRunner(AgentRunner):
    """Runs agents as the framework does; those within a call of ours as our copies. Tools,
    guardrails and `as_tool` all come to the framework's default runner."""

    async def run(self, starting_agent: Agent[Any], input: Any, **options: Any) -> Any:
        mine, options = _within(starting_agent, options)
        return await super().run(mine, input, **options)

    def run_streamed(self, starting_agent: Agent[Any], input: Any, **options: Any) -> Any:
        mine, options = _within(starting_agent, options)
        return super().run_streamed(mine, input, **options)


def run_within_calls() -> None:
    """Let runs of agents in the bodies of calls come to us; all others go as before."""
    if type(get_default_agent_runner()) is AgentRunner:
        set_default_agent_runner(SaysoRunner())


def _within(agent: Agent[Any], options: dict[str, Any]) -> tuple[Agent[Any], dict[str, Any]]:
    enclosing = ENCLOSING.get(None)
    if enclosing is None:
        return agent, options
    if options.get("run_config") is None:
        config = RunConfig(tool_not_found_behavior="return_error_to_model")
        options = {**options, "run_config": config}
    return AgentCopies(enclosing, enclosing.path(agent.name)).of(agent), options
