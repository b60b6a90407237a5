"""A tool that needs approval."""

from strands import Agent, tool
from strands.models.openai import OpenAIModel
from strands.vended_interventions.hitl import HumanInTheLoop


@tool
def delete_file(path: str) -> str:
    """Delete a file."""
    return f"File {path!r} deleted"


agent = Agent(
    model=OpenAIModel(model_id="gpt-5-mini"),
    tools=[delete_file],
    interventions=[HumanInTheLoop()],
)
PLAY = {
    "calls": [("delete_file", {"path": ".env"})],
    "answers": [{"decision": "approve"}],
    "says": "'.env' deleted",
}
