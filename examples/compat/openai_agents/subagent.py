"""An agent that a tool runs, with a tool that needs approval."""

from agents import Agent, function_tool, set_default_openai_api

set_default_openai_api("chat_completions")


@function_tool(needs_approval=True)
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


payer = Agent(name="payer", model="gpt-5-mini", tools=[pay])
let_pay = payer.as_tool("let_pay", "Let the payer pay.")
agent = Agent(name="desk", model="gpt-5-mini", tools=[let_pay])
PLAY = {
    "calls": [("let_pay", {"input": "7"}), ("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "paid 7",
}
