"""What is served of ADK, as the App that it is or stands for, and the agents within it."""

from __future__ import annotations

from collections.abc import Iterator

from google.adk.agents.base_agent import BaseAgent
from google.adk.agents.llm_agent import LlmAgent
from google.adk.apps.app import App
from google.adk.runners import Runner
from google.adk.tools.agent_tool import AgentTool


def app_of(agent: object) -> App:
    if isinstance(agent, Runner):
        agent = agent.app
    if isinstance(agent, App):
        return agent
    assert isinstance(agent, BaseAgent)
    return App(name="sayso", root_agent=agent)


def all_agents(agent: BaseAgent) -> Iterator[LlmAgent]:
    """Yield the agents of the tree that have tools, and those within their tools."""
    if isinstance(agent, LlmAgent):
        yield agent
        for tool in agent.tools:
            if isinstance(tool, AgentTool):
                yield from all_agents(tool.agent)
    for below in agent.sub_agents:
        yield from all_agents(below)
