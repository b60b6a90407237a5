"""A tool that needs approval."""

from typing import Annotated

from agent_framework import Agent, tool
from agent_framework.openai import OpenAIChatClient
from pydantic import Field


@tool(approval_mode="always_require")
def delete_file(path: Annotated[str, Field(description="The file to delete.")]) -> str:
    """Delete a file."""
    return f"File {path!r} deleted"


agent = Agent(
    client=OpenAIChatClient(model="gpt-5-mini"),
    name="desk",
    instructions="You are a helpful assistant.",
    tools=[delete_file],
)
PLAY = {
    "calls": [("delete_file", {"path": ".env"})],
    "answers": [{"decision": "approve"}],
    "says": "'.env' deleted",
}
