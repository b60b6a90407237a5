"""A conversation that is kept short."""

from strands import Agent, tool
from strands.agent.conversation_manager import SummarizingConversationManager
from strands.models.openai import OpenAIModel
from strands.vended_interventions.hitl import HumanInTheLoop


@tool
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


agent = Agent(
    model=OpenAIModel(model_id="gpt-5-mini"),
    tools=[pay],
    interventions=[HumanInTheLoop()],
    conversation_manager=SummarizingConversationManager(summary_ratio=0.3),
)
PLAY = {
    "calls": [("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "paid 7",
}
