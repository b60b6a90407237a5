"""A tool whose result is the answer."""

from ag2 import Agent, ToolResult, tool
from ag2.config import OpenAIConfig


@tool
def look_up(order: str) -> ToolResult:
    """Look up an order."""
    return ToolResult(f"{order} is on its way", final=True)


agent = Agent("desk", config=OpenAIConfig("gpt-5-mini", streaming=True), tools=[look_up])
PLAY = {"calls": [("look_up", {"order": "A1"})], "says": "A1 is on its way"}
