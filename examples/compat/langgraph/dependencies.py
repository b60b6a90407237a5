"""What the application gives the agent's tools."""

from dataclasses import dataclass

from langchain.agents import create_agent
from langchain.tools import ToolRuntime, tool

from sayso import App


@dataclass
class Shop:
    name: str


@tool
def greet(runtime: ToolRuntime[Shop]) -> str:
    """Greet."""
    return f"Welcome to {runtime.context.name}"


agent = create_agent("openai:gpt-5-mini", tools=[greet], context_schema=Shop, name="desk")
app = App(agent, deps=Shop("the bakery"))
PLAY = {"calls": [("greet", {})], "says": "Welcome to the bakery"}
