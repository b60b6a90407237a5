"""An answer that is an object, by the provider's schema."""

from google.adk.agents import Agent
from pydantic import BaseModel


class Receipt(BaseModel):
    order: str
    ok: bool


agent = Agent(name="desk", model="gemini-2.5-flash", output_schema=Receipt)
PLAY = {
    "answer": '{"order":"A1","ok":true}',
    "says": '"order":"A1"',
}
