"""Tools that share the state of the session."""

from strands import Agent, ToolContext, tool
from strands.models.openai import OpenAIModel
from strands.vended_interventions.hitl import HumanInTheLoop


@tool(context=True)
def remember(color: str, tool_context: ToolContext) -> str:
    """Remember a color."""
    tool_context.agent.state.set("color", color)
    return "remembered"


@tool(context=True)
def paint(what: str, tool_context: ToolContext) -> str:
    """Paint something in the color."""
    return f"painted {what} {tool_context.agent.state.get('color')}"


agent = Agent(
    model=OpenAIModel(model_id="gpt-5-mini"),
    tools=[remember, paint],
    state={"color": "none"},
    interventions=[HumanInTheLoop(allowed_tools=["remember"])],
)
PLAY = {
    "calls": [("remember", {"color": "blue"}), ("paint", {"what": "the door"})],
    "answers": [{"decision": "approve"}],
    "says": "painted the door blue",
}
