"""An agent that a tool runs, with a tool that needs approval."""

from agent_framework import Agent, tool
from agent_framework.openai import OpenAIChatClient

client = OpenAIChatClient(model="gpt-5-mini")


@tool(approval_mode="always_require")
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


payer = Agent(client=client, name="payer", description="Pays.", tools=[pay])
let_pay = payer.as_tool(name="let_pay", description="Let the payer pay.", arg_name="request")
agent = Agent(client=client, name="desk", tools=[let_pay])
PLAY = {
    "calls": [("let_pay", {"request": "7"}), ("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "paid 7",
}
