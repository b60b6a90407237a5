"""A tool that needs approval."""

from pydantic_ai import Agent, DeferredToolRequests

agent = Agent(
    "openai-chat:gpt-5-mini",
    name="desk",
    output_type=[str, DeferredToolRequests],
)


@agent.tool_plain(requires_approval=True)
def delete_file(path: str) -> str:
    """Delete a file."""
    return f"File {path!r} deleted"


PLAY = {
    "calls": [("delete_file", {"path": ".env"})],
    "answers": [{"decision": "approve"}],
    "says": "'.env' deleted",
}
