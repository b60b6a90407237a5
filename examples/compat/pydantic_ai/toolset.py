"""A toolset that asks for each of its calls."""

from pydantic_ai import Agent
from pydantic_ai.toolsets import FunctionToolset

from sayso import App

weather = FunctionToolset()


@weather.tool_plain
def temperature(city: str) -> str:
    """Tell the temperature."""
    return f"21 degrees in {city}"


agent = Agent(
    "openai-chat:gpt-5-mini",
    name="desk",
    toolsets=[weather.approval_required(lambda ctx, tool_def, args: True).prefixed("w")],
)
app = App(agent)
PLAY = {
    "calls": [("w_temperature", {"city": "Oslo"})],
    "answers": [{"decision": "approve"}],
    "says": "21 degrees in Oslo",
}
