"""A tool in the background."""

from strands import Agent, tool
from strands.models.openai import OpenAIModel


@tool
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


agent = Agent(model=OpenAIModel(model_id="gpt-5-mini"), tools=[pay], background_tasks=True)
PLAY = {"refused": True}
