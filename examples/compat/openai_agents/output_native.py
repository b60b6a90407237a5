"""An answer that is an object, by the provider's schema."""

from agents import Agent, set_default_openai_api
from pydantic import BaseModel

set_default_openai_api("chat_completions")


class Receipt(BaseModel):
    order: str
    ok: bool


agent = Agent(name="desk", model="gpt-5-mini", output_type=Receipt)
PLAY = {
    "answer": '{"order":"A1","ok":true}',
    "says": '"order":"A1"',
}
