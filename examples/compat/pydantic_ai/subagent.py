"""An agent that a tool runs, with a tool that needs approval."""

from pydantic_ai import Agent, RunContext

payer = Agent("openai-chat:gpt-5-mini", name="payer")


@payer.tool_plain(requires_approval=True)
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


agent = Agent("openai-chat:gpt-5-mini", name="desk")


@agent.tool
async def let_pay(ctx: RunContext, amount: int) -> str:
    """Let the payer pay."""
    result = await payer.run(f"Pay {amount}", usage=ctx.usage)
    return result.output


PLAY = {
    "calls": [("let_pay", {"amount": 7}), ("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "paid 7",
}
