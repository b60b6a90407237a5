"""A team whose next speaker a function selects."""

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import MaxMessageTermination, TextMentionTermination
from autogen_agentchat.teams import SelectorGroupChat
from autogen_ext.models.openai import OpenAIChatCompletionClient

from sayso import App, Rule, Verdict


def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


model = OpenAIChatCompletionClient(model="gpt-5-mini")
planner = AssistantAgent("planner", model_client=model, description="Plans.")
payer = AssistantAgent(
    "payer", model_client=model, tools=[pay], reflect_on_tool_use=True, description="Pays."
)


def select(messages):
    return {"user": "planner", "planner": "payer"}.get(messages[-1].source)


team = SelectorGroupChat(
    [planner, payer],
    model_client=model,
    selector_func=select,
    termination_condition=TextMentionTermination("paid 7") | MaxMessageTermination(8),
)
app = App(team, policies=[Rule(tool="pay", then=Verdict.ASK)])
PLAY = {"calls": [("pay", {"amount": 7})], "answers": [{"decision": "approve"}], "says": "paid 7"}
