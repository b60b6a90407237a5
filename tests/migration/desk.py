"""The agents whose runs wait in `old/040e3c4.sqlite.gz`: the same code then and now.

Each works in a chat of its own name. What their tools do is written into the contract's ledger.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping

from pydantic import BaseModel

from sayso import App
from sayso.adapters.program import AgentProgram
from sayso.core.segments import Program
from sayso.testing.contract.script import Builder, Turn
from sayso.testing.contract.tools import REFUND, TOOLS, clerk, did
from sayso.tools.context import AgentContext, ToolContext
from sayso.tools.tool import tool
from tests.contract import (
    adk_builder,
    ag2_builder,
    autogen_builder,
    langgraph_builder,
    pydantic_ai_builder,
)
from tests.gate_app import trips

#: The agent whose process dies in the middle of a payment, if this is set.
DIES = "SAYSO_OLD_DESK_DIES"

FRAMEWORKS: Mapping[str, Builder] = {
    "pydantic_ai": pydantic_ai_builder.pydantic_ai,
    "langgraph": langgraph_builder.langgraph,
    "autogen": autogen_builder.autogen,
    "autogen_team": autogen_builder.autogen_team,
    "ag2": ag2_builder.ag2,
    "adk": adk_builder.adk,
}


class Address(BaseModel):
    street: str
    number: int


@tool(read_only=True)
async def look_up(order: int) -> str:
    did(f"look_up {order}")
    return f"order {order} is paid"


@tool(approval=True)
async def pay(order: int, amount: float = 10.0) -> str:
    """Pay an order back."""
    if os.environ.get(DIES):
        did(f"pay {order} begins")
        os.kill(os.getpid(), signal.SIGKILL)
    did(f"pay {order} {amount}")
    return f"paid {order}"


@tool(approval=True)
async def close(order: int, amount: float = 10.0) -> str:
    """Close an order."""
    did(f"close {order} {amount}")
    return f"closed {order}"


@tool
async def settle(ctx: ToolContext, order: int) -> str:
    """Close an order and pay it back, once a person is sure."""
    if not await ctx.confirm("Really settle it?", details={"order": order}, impact="For good"):
        return "left alone"
    closed = await ctx.call(close, order=order, amount=3.0)
    paid = await ctx.call(pay, order=order, amount=3.5)
    return f"{closed}, {paid}"


async def decider(ctx: AgentContext) -> None:
    found = await ctx.call(look_up, order=8)
    await ctx.say(f"{found}. ")
    await ctx.say(f"{await ctx.call(pay, order=7)}, {await ctx.call(close, order=6)}.")


async def gatherer(ctx: AgentContext) -> None:
    done = await ctx.gather(*(ctx.call(pay, order=n) for n in (1, 2, 2, 3)))
    await ctx.say(", ".join(map(str, done)))


async def asker(ctx: AgentContext) -> None:
    chosen, address, sure, said = await ctx.gather(
        ctx.choose("Which one?", ["mass", "energy"]),
        ctx.form(Address, title="Your address"),
        ctx.confirm("Sure?", details={"amount": 1000}, impact="It ships"),
        ctx.ask("Why?"),
    )
    await ctx.say(f"{chosen!r} {address!r} {sure} {said}")


async def settler(ctx: AgentContext) -> None:
    await ctx.say(str(await ctx.call(settle, order=5)))


async def collided(ctx: AgentContext) -> None:
    """Looks up, pays, and asks: the payment was taken for the look-up, and never made."""
    found, paid = await ctx.call(look_up, order=7), await ctx.call(pay, order=7)
    await ctx.say(f"{found}, {paid}, {await ctx.ask('Anything else?')}")


async def payer(ctx: AgentContext) -> None:
    await ctx.say(str(await ctx.call(pay, order=9)))


async def parent(ctx: AgentContext) -> None:
    await ctx.say(str(await ctx.call("ask_clerk", task="1001")))


FUNCTIONS = (decider, gatherer, asker, settler, collided, payer, parent, clerk)


def programs() -> dict[str, Program]:
    """Every agent of the desk, by the name of its chat."""
    found: dict[str, Program] = {
        agent.__name__: AgentProgram(
            agent, name=agent.__name__, tools=[*TOOLS, look_up, pay, close, settle]
        )
        for agent in FUNCTIONS
    }
    for name, build in FRAMEWORKS.items():
        found[name] = build([Turn("I refund it. ", [REFUND, ("refund", {"order": 1002})])])
    gated: App = trips("confirm")
    found["gated"] = next(iter(gated.programs().values()))
    return found
