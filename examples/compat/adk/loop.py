"""A loop that an agent ends by a tool."""

from google.adk.agents import Agent, LoopAgent, SequentialAgent
from google.adk.tools import FunctionTool, ToolContext


def exit_loop(tool_context: ToolContext) -> dict[str, str]:
    """Call this when no changes are needed."""
    tool_context.actions.escalate = True
    return {}


def publish(text: str) -> str:
    """Publish the text."""
    return f"published {text}"


writer = Agent(name="writer", model="gemini-2.5-flash", instruction="Write.", output_key="draft")
critic = Agent(
    name="critic",
    model="gemini-2.5-flash",
    instruction="Criticise {draft}.",
    tools=[FunctionTool(publish, require_confirmation=True), exit_loop],
)
agent = SequentialAgent(
    name="desk", sub_agents=[LoopAgent(name="loop", sub_agents=[writer, critic], max_iterations=3)]
)
PLAY = {
    "calls": [("publish", {"text": "it"}), ("exit_loop", {})],
    "answers": [{"decision": "approve"}],
    "says": "I know nothing",
}
