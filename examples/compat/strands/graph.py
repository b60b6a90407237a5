"""A graph of agents."""

from strands import Agent, tool
from strands.models.openai import OpenAIModel
from strands.multiagent import GraphBuilder
from strands.vended_interventions.hitl import HumanInTheLoop

model = OpenAIModel(model_id="gpt-5-mini")


@tool
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


writer = Agent(model=model, name="writer", system_prompt="You write letters.")
payer = Agent(model=model, name="payer", tools=[pay], interventions=[HumanInTheLoop()])
builder = GraphBuilder()
builder.add_node(writer, "write")
builder.add_node(payer, "pay")
builder.add_edge("write", "pay")
builder.set_entry_point("write")
builder.set_execution_timeout(600)
agent = builder.build()
PLAY = {
    "calls": [("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "paid 7",
}
