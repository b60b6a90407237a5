"""A tool that needs approval."""

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langgraph.checkpoint.memory import InMemorySaver


def delete_file(path: str) -> str:
    """Delete a file."""
    return f"File {path!r} deleted"


agent = create_agent(
    "openai:gpt-5-mini",
    tools=[delete_file],
    middleware=[HumanInTheLoopMiddleware(interrupt_on={"delete_file": True})],
    checkpointer=InMemorySaver(),
    name="desk",
)
PLAY = {
    "calls": [("delete_file", {"path": ".env"})],
    "answers": [{"decision": "approve"}],
    "says": "'.env' deleted",
}
