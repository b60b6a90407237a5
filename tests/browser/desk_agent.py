"""An office whose agents ask for all kinds of things, in one chat each; the words say for what.

sayso serve tests.browser.desk_agent:app
"""

from __future__ import annotations

import base64

from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from sayso import AgentContext, App, File, WebLink, tool
from sayso.tools.tool import Prepared


@tool(approval=True)
def refund(order: int, amount: str, card: str = "ending 4411") -> str:
    """Refund an order."""
    return f"{amount} paid back for order {order}"


@refund.prepare
def _refund(order: int, amount: str) -> Prepared:
    return Prepared(summary=f"Refund {amount} to order {order}")


@tool(approval=True, bulk=True)
def label_order(order: int, label: str) -> str:
    """Put a label on an order."""
    return f"order {order} is labelled {label}"


@label_order.prepare
def _label_order(order: int, label: str) -> Prepared:
    return Prepared(summary=f"Label order {order} “{label}”")


class Exchange(TypedDict):
    flow: str
    amount: str


@tool(approval=True, rows="exchanges", editable=["exchanges.amount"])
def add_exchanges(process: str, exchanges: list[Exchange]) -> str:
    """Add exchanges to a process."""
    what = ", ".join(f"{each['amount']} of {each['flow']}" for each in exchanges)
    return f"{len(exchanges)} exchanges added to {process}: {what}"


@add_exchanges.prepare
def _add_exchanges(process: str) -> Prepared:
    return Prepared(summary=f"Add 3 exchanges to “{process}”")


@tool(approval=True, final_confirmation=True, expires_in=3 * 3600)
def drop_database(name: str) -> str:
    """Drop a database."""
    return f"{name} is gone"


@drop_database.prepare
def _drop_database(name: str) -> Prepared:
    return Prepared(summary=f"Drop the database {name}", impact="It cannot be taken back.")


@tool(approval=True, assignees=["mara"], expires_in=40 * 60)
def send_offer(subject: str, customers: int) -> str:
    """Send an offer."""
    return f"sent to {customers} customers"


@send_offer.prepare
def _send_offer(subject: str, customers: int) -> Prepared:
    return Prepared(summary=f"Send “{subject}” to {customers} customers")


@tool(approval=True, expires_in=1)
def close_shop(reason: str) -> str:
    """Close the shop."""
    return f"closed for {reason}"


@tool(approval=True, final_confirmation=True)
def publish(policy: str, clauses: dict[str, str]) -> str:
    """Publish a policy."""
    return f"{policy} is published with {len(clauses)} clauses"


@publish.prepare
def _publish(policy: str) -> Prepared:
    return Prepared(
        summary=f"Publish the policy “{policy}” for every customer in every country",
        message="This replaces what every customer has agreed to. " * 6,
        impact="Everybody is written to tonight, and it cannot be taken back.",
        warnings=["Legal has not read clause 7.", "Clause 12 is longer than those before it."],
    )


#: A red dot.
DOT = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO"
    "9TXL0Y4OHwAAAABJRU5ErkJggg=="
)


@tool(approval=True, hold=3600)
def send_letter(to: str) -> str:
    """Send a letter, which nobody can call back once it has left."""
    return f"sent to {to}"


@send_letter.prepare
def _send_letter(to: str) -> Prepared:
    return Prepared(
        summary=f"Send the letter to {to}",
        attachments=[
            File(name="stamp.png", content=DOT, alt="A red stamp"),
            File(name="letter.pdf", content=b"%PDF-1.7 Dear all"),
            WebLink(url="https://post.example/letters/7?a-very-long-name=" + "x" * 60),
        ],
    )


async def support(ctx: AgentContext) -> None:
    kind, _, rest = ctx.message.partition(" ")
    match kind:
        case "refund":
            order, _, amount = rest.partition(" ")
            result = await ctx.call(refund, order=int(order), amount=amount or "€42.00")
        case "label":
            order, _, label = rest.partition(" ")
            result = await ctx.call(label_order, order=int(order), label=label or "urgent")
        case "labels":
            calls = [ctx.call(label_order, order=n, label="late") for n in range(1, int(rest) + 1)]
            result = f"{len(await ctx.gather(*calls))} orders are labelled"
        case "mixed":
            half = range(1, int(rest) // 2 + 1)
            calls = [ctx.call(label_order, order=n, label="late") for n in half]
            calls += [ctx.call(refund, order=n, amount="€42.00") for n in half]
            result = f"{len(await ctx.gather(*calls))} things are done"
        case "drop":
            result = await ctx.call(drop_database, name=rest or "shop")
        case "offer":
            result = await ctx.call(send_offer, subject=rest or "Spring", customers=214)
        case "publish":
            clauses = {f"Clause {n}": "What is sold is sold. " * 3 for n in range(1, 41)}
            result = await ctx.call(publish, policy=rest or "Returns", clauses=clauses)
        case "letter":
            result = await ctx.call(send_letter, to=rest or "Ada")
        case "soon":
            result = await ctx.call(close_shop, reason=rest or "holidays")
        case _:
            result = "I can refund, label, drop and offer."
    await ctx.say(str(result))


async def lca(ctx: AgentContext) -> None:
    if ctx.message.startswith("exchanges"):
        rows: list[Exchange] = [
            {"flow": "Portland cement", "amount": "300 kg"},
            {"flow": "Sand", "amount": "720 kg"},
            {"flow": "Steel", "amount": "110 kg"},
        ]
        result = await ctx.call(
            add_exchanges, process="Fabrication of reinforced concrete", exchanges=rows
        )
        return await ctx.say(str(result))
    chosen = await ctx.choose(
        "Which allocation method would you like to use?", ["Mass", "Economic", "Energy"]
    )
    await ctx.say(f"Good: {chosen}")


app = App(
    {"Support agent": support, "openLCA agent": lca},
    tools=[
        refund,
        label_order,
        add_exchanges,
        drop_database,
        send_offer,
        close_shop,
        publish,
        send_letter,
    ],
)
