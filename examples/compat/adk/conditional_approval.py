"""A tool that needs approval for some of its calls."""

from google.adk.agents import Agent
from google.adk.tools import FunctionTool


def reimburse(amount: int) -> str:
    """Reimburse the amount to the employee."""
    return f"reimbursed {amount}"


async def is_much(amount: int) -> bool:
    return amount > 1000


agent = Agent(
    name="desk",
    model="gemini-2.5-flash",
    tools=[FunctionTool(reimburse, require_confirmation=is_much)],
)
PLAY = {
    "calls": [("reimburse", {"amount": 2000})],
    "answers": [{"decision": "reject", "reason": "not without a receipt"}],
    "says": "not without a receipt",
}
