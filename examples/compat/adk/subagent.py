"""An agent that a tool runs, with a tool that needs approval."""

from google.adk.agents import Agent
from google.adk.tools import FunctionTool
from google.adk.tools.agent_tool import AgentTool


def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


payer = Agent(
    name="payer",
    model="gemini-2.5-flash",
    description="Pays.",
    tools=[FunctionTool(pay, require_confirmation=True)],
)
agent = Agent(name="desk", model="gemini-2.5-flash", tools=[AgentTool(agent=payer)])
PLAY = {
    "calls": [("payer", {"request": "Pay 7"}), ("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "paid 7",
}
