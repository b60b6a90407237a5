"""A tool that needs approval for some of its calls."""

from typing import Any

from agents import Agent, RunContextWrapper, function_tool, set_default_openai_api

set_default_openai_api("chat_completions")


async def is_much(ctx: RunContextWrapper[Any], arguments: dict[str, Any], call_id: str) -> bool:
    return int(arguments["amount"]) > 100


@function_tool(needs_approval=is_much)
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


agent = Agent(name="desk", model="gpt-5-mini", tools=[pay])
PLAY = {
    "calls": [("pay", {"amount": 700})],
    "answers": [{"decision": "approve"}],
    "says": "paid 700",
}
