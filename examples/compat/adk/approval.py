"""A tool that needs approval."""

from google.adk.agents import Agent
from google.adk.tools import FunctionTool


def reimburse(amount: int) -> str:
    """Reimburse the amount to the employee."""
    return f"reimbursed {amount}"


agent = Agent(
    name="desk",
    model="gemini-2.5-flash",
    instruction="You reimburse employees.",
    tools=[FunctionTool(reimburse, require_confirmation=True)],
)
PLAY = {
    "calls": [("reimburse", {"amount": 2000})],
    "answers": [{"decision": "approve"}],
    "says": "reimbursed 2000",
}
