"""An agent that a tool runs, with a tool that needs approval."""

from ag2 import Agent, tool
from ag2.config import OpenAIConfig
from ag2.middleware import approval_required


@tool(middleware=[approval_required()])
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


model = OpenAIConfig("gpt-5-mini", streaming=True)
payer = Agent("payer", config=model, tools=[pay])
agent = Agent("desk", config=model, tools=[payer.as_tool(description="Pays.", name="payer")])
PLAY = {
    "calls": [("payer", {"objective": "Pay 7"}), ("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "paid 7",
}
