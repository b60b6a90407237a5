"""An answer that is an object."""

from pydantic import BaseModel
from strands import Agent
from strands.models.openai import OpenAIModel


class Receipt(BaseModel):
    order: str
    ok: bool


agent = Agent(model=OpenAIModel(model_id="gpt-5-mini"), structured_output_model=Receipt)
PLAY = {
    "calls": [("Receipt", {"order": "A1", "ok": True})],
    "says": '"order":"A1"',
}
