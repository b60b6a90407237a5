"""An answer that is an object, by the prompt."""

from pydantic import BaseModel
from pydantic_ai import Agent, PromptedOutput


class Receipt(BaseModel):
    order: str
    ok: bool


agent = Agent("openai-chat:gpt-5-mini", name="desk", output_type=PromptedOutput(Receipt))
PLAY = {
    "answer": '{"order":"A1","ok":true}',
    "says": '"order":"A1"',
}
