"""A tool whose result is the answer."""

from typing import Any

from agents import (
    Agent,
    FunctionToolResult,
    RunContextWrapper,
    ToolsToFinalOutputResult,
    function_tool,
    set_default_openai_api,
)
from pydantic import BaseModel

set_default_openai_api("chat_completions")


class Weather(BaseModel):
    city: str
    conditions: str


@function_tool(needs_approval=True)
def get_weather(city: str) -> Weather:
    """Look at the weather."""
    return Weather(city=city, conditions="sunny")


def use_the_first(
    context: RunContextWrapper[Any], results: list[FunctionToolResult]
) -> ToolsToFinalOutputResult:
    weather: Weather = results[0].output
    return ToolsToFinalOutputResult(
        is_final_output=True, final_output=f"{weather.city} is {weather.conditions}."
    )


agent = Agent(name="desk", model="gpt-5-mini", tools=[get_weather], tool_use_behavior=use_the_first)
PLAY = {
    "calls": [("get_weather", {"city": "Tokyo"})],
    "answers": [{"decision": "approve"}],
    "says": "Tokyo is sunny.",
}
