"""A tool whose result comes from outside."""

from google.adk.agents import Agent
from google.adk.tools.long_running_tool import LongRunningFunctionTool


def ask_for_approval(purpose: str, amount: float) -> dict:
    """Ask a manager to approve the reimbursement."""
    return {"status": "pending", "amount": amount, "ticketId": "reimbursement-ticket-001"}


agent = Agent(
    name="desk", model="gemini-2.5-flash", tools=[LongRunningFunctionTool(func=ask_for_approval)]
)
PLAY = {
    "calls": [("ask_for_approval", {"purpose": "meals", "amount": 200.0})],
    "answers": [{"values": {"status": "approved"}}],
    "says": '"status": "approved"',
}
