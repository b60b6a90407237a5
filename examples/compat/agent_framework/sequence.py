"""Agents one after the other."""

from agent_framework import Agent, WorkflowBuilder, tool
from agent_framework.openai import OpenAIChatClient

client = OpenAIChatClient(model="gpt-5-mini")


@tool(approval_mode="always_require")
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


writer = Agent(client=client, name="writer", instructions="Write what is due.")
payer = Agent(client=client, name="payer", instructions="Pay it.", tools=[pay])
agent = WorkflowBuilder(start_executor=writer, name="desk").add_edge(writer, payer).build()
PLAY = {
    "calls": [("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "paid 7",
}
