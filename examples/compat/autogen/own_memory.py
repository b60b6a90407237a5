"""A chat that the framework itself keeps in memory."""

from autogen_agentchat.agents import AssistantAgent
from autogen_core.model_context import BufferedChatCompletionContext
from autogen_ext.models.openai import OpenAIChatCompletionClient

from sayso import App, Rule, Verdict


def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


desk = AssistantAgent(
    "desk",
    model_client=OpenAIChatCompletionClient(model="gpt-5-mini"),
    tools=[pay],
    reflect_on_tool_use=True,
    model_context=BufferedChatCompletionContext(buffer_size=5),
)
app = App(desk, policies=[Rule(tool="pay", then=Verdict.ASK)])
PLAY = {
    "calls": [("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "paid 7",
}
