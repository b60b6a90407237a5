"""A workflow that branches on what an agent said."""

from agent_framework import (
    Agent,
    AgentExecutorResponse,
    Case,
    Default,
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


client = OpenAIChatClient(model="gpt-5-mini")
payer = Agent(client, "You pay.", name="payer", tools=[pay])


@executor(id="praise")
async def praise(said: AgentExecutorResponse, ctx: WorkflowContext[None, str]) -> None:
    await ctx.yield_output(f"Well done: {said.agent_response.text}")


@executor(id="blame")
async def blame(said: AgentExecutorResponse, ctx: WorkflowContext[None, str]) -> None:
    await ctx.yield_output("Nothing was paid.")


agent = (
    WorkflowBuilder(start_executor=payer)
    .add_switch_case_edge_group(
        payer,
        [
            Case(condition=lambda said: "paid" in said.agent_response.text, target=praise),
            Default(target=blame),
        ],
    )
    .build()
)
PLAY = {
    "calls": [("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "Well done",
}
