"""An agent that a tool's own code runs."""

from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.openai import OpenAIChatCompletionClient


def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


model = OpenAIChatCompletionClient(model="gpt-5-mini")
payer = AssistantAgent("payer", model_client=model, tools=[pay])


async def let_pay(task: str) -> str:
    """Let the payer pay."""
    result = await payer.run(task=task)
    return result.messages[-1].to_text()


agent = AssistantAgent("desk", model_client=model, tools=[let_pay])
PLAY = {"refused": True}
