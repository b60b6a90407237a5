"""An answer that is an object, by the provider's schema."""

from agent_framework import Agent
from agent_framework.openai import OpenAIChatClient, OpenAIChatOptions
from pydantic import BaseModel


class Receipt(BaseModel):
    order: str
    ok: bool


agent = Agent(
    client=OpenAIChatClient(model="gpt-5-mini"),
    name="desk",
    default_options=OpenAIChatOptions(response_format=Receipt),
)
PLAY = {
    "answer": '{"order":"A1","ok":true}',
    "says": '"order":"A1"',
}
