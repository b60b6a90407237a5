"""An agent that a tool's own code runs."""

from agent_framework import Agent, tool
from agent_framework.openai import OpenAIChatCompletionClient

client = OpenAIChatCompletionClient(model="gpt-5-mini")


@tool(approval_mode="always_require")
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


payer = Agent(client=client, name="payer", tools=[pay])


async def let_pay(request: str) -> str:
    """Let the payer pay."""
    response = await payer.run(request)
    return response.text


agent = Agent(client=client, name="desk", tools=[let_pay])
PLAY = {
    "calls": [("let_pay", {"request": "7"}), ("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "paid 7",
}
