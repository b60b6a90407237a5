"""An answer that is an object."""

from google.adk.agents import Agent
from google.adk.tools import FunctionTool
from pydantic import BaseModel


class Receipt(BaseModel):
    order: str
    ok: bool


def refund(order: str) -> str:
    """Refund an order."""
    return f"refunded {order}"


agent = Agent(
    name="desk",
    model="gemini-2.5-flash",
    output_schema=Receipt,
    tools=[FunctionTool(refund, require_confirmation=True)],
)
PLAY = {
    "calls": [
        ("refund", {"order": "A1"}),
        ("set_model_response", {"order": "A1", "ok": True}),
    ],
    "answers": [{"decision": "approve"}],
    "says": '"order": "A1"',
}
