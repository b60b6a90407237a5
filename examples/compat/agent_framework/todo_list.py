"""A list of what is to be done, which a provider keeps."""

from agent_framework import Agent, TodoProvider, tool
from agent_framework.openai import OpenAIChatClient


@tool(approval_mode="always_require")
def book(what: str) -> str:
    """Book something."""
    return f"booked {what}"


agent = Agent(
    client=OpenAIChatClient(model="gpt-5-mini"),
    name="desk",
    context_providers=[TodoProvider()],
    tools=[book],
)
PLAY = {
    "calls": [
        ("todos_add", {"todos": [{"title": "Book a venue"}]}),
        ("book", {"what": "hall"}),
        ("todos_get_all", {}),
    ],
    "answers": [{"decision": "approve"}],
    "says": "Book a venue",
}
