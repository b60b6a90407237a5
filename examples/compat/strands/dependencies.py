"""What the application gives the agent's tools."""

from strands import Agent, ToolContext, tool
from strands.models.openai import OpenAIModel

from sayso import App, Rule, Verdict


@tool(context=True)
def order(what: str, tool_context: ToolContext) -> str:
    """Order something."""
    return f"ordered {what} in {tool_context.invocation_state['shop']}"


desk = Agent(model=OpenAIModel(model_id="gpt-5-mini"), tools=[order])
app = App(desk, deps={"shop": "Bergen"}, policies=[Rule(tool="order", then=Verdict.ASK)])
PLAY = {
    "calls": [("order", {"what": "tea"})],
    "answers": [{"decision": "approve"}],
    "says": "ordered tea in Bergen",
}
