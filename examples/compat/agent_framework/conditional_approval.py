"""A tool that needs approval for some of its calls."""

from agent_framework import Agent, Content, ToolApprovalMiddleware, tool
from agent_framework.openai import OpenAIChatClient


@tool(approval_mode="always_require")
def note(words: str) -> str:
    """Keep a note."""
    return f"noted {words}"


@tool(approval_mode="always_require")
def close(ticket: str) -> str:
    """Close a ticket."""
    return f"closed {ticket}"


def is_a_note(call: Content) -> bool:
    return call.name == "note"


agent = Agent(
    client=OpenAIChatClient(model="gpt-5-mini"),
    name="desk",
    tools=[note, close],
    middleware=[ToolApprovalMiddleware(auto_approval_rules=[is_a_note])],
)
PLAY = {
    "calls": [("note", {"words": "called back"}), ("close", {"ticket": "T-1"})],
    "answers": [{"decision": "approve"}],
    "says": "closed T-1",
}
