"""A tool that needs approval for some of its calls."""

from pydantic_ai import Agent, ApprovalRequired, DeferredToolRequests, RunContext

PROTECTED = {".env"}
agent = Agent("openai-chat:gpt-5-mini", name="desk", output_type=[str, DeferredToolRequests])


@agent.tool
def update_file(ctx: RunContext, path: str, content: str) -> str:
    """Change a file."""
    if path in PROTECTED and not ctx.tool_call_approved:
        raise ApprovalRequired(metadata={"reason": "protected"})
    return f"File {path!r} updated: {content!r}"


PLAY = {
    "calls": [("update_file", {"path": ".env", "content": ""})],
    "answers": [{"decision": "approve"}],
    "says": "'.env' updated",
}
