"""An agent that another one hands over to."""

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import TextMessageTermination
from autogen_agentchat.teams import Swarm
from autogen_ext.models.openai import OpenAIChatCompletionClient

from sayso import App, Rule, Verdict


def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


model = OpenAIChatCompletionClient(model="gpt-5-mini")
desk = AssistantAgent("desk", model_client=model, handoffs=["payer"])
payer = AssistantAgent("payer", model_client=model, tools=[pay], reflect_on_tool_use=True)
team = Swarm([desk, payer], termination_condition=TextMessageTermination("payer"))
app = App(team, policies=[Rule(tool="pay", then=Verdict.ASK)])
PLAY = {
    "calls": [("transfer_to_payer", {}), ("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "paid 7",
}
