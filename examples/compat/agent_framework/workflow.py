"""A graph of functions and agents."""

from agent_framework import (
    Agent,
    AgentExecutorResponse,
    WorkflowBuilder,
    WorkflowContext,
    executor,
    tool,
)
from agent_framework.openai import OpenAIChatClient


@tool(approval_mode="always_require")
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


@executor(id="to_upper")
async def to_upper(text: str, ctx: WorkflowContext[str]) -> None:
    await ctx.send_message(text.upper())


@executor(id="wrap_up")
async def wrap_up(said: AgentExecutorResponse, ctx: WorkflowContext[None, str]) -> None:
    await ctx.yield_output(f"The payer says: {said.agent_response.text}")


payer = Agent(client=OpenAIChatClient(model="gpt-5-mini"), name="payer", tools=[pay])
agent = (
    WorkflowBuilder(start_executor=to_upper, name="desk", output_from=[wrap_up])
    .add_edge(to_upper, payer)
    .add_edge(payer, wrap_up)
    .build()
)
PLAY = {
    "calls": [("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "The payer says: ",
}
