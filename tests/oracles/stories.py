"""Cards of every kind, each as a short story: tools that write down what they did, and an agent."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, create_model

from sayso import AgentContext, Prepared, ToolContext, ToolMistake, tool
from tests.oracles.desk import Desk, Ledger, Story, Wire, story_of


class Payment(BaseModel):
    model_config = ConfigDict(extra="forbid")

    to: str
    amount: float


def tools(ledger: Ledger) -> dict[str, Any]:
    """The tools by name. Each takes down the arguments that its body really got."""

    def ran(ctx: ToolContext, name: str, /, **arguments: object) -> str:
        ledger.write(story_of(ctx), tool=name, arguments=arguments)
        return "done"

    @tool(approval=True, editable=["amount", "note"])
    def pay(
        ctx: ToolContext, order: int, amount: Annotated[float, Field(ge=0)], note: str = ""
    ) -> str:
        return ran(ctx, "pay", order=order, amount=amount, note=note)

    @tool(approval=True, editable=["amount"], bulk=True)
    def pay_any(ctx: ToolContext, order: int, amount: float) -> str:
        return ran(ctx, "pay_any", order=order, amount=amount)

    @tool(approval=True, final_confirmation=True)
    def wipe(ctx: ToolContext) -> str:
        return ran(ctx, "wipe")

    @tool(approval=True, rows="payments", editable=["payments.amount"])
    def pay_list(ctx: ToolContext, batch: str, payments: list[dict[str, Any]]) -> str:
        return ran(ctx, "pay_list", batch=batch, payments=payments)

    @tool(approval=True, rows="payments", editable=["payments.amount"])
    def pay_typed(ctx: ToolContext, payments: list[Payment]) -> str:
        return ran(ctx, "pay_typed", payments=[each.model_dump() for each in payments])

    @tool(approval=True, rows="items")
    def pay_mixed(ctx: ToolContext, items: list[Any]) -> str:
        return ran(ctx, "pay_mixed", items=items)

    @tool(approval=True, rows="payments")
    def pay_grouped(ctx: ToolContext, payments: list[dict[str, Any]]) -> str:
        return ran(ctx, "pay_grouped", payments=payments)

    @pay_grouped.prepare
    def group(payments: list[dict[str, Any]]) -> Prepared:
        names = dict.fromkeys(each["to"] for each in payments)
        counts = {name: sum(each["to"] == name for each in payments) for name in names}
        return Prepared(rows=[{"to": name, "count": counts[name]} for name in names])

    @tool(approval=True, rows="payments")
    def pay_turned(ctx: ToolContext, payments: list[dict[str, Any]]) -> str:
        return ran(ctx, "pay_turned", payments=payments)

    @pay_turned.prepare
    def turn(payments: list[dict[str, Any]]) -> Prepared:
        return Prepared(rows=list(reversed(payments)))

    @tool(approval=True, rows="payments")
    def pay_told(ctx: ToolContext, payments: list[dict[str, Any]]) -> str:
        return ran(ctx, "pay_told", payments=payments)

    @pay_told.prepare
    def tell_more(payments: list[dict[str, Any]]) -> Prepared:
        return Prepared(rows=[{**each, "bank": "ours"} for each in payments])

    @tool(approval=True)
    def pay_month(ctx: ToolContext, month: str) -> str:
        return ran(ctx, "pay_month", month=month)

    @pay_month.prepare
    def of_month(month: str) -> Prepared:
        return Prepared(rows=[{"to": f"{month}-{n}", "amount": n} for n in range(3)])

    @tool(approval=True, editable=["amount"])
    def pay_shown(ctx: ToolContext, order: int, amount: float) -> str:
        return ran(ctx, "pay_shown", order=order, amount=amount)

    @pay_shown.prepare
    def shows_the_amount(amount: float) -> Prepared:
        return Prepared(impact=f"{amount:.2f} goes out.")

    @tool(approval=True, editable=["amount"])
    def pay_little(ctx: ToolContext, order: int, amount: float) -> str:
        return ran(ctx, "pay_little", order=order, amount=amount)

    @pay_little.prepare
    def not_too_much(amount: float) -> Prepared:
        if amount > 10:
            raise ToolMistake("This is more than was paid.", suggestion="Pay less.")
        return Prepared(summary="Pay a little")

    @tool
    def act(ctx: ToolContext, tool_name: str, arguments: dict[str, Any]) -> str:
        return ran(ctx, tool_name, **arguments)

    def create_product(name: str) -> Wire:
        """An approval payload as a tool: it does nothing but ask."""
        return foreign_request("output_product", name=name)

    def add_exchanges(exchanges: list[dict[str, Any]]) -> Wire:
        return foreign_request("exchanges_batch", exchanges=exchanges)

    return {name: each for name, each in locals().items() if name not in _NOT_TOOLS}


_NOT_TOOLS = {"ledger", "ran", "group", "turn", "tell_more", "of_month"} | {
    "shows_the_amount",
    "not_too_much",
}
ROWS: list[Wire] = [
    {"to": "a", "amount": 1.0},
    {"to": "b", "amount": 2.0},
    {"to": "a", "amount": 3.0},
]
EQUAL_ROWS: list[Wire] = [{"to": "a", "amount": 1.0}] * 2

#: The calls of gated tools that a case may make, by the name of the kind of its card.
CALLS: dict[str, tuple[str, Wire]] = {
    "plain": ("pay", {"order": 7, "amount": 5.0, "note": "box"}),
    "one of many": ("pay_any", {"order": 7, "amount": 5.0}),
    "final": ("wipe", {}),
    "table": ("pay_list", {"batch": "b", "payments": ROWS}),
    "equal rows": ("pay_list", {"batch": "b", "payments": EQUAL_ROWS}),
    "no rows": ("pay_list", {"batch": "b", "payments": []}),
    "typed table": ("pay_typed", {"payments": ROWS}),
    "mixed table": ("pay_mixed", {"items": [{"x": 1}, "EVIL", {"x": 2}]}),
    "grouped table": ("pay_grouped", {"payments": ROWS}),
    "turned table": ("pay_turned", {"payments": ROWS}),
    "told table": ("pay_told", {"payments": ROWS}),
    "prepared rows": ("pay_month", {"month": "May"}),
    "shown amount": ("pay_shown", {"order": 7, "amount": 5.0}),
    "refusing tool": ("pay_little", {"order": 7, "amount": 5.0}),
}
FIELDS: dict[str, dict[str, Any]] = {
    "form": {"street": (str, ...), "floors": (int, ...)},
    "form of our names": {
        "amount": (int, ...),
        "reason": (str, ...),
        "decision": (str, ...),
        "digest": (str, ...),
        "metadata": (str, ...),
        "values": (str, ...),
    },
    "form with approved": {"approved": (bool, ...), "interaction_id": (str, ...)},
}
SCHEMAS: dict[str, Wire] = {
    "ui tool": {"plan": "string"},
    "ui tool of our names": {"reason": "string", "decision": "string", "edits": "string"},
}
#: Two equal calls at once; some may be approved together with others.
TWICE = {"two alike": "plain", "two of many": "one of many"}
KINDS = (
    *CALLS,
    *FIELDS,
    *SCHEMAS,
    *TWICE,
    "confirm",
    "choose",
    "free",
    "approve",
    "foreign",
    "foreign rows",
)


def story(desk: Desk, kind: str, by_name: dict[str, Any]) -> Story:
    """What the agent does: it asks, and does what it was told, once for each yes that it heard."""

    async def act(ctx: AgentContext, tool_name: str, /, **arguments: object) -> None:
        await ctx.call(by_name["act"], tool_name=tool_name, arguments=arguments)

    async def told(ctx: AgentContext) -> None:
        schema: Wire
        if kind in CALLS:
            name, arguments = CALLS[kind]
            await ctx.call(by_name[name], **arguments)
        elif kind in TWICE:
            name, arguments = CALLS[TWICE[kind]]
            twice = (ctx.call(by_name[name], **arguments) for _ in range(2))
            await ctx.gather(*twice)
        elif kind in FIELDS:
            values = await ctx.form(create_model("Values", **FIELDS[kind]), title="Fill in")
            await act(ctx, "form", **values.model_dump())
        elif kind in SCHEMAS:
            properties: Wire = {name: {"type": of} for name, of in SCHEMAS[kind].items()}
            schema = {"type": "object", "properties": properties, "required": [*properties]}
            heard = await ctx.ui_tool("Plan", {"title": "Plan"}, response_schema=schema)
            await act(ctx, "ui_tool", **heard)
        elif kind == "confirm":
            if await ctx.confirm("Sure?", details={"amount": 1000}):
                await act(ctx, "confirmation", title="Sure?")
        elif kind == "choose":
            chosen = await ctx.choose("Which?", ["red", "blue"])
            await act(ctx, "options", id=chosen.id, notes=chosen.notes)
        elif kind == "free":
            await act(ctx, "options", id=None, notes=await ctx.ask("Where to?"))
        elif kind == "approve":
            details = {"name": "box", "count": 3}
            schema = {"type": "object", "properties": {"count": {"type": "integer"}}}
            decision = await ctx.approve("product", "A box", details, edit_schema=schema)
            if decision.approved:
                await act(ctx, "product", **{**details, **decision.edits})
        else:
            await foreign(ctx)

    async def foreign(ctx: AgentContext) -> None:
        arguments: Wire
        if kind == "foreign":
            name, arguments = "create_product", {"name": "box"}
        else:
            name, arguments = "add_exchanges", {"exchanges": ROWS}
        heard: Any = await ctx.call(by_name[name], **arguments)
        if (now := to_do(arguments, heard)) is not None:
            await act(ctx, name, **now)

    return told


def to_do(arguments: Wire, heard: Wire) -> Wire | None:
    """What an agent does that asked by an approval payload and heard this: only what it heard."""
    said = heard.get("tool_response", {}).get("approval_decision", {})
    if said.get("decision") not in ("approve", "partial"):
        return None
    kept = said.get("approved_rows") or [str(n + 1) for n in range(len(ROWS))]
    if "exchanges" in arguments and said.get("decision") == "partial":
        arguments = {"exchanges": [r for n, r in enumerate(ROWS) if str(n + 1) in kept]}
    return arguments | dict(said.get("edits", {}))


def foreign_request(entity_type: str, **details: object) -> Wire:
    request = {
        "entity_type": entity_type,
        "entity_summary": "It is ready",
        "entity_details": details,
        "action": "create",
        "impact": "It will be there.",
    }
    return {"status": "approval_required", "message": "Ready", "approval_request": request}
