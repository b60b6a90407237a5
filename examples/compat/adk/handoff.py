"""An agent that another one hands over to."""

from google.adk.agents import Agent
from google.adk.tools import FunctionTool


def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


payer = Agent(
    name="payer",
    model="gemini-2.5-flash",
    description="Pays.",
    tools=[FunctionTool(pay, require_confirmation=True)],
)
agent = Agent(name="desk", model="gemini-2.5-flash", sub_agents=[payer])
PLAY = {
    "calls": [("transfer_to_agent", {"agent_name": "payer"}), ("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "paid 7",
}
