"""What the support desk can do, as tools: the same ones, whether words or a model drive it.

Nothing here knows how people are asked. `refund_order` only says that it needs approval, and what
there is to approve.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, JsonValue

from sayso import Prepared, ProposalStale, ToolContext, ToolMistake, tool
from sayso.packs.support.orders import ME, BookMoved, NoSuchOrder, Order, OrderBook, euros

Result = dict[str, JsonValue]
OrderId = Annotated[str, Field(description="Four digits, for example 1001")]
Amount = Annotated[
    float,
    Field(
        gt=0,
        le=10_000,
        title="Amount in euros",
        json_schema_extra={"format": "currency", "currency": "EUR"},
    ),
]
#: Whose vans stop at the warehouse.
CARRIERS = ("PostNord", "DHL", "An Post")


def support_tools(book: OrderBook) -> list[object]:
    """Return the tools of a desk that works on this order book."""

    @tool(read_only=True)
    def look_up_order(order_id: OrderId) -> Result:
        """Everything about one order: items, amounts, delivery."""
        return _as_result(_find(book, order_id))

    @tool(read_only=True)
    def list_orders() -> list[Result]:
        """The orders of the person who asks."""
        return [_as_result(order) for order in book.orders(customer=ME)]

    @tool(approval=True, idempotent=True, destructive=True, editable=["amount"])
    def refund_order(
        ctx: ToolContext,
        order_id: OrderId,
        amount: Amount,
        reason: str = "The customer asked for it.",
    ) -> Result:
        """Pay money back for an order. It cannot be undone."""
        assert ctx.proposal is not None  # approval=True: without one the body does not run
        box_number = int(str(ctx.proposal.data["box_number"]))
        try:
            order = book.refund(ctx.idempotency_key, order_id, box_number, _cents(amount), reason)
        except BookMoved as exc:
            raise ProposalStale(str(exc)) from exc
        return {
            "status": "refunded",
            "order_id": order_id,
            "amount": amount,
            "card": order.card,
            "reason": reason,
        }

    @refund_order.prepare
    def propose_refund(order_id: OrderId, amount: Amount, reason: str) -> Prepared:
        order = _find(book, order_id)
        _check_amount(order, amount)
        warnings = []
        if order.status != "delivered":
            warnings.append(f"This box is {order.status}; the customer does not have it yet.")
        if order.refunded_cents:
            warnings.append(f"{euros(order.refunded_cents)} were paid back for it before.")
        return Prepared(
            summary=f"Refund {euros(_cents(amount))} for order {order_id}",
            message=f"I’d like to refund {euros(_cents(amount))} to {order.customer}.",
            entity_type="refund",
            action="create",
            details={
                "order_id": order_id,
                "customer": order.customer,
                "box": f"{order.box} no. {order.box_number}",
                "items": [_item_line(item.name, item.quantity, item.cents) for item in order.items],
                "paid": euros(order.paid_cents),
                "already_refunded": euros(order.refunded_cents),
                "amount": amount,
                "card": f"ending {order.card}",
                "reason": reason,
            },
            # Without the amount: it can be changed on the card, and this sentence then still holds.
            impact=f"The money goes back to the card ending {order.card}. This cannot be undone.",
            warnings=warnings,
            data={"box_number": order.box_number},
        )

    @tool(idempotent=True)
    def change_delivery(  # noqa: PLR0917  # a tool's arguments come by name
        order_id: OrderId,
        street: str,
        city: str,
        postcode: str,
        date: Annotated[str, Field(description="YYYY-MM-DD", pattern=r"^\d{4}-\d{2}-\d{2}$")],
        instructions: str = "",
    ) -> Result:
        """Where and when an order is delivered."""
        _find(book, order_id)
        order = book.deliver_to(
            order_id,
            street=street,
            city=city,
            postcode=postcode,
            delivery_date=date,
            instructions=instructions,
        )
        return {"status": "changed", **_as_result(order)}

    @tool(read_only=True)
    def check_orders() -> Result:
        """Check the order book, and report what is missing or wrong in it."""
        return report_on(book.orders())

    @tool(idempotent=True)
    def create_return_label(ctx: ToolContext, order_id: OrderId, carrier: str) -> Result:
        """A label with which a customer sends a box back."""
        _find(book, order_id)
        if carrier not in CARRIERS:
            raise ToolMistake(
                f"{carrier} does not deliver here",
                details=f"No label was made for order {order_id}.",
                suggestion=f"Use one of {', '.join(CARRIERS)}.",
            )
        book.add_label(ctx.idempotency_key, order_id, carrier)
        return {"status": "made", "order_id": order_id, "carrier": carrier}

    @tool(read_only=True)
    def count_stock() -> Result:
        """How many boxes lie in the warehouse. The demo's warehouse never answers."""
        return {
            "status": "critical_failure",
            "message": "The warehouse does not answer",
            "details": "Its scales were asked three times and said nothing.",
            "resolution_steps": [
                "Look whether the lamp on the warehouse scales is lit",
                "Restart the scales with the switch on the back",
                "Then select Try again",
            ],
        }

    return [
        look_up_order,
        list_orders,
        refund_order,
        change_delivery,
        check_orders,
        create_return_label,
        count_stock,
    ]


def _find(book: OrderBook, order_id: str) -> Order:
    try:
        return book.order(order_id)
    except NoSuchOrder as exc:
        known = [order.order_id for order in book.orders()]
        raise ToolMistake(
            str(exc), suggestion=f"Use a number from {known[0]} to {known[-1]}."
        ) from exc


def _check_amount(order: Order, amount: float) -> None:
    if abs(amount * 100 - _cents(amount)) > 1e-6:
        raise ToolMistake(f"{amount} euros cannot be paid", suggestion="Use at most two decimals.")
    if _cents(amount) > order.left_cents:
        raise ToolMistake(
            f"{euros(_cents(amount))} is more than can be paid back for order {order.order_id}",
            suggestion=f"At most {euros(order.left_cents)} is left of this box.",
        )


def report_on(orders: list[Order]) -> Result:
    """Return a validation report on these orders."""
    errors = [f"Order {order.order_id} has no items" for order in orders if not order.paid_cents]
    warnings = [
        f"Order {order.order_id} has no {what}"
        for order in orders
        for what, value in (("delivery date", order.delivery_date), ("postcode", order.postcode))
        if not value
    ]
    return {
        "status": "validation_complete",
        "process_id": "order-book",
        "process_name": "The order book",
        "is_valid": not errors,
        "validation_errors": list(errors),
        "validation_warnings": list(warnings),
        "exchange_summary": {
            "total_orders": len(orders),
            "being_packed": sum(order.status == "being packed" for order in orders),
            "on_the_way": sum(order.status == "on the way" for order in orders),
            "delivered": sum(order.status == "delivered" for order in orders),
        },
        # Each is something to say: a press puts it into the message.
        "next_steps": [
            "Write a summary of my orders",
            *(
                f"Refund {gap[0].lower()}{gap[1:].replace(' has', ', which has')}"
                for gap in warnings
            ),
        ],
    }


def _as_result(order: Order) -> Result:
    return {
        "order_id": order.order_id,
        "customer": order.customer,
        "box": order.box,
        "box_number": order.box_number,
        "status": order.status,
        "items": [_item_line(item.name, item.quantity, item.cents) for item in order.items],
        "paid": order.paid_cents / 100,
        "left_to_refund": order.left_cents / 100,
        "delivery": {
            "street": order.street,
            "city": order.city,
            "postcode": order.postcode,
            "date": order.delivery_date,
            "instructions": order.instructions,
        },
    }


def _item_line(name: str, quantity: int, cents: int) -> str:
    return f"{quantity} × {name}, {euros(quantity * cents)}"


def _cents(amount: float) -> int:
    return round(amount * 100)
