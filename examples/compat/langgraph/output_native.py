"""An answer that is an object, by the provider's schema."""

from langchain.agents import create_agent
from langchain.agents.structured_output import ProviderStrategy
from pydantic import BaseModel


class Receipt(BaseModel):
    order: str
    ok: bool


agent = create_agent("openai:gpt-5-mini", response_format=ProviderStrategy(Receipt), name="desk")
PLAY = {
    "answer": '{"order":"A1","ok":true}',
    "says": '"order":"A1"',
}
