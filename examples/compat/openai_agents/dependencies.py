"""What the application gives the agent's tools."""

from __future__ import annotations

from agents import Agent, RunContextWrapper, function_tool, handoff, set_default_openai_api
from pydantic import BaseModel

from sayso import App

set_default_openai_api("chat_completions")


class Passenger(BaseModel):
    flight: str | None = None
    seat: str | None = None


@function_tool(needs_approval=True)
def update_seat(context: RunContextWrapper[Passenger], seat: str) -> str:
    """Update the seat."""
    assert context.context.flight is not None, "the handoff says which flight"
    context.context.seat = seat
    return f"seat {seat} on {context.context.flight}"


def on_booking(context: RunContextWrapper[Passenger]) -> None:
    context.context.flight = "FLT-123"


booking = Agent[Passenger](name="booking", model="gpt-5-mini", tools=[update_seat])
triage = Agent[Passenger](
    name="triage", model="gpt-5-mini", handoffs=[handoff(booking, on_handoff=on_booking)]
)
booking.handoffs.append(triage)
app = App(triage, deps=lambda context: Passenger())
PLAY = {
    "calls": [("transfer_to_booking", {}), ("update_seat", {"seat": "12A"})],
    "answers": [{"decision": "approve"}],
    "says": "seat 12A on FLT-123",
}
