"""A team whose agents hand over to each other."""

from strands import Agent, tool
from strands.models.openai import OpenAIModel
from strands.multiagent import Swarm
from strands.vended_interventions.hitl import HumanInTheLoop

model = OpenAIModel(model_id="gpt-5-mini")


@tool
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


asks = HumanInTheLoop(allowed_tools=["handoff_to_agent"])
desk = Agent(model=model, name="desk", system_prompt="You hand over to the payer.")
payer = Agent(model=model, name="payer", tools=[pay], interventions=[asks])
agent = Swarm([desk, payer], entry_point=desk, max_handoffs=1)
PLAY = {
    "calls": [
        ("pay", {"amount": 7}),
        ("handoff_to_agent", {"agent_name": "payer", "message": "pay 7"}),
    ],
    "answers": [{"decision": "approve"}],
    "says": "paid 7",
}
