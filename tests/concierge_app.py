"""An agent that talks before a gate: it offers, asks this and that, and hands its work on. What it
does is a function of the person's last words.

sayso serve tests.concierge_app:confirm      (or :explicit)
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from sayso import AgentContext, App, agent_tool, tool
from sayso.gate import Ask, Requirements
from sayso.tools.context import ToolContext
from tests.gate_app import did


class Booking(Requirements):
    hotel: Annotated[str, Ask("Which hotel would you like?", precedence=10)]
    day: Annotated[date, Ask("Which day do you arrive?", precedence=20)]
    board: Annotated[Literal["breakfast", "half board", "none"], Ask("Which board?")] = "none"
    guests: Annotated[int, Field(ge=1)] = 1


ASKS = "who will be at the desk?"


async def concierge(ctx: AgentContext) -> None:
    words = ctx.message
    match next(
        (q for q in (ASKS, "Shall I bring a coat?") if q.casefold() in words.casefold()), words
    ):
        case "Find me something?":
            await ctx.call("offer_value", field="hotel", words="Grand Hotel")
            await ctx.call("offer_value", field="day", words="5 January")
            await ctx.say(
                "I had a look. How about the Grand Hotel on 5 January? Is that all right?"
            )
        case "Offer one thing and ask another?":
            await ctx.call("offer_value", field="hotel", words="Atlantis")
            await ctx.say("They say that the Atlantis is nice. Do you like coffee?")
        case "Offer what I do not see?":
            await ctx.call("offer_value", field="hotel", words="Atlantis")
            await ctx.say("<i hidden>Atlantis</i> Do you like coffee? [x](Atlantis)")
        case "Talk about coffee?":
            await ctx.say("Do you like coffee?")
        case "Talk about the booking?":
            await ctx.say("All is known. Shall I create the booking?")
        case "who will be at the desk?":
            await ctx.say("Maria will.")
        case "Is there a better hotel?":
            await ctx.say("The Ritz is better. Would you like to hear of it?")
        case "Shall I bring a coat?":
            await ctx.say(f"Bring one: {await ctx.call('look_outside')}.")
        case "May I bring a dog?":
            answer = await ctx.choose("What sort of dog?", ["small", "large"])
            await ctx.say(f"A {answer.id} one may come.")
        case "Ask for it?":
            await ctx.call("request_action", action="booking")
        case "Ask for it, and about coffee?":
            await ctx.gather(
                ctx.call("request_action", action="booking"),
                ctx.choose("Do you like coffee?", ["yes", "no"]),
            )
        case "Ask me for the rest?":
            await ctx.ask("Which hotel would you like?")
            await ctx.choose("What shall it be in the morning?", ["breakfast", "half board"])
            await ctx.say("Thank you.")
        case "Let the other do it?":
            await ctx.call("ask_clerk", task="I arrive on 9 January. create the booking")
        case _:
            await ctx.say("Very well.")


async def clerk(ctx: AgentContext) -> None:
    await ctx.say(f"I was told: {ctx.message}")


@tool(approval=False)
async def look_outside() -> str:
    """Open the window."""
    did("window")
    return "it snows"


def desk(trigger: str) -> App:
    hands_on = agent_tool("clerk", description="Hand the work on.")
    app = App({"concierge": concierge, "clerk": clerk}, tools=[hands_on, look_outside])

    @app.action("booking", requires=Booking, trigger=trigger)
    async def create_booking(req: Booking, ctx: ToolContext) -> str:
        did(f"booking {req.hotel} {req.day} {req.board} {req.guests}")
        return f"Booked: {req.hotel}."

    return app


confirm, explicit = desk("confirm"), desk("explicit")
