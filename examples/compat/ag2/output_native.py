"""An answer that is an object, by the provider's schema."""

from ag2 import Agent
from ag2.config import OpenAIConfig
from pydantic import BaseModel


class Receipt(BaseModel):
    order: str
    ok: bool


agent = Agent("desk", config=OpenAIConfig("gpt-5-mini", streaming=True), response_schema=Receipt)
PLAY = {
    "answer": '{"order":"A1","ok":true}',
    "says": '"order":"A1"',
}
