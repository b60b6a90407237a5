"""A tool that needs approval."""

from agents import Agent, function_tool, set_default_openai_api

set_default_openai_api("chat_completions")


@function_tool(needs_approval=True)
def delete_file(path: str) -> str:
    """Delete a file."""
    return f"File {path!r} deleted"


agent = Agent(name="desk", model="gpt-5-mini", tools=[delete_file])
PLAY = {
    "calls": [("delete_file", {"path": ".env"})],
    "answers": [{"decision": "approve"}],
    "says": "'.env' deleted",
}
