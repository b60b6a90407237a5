"""Agents for tests that start whole processes: they ask, and say what they were told."""

import asyncio

from pydantic import BaseModel, Field

from sayso import AgentContext, App, tool


@tool(approval=True, editable=["amount"])
def refund(order: str, amount: float) -> str:
    """Pay money back."""
    return f"{amount:g} paid back for {order}"


class Delivery(BaseModel):
    street: str = Field(title="Street", min_length=3)
    floors: int = Field(title="Floors", ge=0)
    lift: bool = Field(title="Is there a lift")


async def desk(ctx: AgentContext) -> None:
    await ctx.say("Let me see. ")
    await ctx.say(str(await ctx.call(refund, order="1001", amount=20.0)))


async def chooser(ctx: AgentContext) -> None:
    chosen = await ctx.choose("Which one?", ["red", "blue"])
    await ctx.say(f"You chose {chosen.id}.")


async def former(ctx: AgentContext) -> None:
    delivery = await ctx.form(Delivery, title="Delivery")
    await ctx.say(f"{delivery.street}, {delivery.floors}, {delivery.lift}")


async def talker(ctx: AgentContext) -> None:
    for number in range(100):
        await ctx.say(f"{number} ")
        await asyncio.sleep(0.05)


app = App({"desk": desk, "chooser": chooser, "former": former, "talker": talker}, tools=[refund])
agents = {"one": desk, "two": chooser}
not_an_agent = 5
