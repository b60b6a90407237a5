"""Tools that share the state of the session."""

from ag2 import Agent, Context, tool
from ag2.config import OpenAIConfig
from ag2.middleware import approval_required


@tool
def remember(color: str, context: Context) -> str:
    """Remember a color."""
    context.variables["color"] = color
    return "remembered"


@tool(middleware=[approval_required()])
def paint(what: str, context: Context) -> str:
    """Paint something in the color."""
    return f"painted {what} {context.variables['color']}"


agent = Agent("desk", config=OpenAIConfig("gpt-5-mini"), tools=[remember, paint])
PLAY = {
    "calls": [("remember", {"color": "blue"}), ("paint", {"what": "the door"})],
    "answers": [{"decision": "approve"}],
    "says": "painted the door blue",
}
