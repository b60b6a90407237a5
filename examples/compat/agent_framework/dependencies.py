"""What the application gives the agent's tools."""

from agent_framework import Agent, FunctionInvocationContext, tool
from agent_framework.openai import OpenAIChatCompletionClient

from sayso import App


class Shop:
    name = "Bergen"


@tool(approval_mode="always_require")
async def order(what: str, ctx: FunctionInvocationContext) -> str:
    """Order something."""
    return f"ordered {what} in {ctx.kwargs['shop'].name}"


desk = Agent(client=OpenAIChatCompletionClient(model="gpt-5-mini"), name="desk", tools=[order])
app = App(desk, deps={"shop": Shop()})
PLAY = {
    "calls": [("order", {"what": "tea"})],
    "answers": [{"decision": "approve"}],
    "says": "ordered tea in Bergen",
}
