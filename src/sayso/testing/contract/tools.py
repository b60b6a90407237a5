"""The tools of the contract; what they do is written down where every process can see it."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

from pydantic import BaseModel

from sayso.core.digest import JsonObject
from sayso.core.policy_rules import Rule, Verdict
from sayso.tools.agents import agent_tool
from sayso.tools.context import AgentContext, ToolContext
from sayso.tools.tool import tool

_ledger: Path | None = None
entered, may_return = threading.Event(), threading.Event()


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
    """Return everything that was done, in order."""
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
    may_return.wait(60)
    did("slow_thread")
    return "late"


@tool
def broken() -> None:
    """Raise."""
    raise KeyError("lost")


@tool(approval=True)
def charge(order: int) -> None:
    """Act, and raise."""
    did(f"charge {order}")
    raise OSError("connection reset")


#: Hands a task to `clerk`, an agent of another framework.
ask_clerk = agent_tool("clerk", description="Let the clerk refund the order of this number.")

TOOLS = (
    refund,
    peek,
    act,
    where,
    deliver,
    work,
    slow_async,
    slow_thread,
    broken,
    charge,
    ask_clerk,
)
REFUND = ("refund", {"order": 1001})


async def clerk(ctx: AgentContext) -> str:
    """Return the other agent: a plain function, which refunds the order it is told."""
    await ctx.say("The clerk is at it. ")
    refunded = await ctx.call("refund", order=int(ctx.message))
    return f"The clerk says {refunded}"


# ── a tool of the framework's own: builders wrap this plain function as its users would ──


async def own_refund(order: int, amount: float = 42.0) -> str:
    """Refund an order, by a tool that knows nothing of Sayso."""
    did(f"own_refund {order} {amount}")
    if order in (RAISES, RAISES_UNASKED):
        raise OSError("connection reset")
    return f"refunded {amount}"


#: Orders whose refund acts and then raises, after a person's yes and without one.
RAISES, RAISES_UNASKED = 1013, 1014
#: The policy of an `own_tools` builder: a person is asked, by the tool's name.
OWN_POLICY = (Rule(tool="own_refund", when={"order": {"ne": RAISES_UNASKED}}, then=Verdict.ASK),)
OWN_REFUND = ("own_refund", {"order": 1001, "amount": 42.0})


def own_slow() -> str:
    """Take long, blocking, by a tool that knows nothing of Sayso."""
    entered.set()
    may_return.wait(60)
    did("own_slow")
    return "late"


def own_final() -> str:
    """Give the last word."""
    did("own_final")
    return "That is final."


#: What a tool may return to ask a person (docs/reference/contracts.md).
QUESTION_RESULT: JsonObject = {
    "user_input_required": True,
    "question": "Which allocation?",
    "options": [
        {"id": "mass", "label": "Mass allocation"},
        {"id": "economic", "label": "Economic allocation"},
    ],
}


class OrderState(BaseModel):
    """The structured answer of an agent."""

    order: str
    ok: bool


#: What a scripted model gives as its structured answer, and what it gives first where a function
#: looks at it: that function returns an OrderState that is not `ok`.
ANSWER: JsonObject = {"order": "A1", "ok": True}
POOR_ANSWER: JsonObject = {"order": "A1", "ok": False}
