"""A tool whose result is the answer."""

from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.openai import OpenAIChatCompletionClient


async def get_weather(city: str) -> str:
    """Get the weather of a city."""
    return f"It is 23 degrees in {city}."


agent = AssistantAgent(
    name="desk",
    model_client=OpenAIChatCompletionClient(model="gpt-5-mini"),
    tools=[get_weather],
)
PLAY = {"calls": [("get_weather", {"city": "Bergen"})], "says": "It is 23 degrees in Bergen."}
