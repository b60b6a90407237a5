"""A chat that the framework itself keeps in memory."""

from agent_framework import Agent, InMemoryHistoryProvider, tool
from agent_framework.openai import OpenAIChatClient


@tool(approval_mode="always_require")
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


agent = Agent(
    client=OpenAIChatClient(model="gpt-5-mini"),
    name="desk",
    tools=[pay],
    context_providers=[InMemoryHistoryProvider("memory", load_messages=True)],
)
PLAY = {
    "calls": [("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "paid 7",
}
