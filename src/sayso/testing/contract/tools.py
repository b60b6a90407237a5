"""The tools of the contract; what they do is written down where every process can see it."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

from pydantic import BaseModel

from sayso.core.digest import JsonObject
from sayso.core.policy import Rule, Verdict
from sayso.tools.agents import agent_tool
from sayso.tools.context import AgentContext, ToolContext
from sayso.tools.tool import tool

_ledger: Path | None = None
entered, leave = threading.Event(), threading.Event()


def use_ledger(path: Path) -> None:
    """From now on the tools of this process write here."""
    global _ledger  # noqa: PLW0603  # tools are module level; the ledger is their test's
    _ledger = path


def did(what: str) -> None:
    """Note a deed, whichever process did it."""
    assert _ledger is not None
    with _ledger.open("a") as file:
        file.write(what + "\n")


def deeds() -> list[str]:
    """Everything that was done, in order."""
    assert _ledger is not None
    return _ledger.read_text().splitlines() if _ledger.exists() else []


def ledger() -> Path:
    assert _ledger is not None
    return _ledger


@tool(approval=True)
async def refund(order: int, amount: float = 42.0) -> JsonObject:
    """Refund an order."""
    did(f"refund {order} {amount}")
    return {"refunded": amount, "order": order}


@tool(read_only=True)
def peek() -> str:
    """Look at something."""
    did("peek")
    return "seen"


@tool
async def act(n: int) -> str:
    """Do something that counts."""
    did(f"act {n}")
    return f"acted {n}"


@tool(read_only=True)
async def where(ctx: ToolContext) -> str:
    """Ask where."""
    return await ctx.ask("Which region?")


class Address(BaseModel):
    street: str
    number: int


@tool(read_only=True)
async def deliver(ctx: ToolContext) -> str:
    """Ask for the address."""
    address = await ctx.form(Address, title="Your address")
    return f"{address.street} {address.number}"


@tool(read_only=True)
async def work(ctx: ToolContext) -> str:
    """Work in stages."""
    await ctx.progress(["read", "write"], current="read", fraction=0.5)
    return "worked"


@tool
async def slow_async() -> str:
    """Take long, awaiting."""
    entered.set()
    await asyncio.sleep(60)
    return "too late"


@tool
def slow_thread() -> str:
    """Take long, blocking."""
    entered.set()
    leave.wait(60)
    did("slow_thread")
    return "late"


@tool
def broken() -> None:
    """Raise."""
    raise KeyError("lost")


#: Hands a task to `clerk`, an agent of another framework.
ask_clerk = agent_tool("clerk", description="Let the clerk refund the order of this number.")

TOOLS = (refund, peek, act, where, deliver, work, slow_async, slow_thread, broken, ask_clerk)
REFUND = ("refund", {"order": 1001})


async def clerk(ctx: AgentContext) -> str:
    """The other agent: a plain function, which refunds the order it is told."""
    await ctx.say("The clerk is at it. ")
    refunded = await ctx.call("refund", order=int(ctx.message))
    return f"The clerk says {refunded}"


# ── a tool of the framework's own: builders wrap this plain function as its users would ──


async def own_refund(order: int, amount: float = 42.0) -> str:
    """Refund an order, by a tool that knows nothing of Sayso."""
    did(f"own_refund {order} {amount}")
    return f"refunded {amount}"


#: The policy of an `own_tools` builder: a person is asked, by the tool's name.
OWN_POLICY = (Rule(tool="own_refund", then=Verdict.ASK),)
OWN_REFUND = ("own_refund", {"order": 1001, "amount": 42.0})
