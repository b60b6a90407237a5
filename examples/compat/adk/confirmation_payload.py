"""A tool that asks for values with its approval."""

from google.adk.agents import Agent
from google.adk.tools import ToolContext


def request_time_off(days: int, tool_context: ToolContext) -> dict:
    """Request days off for the employee."""
    confirmation = tool_context.tool_confirmation
    if not confirmation:
        tool_context.request_confirmation(
            hint="Say how many days you approve.", payload={"approved_days": 0}
        )
        return {"status": "Manager approval is required."}
    approved = confirmation.payload["approved_days"]
    return {"status": "ok", "approved_days": min(approved, days)}


agent = Agent(name="desk", model="gemini-2.5-flash", tools=[request_time_off])
PLAY = {
    "calls": [("request_time_off", {"days": 7})],
    "answers": [{"decision": "approve", "edits": {"approved_days": 5}}],
    "says": '"approved_days": 5',
}
