"""State that is kept for a person, in all chats."""

from google.adk.agents import Agent
from google.adk.tools import ToolContext


def set_unit(unit: str, tool_context: ToolContext) -> str:
    """Set the unit that the person likes."""
    tool_context.state["user:unit"] = unit
    return f"set to {unit}"


agent = Agent(
    name="desk",
    model="gemini-2.5-flash",
    instruction="Tell temperatures in {user:unit?}.",
    tools=[set_unit],
)
PLAY = {"calls": [("set_unit", {"unit": "celsius"})], "says": "set to celsius"}
