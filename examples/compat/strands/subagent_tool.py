"""A tool by which the model makes agents."""

from strands import Agent, tool
from strands.models.openai import OpenAIModel
from strands.vended_tools.subagent import make_subagent


@tool
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


model = OpenAIModel(model_id="gpt-5-mini")
agent = Agent(model=model, name="desk", tools=[pay, make_subagent()])
PLAY = {"refused": True}
