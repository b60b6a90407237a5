"""A graph of functions and agents."""

from agent_framework import Agent, AgentExecutorResponse, WorkflowBuilder, WorkflowContext, executor
from agent_framework.openai import OpenAIChatClient

writer = Agent(client=OpenAIChatClient(model="gpt-5-mini", api_key="none"), name="writer")


@executor(id="print")
async def print_it(said: AgentExecutorResponse, ctx: WorkflowContext[None, str]) -> None:
    await ctx.yield_output(said.agent_response.text)


agent = WorkflowBuilder(start_executor=writer, name="desk").add_edge(writer, print_it).build()
PLAY = {"refused": True}
