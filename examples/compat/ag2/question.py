"""A call that a person answers."""

from ag2 import Agent, Context, tool
from ag2.config import OpenAIConfig


@tool
async def ask_size(context: Context) -> str:
    """Ask the customer for the size."""
    return await context.input("Which size?")


agent = Agent("desk", config=OpenAIConfig("gpt-5-mini", streaming=True), tools=[ask_size])
PLAY = {
    "calls": [("ask_size", {})],
    "answers": [{"additional_notes": "size 42"}],
    "says": "I was told: size 42",
}
