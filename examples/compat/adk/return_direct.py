"""A tool whose result is the answer."""

from google.adk.agents import Agent
from google.adk.tools import ToolContext


def look_up(order: str, tool_context: ToolContext) -> str:
    """Look up an order."""
    tool_context.actions.skip_summarization = True
    return f"{order} is on its way"


agent = Agent(name="desk", model="gemini-2.5-flash", tools=[look_up])
PLAY = {"calls": [("look_up", {"order": "A1"})], "says": "A1 is on its way"}
