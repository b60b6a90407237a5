"""Tools that share the state of the session."""

from google.adk.agents import Agent
from google.adk.tools import FunctionTool, ToolContext


def remember(color: str, tool_context: ToolContext) -> str:
    """Remember a color."""
    tool_context.state["color"] = color
    return "remembered"


def paint(what: str, tool_context: ToolContext) -> str:
    """Paint something in the color."""
    return f"painted {what} {tool_context.state['color']}"


agent = Agent(
    name="desk",
    model="gemini-2.5-flash",
    tools=[remember, FunctionTool(paint, require_confirmation=True)],
)
PLAY = {
    "calls": [("remember", {"color": "blue"}), ("paint", {"what": "the door"})],
    "answers": [{"decision": "approve"}],
    "says": "painted the door blue",
}
