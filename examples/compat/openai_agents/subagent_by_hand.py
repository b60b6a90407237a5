"""An agent that a tool's own code runs."""

from agents import Agent, Runner, function_tool, set_default_openai_api

set_default_openai_api("chat_completions")


@function_tool(needs_approval=True)
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


payer = Agent(name="payer", model="gpt-5-mini", tools=[pay])


@function_tool
async def let_pay(task: str) -> str:
    """Let the payer pay."""
    result = await Runner.run(payer, task)
    return str(result.final_output)


agent = Agent(name="desk", model="gpt-5-mini", tools=[let_pay])
PLAY = {
    "calls": [("let_pay", {"task": "7"}), ("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "paid 7",
}
