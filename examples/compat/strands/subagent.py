"""An agent that a tool runs, with a tool that needs approval."""

from strands import Agent, tool
from strands.models.openai import OpenAIModel

from sayso import App, Rule, Verdict

model = OpenAIModel(model_id="gpt-5-mini")


@tool
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


payer = Agent(model=model, name="payer", description="Pays bills.", tools=[pay])
desk = Agent(model=model, name="desk", tools=[payer])
app = App(desk, policies=[Rule(tool="pay", then=Verdict.ASK)])
PLAY = {
    "calls": [("payer", {"input": "7"}), ("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "paid 7",
}
