"""Hooks of an agent, instructions that a function gives, and tools that are offered or not."""

from typing import Any

from agents import Agent, AgentHooks, RunContextWrapper, Tool, function_tool, set_default_openai_api

set_default_openai_api("chat_completions")


class Log(AgentHooks[Any]):
    async def on_start(self, context, agent):
        print("start")

    async def on_tool_start(self, context, agent, tool: Tool):
        print(tool.name)

    async def on_tool_end(self, context, agent, tool: Tool, result):
        print(result)

    async def on_end(self, context, agent, output):
        print("end")


def instructions(context: RunContextWrapper[Any], agent: Agent[Any]) -> str:
    return f"You are {agent.name}."


@function_tool(needs_approval=True)
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


@function_tool(is_enabled=lambda context, agent: False)
def hidden() -> str:
    """Never offered."""
    return "hidden"


def said(context, error: Exception) -> str:
    return f"it broke: {error}"


@function_tool(failure_error_function=said)
def look() -> str:
    """Look."""
    raise ValueError("no light")


agent = Agent(
    name="desk",
    model="gpt-5-mini",
    instructions=instructions,
    hooks=Log(),
    tools=[look, pay, hidden],
)
PLAY = {
    "calls": [("hidden", {}), ("look", {}), ("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "paid 7",
}
