"""An agent that a tool's own code runs."""

from strands import Agent, tool
from strands.models.openai import OpenAIModel

from sayso import App, Rule, Verdict

model = OpenAIModel(model_id="gpt-5-mini")


@tool
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


@tool
def pay_assistant(query: str) -> str:
    """Pay bills.

    Args:
        query: What to pay.
    """
    try:
        payer = Agent(model=model, system_prompt="You pay bills.", tools=[pay])
        response = payer(query)
        return str(response)
    except Exception as e:
        return f"Error: {e}"


desk = Agent(model=model, name="desk", tools=[pay_assistant])
app = App(desk, policies=[Rule(tool="pay", then=Verdict.ASK)])
PLAY = {
    "calls": [("pay_assistant", {"query": "7"}), ("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "paid 7",
}
