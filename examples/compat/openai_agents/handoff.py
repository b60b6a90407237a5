"""A handover to another agent."""

from agents import Agent, function_tool, set_default_openai_api

set_default_openai_api("chat_completions")


@function_tool(needs_approval=True)
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


payer = Agent(name="payer", model="gpt-5-mini", tools=[pay])
agent = Agent(name="desk", model="gpt-5-mini", handoffs=[payer])
PLAY = {
    "calls": [("transfer_to_payer", {}), ("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "paid 7",
}
