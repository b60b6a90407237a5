"""Tools that share the state of the session."""

from agent_framework import Agent, FunctionInvocationContext, tool
from agent_framework.openai import OpenAIChatClient


@tool(approval_mode="never_require")
def remember(color: str, ctx: FunctionInvocationContext) -> str:
    """Remember a color."""
    ctx.session.state["color"] = color
    return "remembered"


@tool(approval_mode="always_require")
def paint(what: str, ctx: FunctionInvocationContext) -> str:
    """Paint something in the color."""
    return f"painted {what} {ctx.session.state['color']}"


agent = Agent(client=OpenAIChatClient(model="gpt-5-mini"), name="desk", tools=[remember, paint])
PLAY = {
    "calls": [("remember", {"color": "blue"}), ("paint", {"what": "the door"})],
    "answers": [{"decision": "approve"}],
    "says": "painted the door blue",
}
