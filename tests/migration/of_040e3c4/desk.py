"""The agent whose runs wait in the files beside this one."""

from __future__ import annotations

from sayso import AgentContext, tool
from sayso.app import App
from sayso.core.digest import JsonObject

#: What the agent would show and do, as a test turns it.
price = [10]
amount = [1000]
did: list[str] = []


@tool(approval=True, secrets=["pin"])
def refund(order: int, amount: float, pin: str) -> str:
    did.append(f"refund {order} {amount} {pin}")
    return "refunded"


@tool(approval=True)
def buy(item: str) -> str:
    did.append(f"buy {item}")
    return "bought"


@buy.prepare
def _(item: str) -> JsonObject:
    return {"impact": f"costs {price[0]}", "data": {"price": price[0]}}


async def agent(ctx: AgentContext) -> str:
    said = await ctx.gather(
        ctx.call(refund, order=7, amount=5.5, pin="4711"),
        ctx.call(buy, item="lamp"),
        ctx.confirm("Pay?", details={"Amount": amount[0]}),
        ctx.ask("Which account?"),
        ctx.ask("Which colour?"),
    )
    return " ".join(map(str, said))


def app() -> App:
    return App(agent, tools=[refund, buy])
