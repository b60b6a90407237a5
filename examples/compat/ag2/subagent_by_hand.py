"""An agent that a tool's own code runs."""

from ag2 import Agent, tool
from ag2.config import OpenAIConfig


@tool
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


model = OpenAIConfig("gpt-5-mini")
payer = Agent("payer", config=model, tools=[pay])


@tool
async def let_pay(task: str) -> str:
    """Let the payer pay."""
    reply = await payer.ask(task)
    return reply.body or ""


agent = Agent("desk", config=model, tools=[let_pay])
PLAY = {"refused": True}
