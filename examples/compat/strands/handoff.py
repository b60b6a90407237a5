"""A handover to another agent."""

from strands import Agent, tool
from strands.models.openai import OpenAIModel
from strands.vended_interventions.hitl import HumanInTheLoop

model = OpenAIModel(model_id="gpt-5-mini")


@tool
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


payer = Agent(model=model, name="payer", tools=[pay], interventions=[HumanInTheLoop()])
agent = Agent(model=model, name="desk", tools=[payer.as_tool(delegate=True)])
PLAY = {
    "calls": [("payer", {"input": "7"}), ("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "paid 7",
}
