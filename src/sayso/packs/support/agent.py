"""The support desk as a plain async function: it needs no key and no network, and is easily read.

When it waits for a person, nothing of it stays in memory; with the answer it is run again from its
start, and each `ctx` step gives what it gave before. So all it knows comes from its message and
from `ctx`, and the same sentence always does the same.
"""

from __future__ import annotations

import asyncio
import datetime
import os
import re
from collections.abc import Awaitable, Callable
from importlib.resources import files
from typing import Literal

from pydantic import BaseModel, Field, JsonValue

from sayso import AgentContext, StepFailed, Unanswered
from sayso.core.digest import JsonObject
from sayso.packs.guided import objects, show_stage

_HELP = """I am the support desk of a small shop that sells boxes by the month. Try one of these:

- **refund order 1001**, or **refund orders 1001, 1002 and 1003**: I propose, you decide
- **refund my order**: I ask which one you mean
- **change my delivery**: a form
- **check my orders**: a report
- **write a summary**: a page beside the chat that you can edit
- **tell me a story**: a long text
- **ask me something**
- **fail softly**, **fail badly**: what errors look like
"""
_STAGES = {"look_up": "Look up", "propose": "Propose", "decide": "Decide", "done": "Done"}
_DEFAULT_REASON = "The customer asked for it."


class Delivery(BaseModel):
    """Where and when the box should come."""

    order_id: Literal["1001", "1004", "1009"] = Field(title="Order")
    street: str = Field(title="Street and number", min_length=3, max_length=80)
    city: str = Field(title="City", min_length=2, max_length=60)
    postcode: str = Field(
        title="Postcode",
        description="Three to ten letters and digits, for example 223 59",
        pattern=r"^[A-Za-z0-9][A-Za-z0-9 \-]{2,9}$",
    )
    date: datetime.date = Field(title="Delivery date")
    instructions: str = Field("", title="Instructions for the driver", max_length=200)


async def support_desk(ctx: AgentContext) -> None:
    """Answers what its help says; anything else gets the help."""
    words = ctx.message.lower()
    try:
        for pattern, answer in _ANSWERS:
            if re.search(pattern, words):
                return await answer(ctx)
        await ctx.say(_HELP)
    except Unanswered:
        await ctx.say("All right, I leave everything as it is.")


# ── refunds ──


async def _refund_named(ctx: AgentContext) -> None:
    numbers = list(dict.fromkeys(re.findall(r"\b\d{4}\b", ctx.message)))
    await show_stage(ctx, _STAGES, "look_up")
    orders = [order for number in numbers if (order := await _look_up(ctx, number))]
    if not orders:
        return await ctx.say("I know no such order, so there is nothing to refund.")
    await _propose(ctx, orders, _DEFAULT_REASON)


async def _refund_one_of_mine(ctx: AgentContext) -> None:
    await show_stage(ctx, _STAGES, "look_up")
    orders = objects(await ctx.call("list_orders"))
    options: list[JsonObject] = [
        {
            "id": order["order_id"],
            "label": f"Order {order['order_id']}: {order['box']}",
            "description": f"{_euros(order['left_to_refund'])}, {order['status']}",
        }
        for order in orders
    ]
    chosen = await ctx.choose(
        "Which of your orders should I refund?", options, workflow_stage="look_up"
    )
    wanted = [order for order in orders if order["order_id"] == chosen.id]
    await _propose(ctx, wanted, chosen.notes or _DEFAULT_REASON)


async def _propose(ctx: AgentContext, orders: list[JsonObject], reason: str) -> None:
    """One approval card for each order, all at once; then how each of them ended."""
    await show_stage(ctx, _STAGES, "propose")
    await ctx.say(" ".join(_found(order) for order in orders) + _now_you(len(orders)))
    await show_stage(ctx, _STAGES, "decide")
    ended = await ctx.gather(*(_refund(ctx, order, reason) for order in orders))
    await show_stage(ctx, _STAGES, "done")
    lines = [_told(order, result) for order, result in zip(orders, ended, strict=True)]
    await ctx.say("\n".join(lines) if len(lines) == 1 else "\n".join(f"- {x}" for x in lines))


async def _refund(ctx: AgentContext, order: JsonObject, reason: str) -> JsonValue:
    try:
        return await ctx.call(
            "refund_order",
            order_id=order["order_id"],
            amount=order["left_to_refund"],
            reason=reason,
        )
    except StepFailed as exc:
        return {"status": "error", "message": exc.message}


async def _look_up(ctx: AgentContext, number: str) -> JsonObject | None:
    try:
        found = await ctx.call("look_up_order", order_id=number)
    except StepFailed:
        return None  # its card says so already
    return found if isinstance(found, dict) else None


def _found(order: JsonObject) -> str:
    box = f"{order['box']} no. {order['box_number']}"
    left = _euros(order["left_to_refund"])
    return f"Order {order['order_id']} is {order['customer']}'s {box}, {left}, {order['status']}."


def _now_you(count: int) -> str:
    return f" {'This refund needs' if count == 1 else 'These refunds need'} your approval."


def _told(order: JsonObject, result: object) -> str:
    name = f"order {order['order_id']}"
    match result:
        case {"status": "refunded", "amount": amount, "card": card}:
            return f"Done: {_euros(amount)} for {name} goes back to the card ending {card}."
        case {"status": "dismissed"}:
            return f"You skipped {name}; nothing was refunded."
        case {"status": "error", "message": message}:
            return f"I could not refund {name}: {message}."
        case {"reason": str(reason)}:
            return f"I have not refunded {name}. Your reason: {reason}"
        case _:
            return f"Nothing was refunded for {name}."


# ── the other answers ──


async def _change_delivery(ctx: AgentContext) -> None:
    mine = objects(await ctx.call("list_orders"))
    now = next((o["delivery"] for o in mine if o["order_id"] == "1004"), None)
    known = dict(now) if isinstance(now, dict) else {}
    # The book may be older than the day that it says.
    if str(known.get("date") or "") <= ctx.now().date().isoformat():
        known.pop("date", None)
    wanted = await ctx.form(
        Delivery,
        title="Change a delivery",
        message="Where and when should the box come?",
        values={"order_id": "1004", **{k: v for k, v in known.items() if v}},
        submit_label="Continue",
    )
    agreed = await ctx.confirm(
        f"Change the delivery of order {wanted.order_id}?",
        details={
            "To": f"{wanted.street}, {wanted.postcode} {wanted.city}",
            "On": _day(wanted.date),
            "For the driver": wanted.instructions or "nothing",
        },
        impact="The driver gets the new address at once.",
    )
    if not agreed:
        return await ctx.say("Then the delivery stays as it was.")
    await ctx.call("change_delivery", **wanted.model_dump(mode="json"))
    await ctx.say(
        f"Done: order {wanted.order_id} comes to {wanted.street}, {wanted.city}, "
        f"on {_day(wanted.date)}."
    )


def _day(date: datetime.date) -> str:
    """In words, so that nobody takes the month for the day."""
    return f"{date.day} {date:%B %Y}"


async def _check_orders(ctx: AgentContext) -> None:
    await ctx.call("check_orders")
    await ctx.say("I checked all orders; here is the report.")


async def _write_summary(ctx: AgentContext) -> None:
    orders = objects(await ctx.call("list_orders"))
    lines = ["# Your orders", "", "| Order | Box | Paid | Status |", "| --- | --- | --- | --- |"]
    for order in orders:
        cells = (order["order_id"], order["box"], _euros(order["paid"]), order["status"])
        lines.append(f"| {' | '.join(str(cell) for cell in cells)} |")
    await ctx.show(title="Summary of your orders", content="\n".join(lines) + "\n")
    await ctx.say("Your summary is in the panel. You can edit it.")


async def _tell_a_story(ctx: AgentContext) -> None:
    story = files(__package__).joinpath("story.md").read_text(encoding="utf-8")
    # Words with the space after them, a few milliseconds apart, as a model would write them.
    pause_seconds = float(os.environ.get("SAYSO_DEMO_TOKEN_MS", "8")) / 1000
    for word in re.findall(r"\S+\s*", story):
        await ctx.say(word)
        if pause_seconds > 0:
            await asyncio.sleep(pause_seconds)


async def _ask_something(ctx: AgentContext) -> None:
    answer = await ctx.ask("What was the best thing in your last box?")
    await ctx.say(f"You said: {answer}\n\nI have noted it, thank you.")


async def _fail_softly(ctx: AgentContext) -> None:
    try:
        await ctx.call("create_return_label", order_id="1001", carrier="Pigeon Post")
    except StepFailed:
        await ctx.say("No label was made. Correct the carrier on the card, and retry it there.")


async def _fail_badly(ctx: AgentContext) -> None:
    await ctx.call("count_stock")
    await ctx.say("I can’t count the stock until that is fixed.")


_ANSWERS: tuple[tuple[str, Callable[[AgentContext], Awaitable[None]]], ...] = (
    (r"\brefund\b.*\b\d{4}\b", _refund_named),
    (r"\brefund\b", _refund_one_of_mine),
    (r"\bdelivery\b", _change_delivery),
    (r"\bcheck\b", _check_orders),
    (r"\bsummary\b", _write_summary),
    (r"\bstory\b", _tell_a_story),
    (r"\bask me\b", _ask_something),
    (r"\bfail softly\b", _fail_softly),
    (r"\bfail badly\b", _fail_badly),
)


def _euros(amount: JsonValue) -> str:
    return f"€{float(str(amount)):.2f}"
