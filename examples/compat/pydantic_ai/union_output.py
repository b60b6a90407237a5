"""An answer that is an object, or words."""

from pydantic import BaseModel
from pydantic_ai import Agent


class Box(BaseModel):
    width: int


agent = Agent("openai-chat:gpt-5-mini", name="desk", output_type=[Box, str])
PLAY = {"answer": "Which width?", "says": "Which width?"}
