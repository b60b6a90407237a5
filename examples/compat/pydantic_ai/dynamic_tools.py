"""Tools that are prepared for each step, and toolsets that are combined, filtered and renamed."""

from pydantic_ai import Agent, RunContext
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import FunctionToolset

bank = FunctionToolset()


@bank.tool_plain
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


@bank.tool_plain
def steal(amount: int) -> str:
    """Steal."""
    return f"stole {amount}"


async def only_if(ctx: RunContext[None], definition: ToolDefinition) -> ToolDefinition | None:
    return definition


agent = Agent(
    "openai-chat:gpt-5-mini",
    name="desk",
    toolsets=[
        bank.filtered(lambda ctx, d: d.name != "steal")
        .prefixed("bank")
        .approval_required(lambda ctx, d, args: d.name == "bank_pay")
    ],
)


@agent.tool(prepare=only_if)
def look(ctx: RunContext[None]) -> str:
    """Look."""
    return f"step {ctx.run_step}"


PLAY = {
    "calls": [("bank_steal", {"amount": 1}), ("look", {}), ("bank_pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "paid 7",
}
