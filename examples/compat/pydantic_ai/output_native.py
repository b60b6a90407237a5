"""An answer that is an object, by the provider's schema."""

from pydantic import BaseModel
from pydantic_ai import Agent, NativeOutput


class Receipt(BaseModel):
    order: str
    ok: bool


agent = Agent("openai-chat:gpt-5-mini", name="desk", output_type=NativeOutput(Receipt))
PLAY = {
    "answer": '{"order":"A1","ok":true}',
    "says": '"order":"A1"',
}
