"""An answer that is an object."""

from pydantic import BaseModel
from pydantic_ai import Agent


class Receipt(BaseModel):
    order: str
    ok: bool


agent = Agent("openai-chat:gpt-5-mini", name="desk", output_type=Receipt)
PLAY = {
    "calls": [("final_result", {"order": "A1", "ok": True})],
    "says": '"order":"A1"',
}
