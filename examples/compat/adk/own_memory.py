"""A chat that the framework itself keeps in memory."""

from google.adk.agents import Agent
from google.adk.runners import InMemoryRunner
from google.adk.tools import FunctionTool

from sayso import App


def reimburse(amount: int) -> str:
    """Reimburse the amount to the employee."""
    return f"reimbursed {amount}"


desk = Agent(
    name="desk",
    model="gemini-2.5-flash",
    tools=[FunctionTool(reimburse, require_confirmation=True)],
)
app = App(InMemoryRunner(agent=desk, app_name="desk"))
PLAY = {
    "calls": [("reimburse", {"amount": 2000})],
    "answers": [{"decision": "approve"}],
    "says": "reimbursed 2000",
}
