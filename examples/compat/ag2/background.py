"""An agent that works in the background."""

from ag2 import Agent
from ag2.config import OpenAIConfig
from ag2.tools.subagents import background_agent_tool

model = OpenAIConfig("gpt-5-mini")
payer = Agent("payer", config=model)
agent = Agent("desk", config=model, tools=[background_agent_tool(payer, description="Pays later.")])
PLAY = {"refused": True}
