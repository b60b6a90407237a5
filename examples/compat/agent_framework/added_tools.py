"""Tools that a tool adds."""

from agent_framework import Agent, FunctionInvocationContext, tool
from agent_framework.openai import OpenAIChatClient


@tool(approval_mode="always_require")
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


@tool(approval_mode="never_require")
def open_the_till(ctx: FunctionInvocationContext) -> str:
    """Open the till: then there is a tool to pay."""
    ctx.add_tools([pay])
    return "open"


agent = Agent(client=OpenAIChatClient(model="gpt-5-mini"), name="desk", tools=[open_the_till])
PLAY = {
    "calls": [("open_the_till", {}), ("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "paid 7",
}
