"""An answer that is an object."""

from langchain.agents import create_agent
from langchain.agents.structured_output import ToolStrategy
from pydantic import BaseModel


class Receipt(BaseModel):
    order: str
    ok: bool


agent = create_agent("openai:gpt-5-mini", response_format=ToolStrategy(Receipt), name="desk")
PLAY = {
    "calls": [("Receipt", {"order": "A1", "ok": True})],
    "says": '"order":"A1"',
}
