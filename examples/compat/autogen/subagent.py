"""An agent that a tool runs, with a tool that needs approval."""

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.tools import AgentTool
from autogen_ext.models.openai import OpenAIChatCompletionClient

from sayso import App, Rule, Verdict


def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


model = OpenAIChatCompletionClient(model="gpt-5-mini", parallel_tool_calls=False)
payer = AssistantAgent("payer", model_client=model, tools=[pay], description="Pays.")
desk = AssistantAgent(
    "desk",
    model_client=model,
    tools=[AgentTool(payer, return_value_as_last_message=True)],
    reflect_on_tool_use=True,
)
app = App(desk, policies=[Rule(tool="pay", then=Verdict.ASK)])
PLAY = {
    "calls": [("payer", {"task": "Pay 7"}), ("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "paid 7",
}
