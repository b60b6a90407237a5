"""Tools that are methods of an object."""

from agent_framework import Agent, tool
from agent_framework.openai import OpenAIChatClient


class Till:
    def __init__(self, currency: str) -> None:
        self.currency = currency

    @tool(approval_mode="always_require")
    def pay(self, amount: int) -> str:
        """Pay."""
        return f"paid {amount} {self.currency}"

    def look(self) -> str:
        """Look into the till."""
        return f"100 {self.currency}"


till = Till("kr")
agent = Agent(client=OpenAIChatClient(model="gpt-5-mini"), name="desk", tools=[till.pay, till.look])
PLAY = {
    "calls": [("look", {}), ("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "paid 7 kr",
}
