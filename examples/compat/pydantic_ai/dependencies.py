"""What the application gives the agent's tools."""

from dataclasses import dataclass

from pydantic_ai import Agent, RunContext

from sayso import App


@dataclass
class Shop:
    name: str


agent = Agent("openai-chat:gpt-5-mini", name="desk", deps_type=Shop)


@agent.tool
async def greet(ctx: RunContext[Shop]) -> str:
    """Greet."""
    return f"Welcome to {ctx.deps.name}"


app = App(agent, deps=Shop("the bakery"))
PLAY = {"calls": [("greet", {})], "says": "Welcome to the bakery"}
