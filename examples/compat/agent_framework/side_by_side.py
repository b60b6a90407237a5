"""Agents side by side, which all ask."""

from agent_framework import (
    Agent,
    AgentExecutorResponse,
    Executor,
    Message,
    WorkflowBuilder,
    WorkflowContext,
    handler,
    tool,
)
from agent_framework.openai import OpenAIChatClient

client = OpenAIChatClient(model="gpt-5-mini")


@tool(approval_mode="always_require")
def look_up(topic: str) -> str:
    """Look a topic up."""
    return f"all about {topic}"


class Dispatch(Executor):
    @handler
    async def dispatch(self, words: list[Message], ctx: WorkflowContext[list[Message]]) -> None:
        await ctx.send_message(words)


class Merge(Executor):
    @handler
    async def merge(
        self, found: list[AgentExecutorResponse], ctx: WorkflowContext[None, str]
    ) -> None:
        await ctx.yield_output(" and ".join(sorted(each.executor_id for each in found)))


wind = Agent(client=client, name="wind", tools=[look_up])
sun = Agent(client=client, name="sun", tools=[look_up])
dispatch, merge = Dispatch(id="dispatch"), Merge(id="merge")
agent = (
    WorkflowBuilder(start_executor=dispatch)
    .add_fan_out_edges(dispatch, [wind, sun])
    .add_fan_in_edges([wind, sun], merge)
    .build()
)
PLAY = {
    "calls": [("look_up", {"topic": "power"})],
    "answers": [{"decision": "approve"}, {"decision": "approve"}],
    "says": "sun and wind",
}
