"""Agents one after the other."""

from google.adk.agents import Agent, SequentialAgent
from google.adk.tools import FunctionTool


def publish(text: str) -> str:
    """Publish."""
    return f"published {text}"


writer = Agent(
    name="writer",
    model="gemini-2.5-flash",
    tools=[FunctionTool(publish, require_confirmation=True)],
    output_key="draft",
)
reader = Agent(name="reader", model="gemini-2.5-flash", instruction="Check this: {draft}")
agent = SequentialAgent(name="desk", sub_agents=[writer, reader])
PLAY = {
    "calls": [("publish", {"text": "news"})],
    "answers": [{"decision": "approve"}],
    "says": "published news",
}
