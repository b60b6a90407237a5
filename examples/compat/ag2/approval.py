"""A tool that needs approval."""

from ag2 import Agent, tool
from ag2.config import OpenAIConfig
from ag2.middleware import approval_required


@tool(middleware=[approval_required()])
def delete_file(path: str) -> str:
    """Delete a file."""
    return f"File {path!r} deleted"


agent = Agent("desk", config=OpenAIConfig("gpt-5-mini", streaming=True), tools=[delete_file])
PLAY = {
    "calls": [("delete_file", {"path": ".env"})],
    "answers": [{"decision": "approve"}],
    "says": "'.env' deleted",
}
