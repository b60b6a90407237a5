"""Runs of agents in the bodies of calls: they come to us, and run as our copies."""

from __future__ import annotations

from typing import Any

from agents import Agent, RunConfig
from agents.run import AgentRunner, get_default_agent_runner, set_default_agent_runner

from sayso.adapters.openai_agents.agent_copy import AgentCopies
from sayso.adapters.openai_agents.enclosing import ENCLOSING


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
    copies = AgentCopies(enclosing.turn, enclosing, enclosing.path(agent.name))
    config = options.get("run_config")
    if config is None:
        options = {
            **options,
            "run_config": RunConfig(tool_not_found_behavior="return_error_to_model"),
        }
    return copies.of(agent), options
