"""A function that shortens the history, and instructions of functions."""

from pydantic_ai import Agent, ApprovalRequired, ModelMessage, RunContext, ToolReturn
from pydantic_ai.capabilities import ProcessHistory


def keep_recent(messages: list[ModelMessage]) -> list[ModelMessage]:
    return messages[-10:]


agent = Agent("openai-chat:gpt-5-mini", name="desk", capabilities=[ProcessHistory(keep_recent)])


@agent.instructions
def who(ctx: RunContext[None]) -> str:
    return "You pay."


@agent.tool
def pay(ctx: RunContext[None], amount: int) -> ToolReturn:
    """Pay."""
    if amount > 5 and not ctx.tool_call_approved:
        raise ApprovalRequired(metadata={"why": "much"})
    return ToolReturn(return_value=f"paid {amount}", metadata={"x": 1})


PLAY = {"calls": [("pay", {"amount": 7})], "answers": [{"decision": "approve"}], "says": "paid 7"}
