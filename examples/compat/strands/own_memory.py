"""A chat that the framework itself keeps in memory."""

import tempfile

from strands import Agent, tool
from strands.models.openai import OpenAIModel
from strands.session.file_session_manager import FileSessionManager
from strands.vended_interventions.hitl import HumanInTheLoop


@tool
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


agent = Agent(
    model=OpenAIModel(model_id="gpt-5-mini"),
    tools=[pay],
    interventions=[HumanInTheLoop()],
    session_manager=FileSessionManager(session_id="a", storage_dir=tempfile.mkdtemp()),
)
PLAY = {
    "calls": [("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "paid 7",
}
